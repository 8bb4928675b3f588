import assert from 'node:assert/strict';
import failures from '../../../data/failure-codes.json' with { type: 'json' };
import { type BillReply, billReplyCode } from '../../../src/domain/bill-reply.ts';
import { billProtocols, type CodedProtocol, outcomes } from '../../../src/domain/data/failure-codes.ts';
import {
  channelCode,
  channelState,
  failureCodes,
  failureOfText,
  failureReasonOf,
} from '../../../src/domain/failure.ts';
import type { Direction } from '../../../src/domain/kinds.ts';
import { inEnglish } from '../../../src/domain/messages.ts';

type Row = { code: string; outcome: string; failure_code?: string; alert?: boolean } & {
  [direction in Direction]?: string;
};
type Section = {
  codes: Row[];
  states?: Row[];
  text_patterns?: ({ contains: string } & Record<Direction, string>)[];
};

const directions = ['collection', 'payout'] as const;
const sections = Object.entries(failures.channels) as unknown as [CodedProtocol, Section][];

describe('the codes of every protocol', () => {
  it('are those of six protocols at least', () => {
    assert.ok(sections.length >= 6);
  });

  for (const [protocol, section] of sections)
    for (const [table, read] of [
      ['codes', channelCode],
      ['states', channelState],
    ] as const) {
      const rows = section[table] ?? [];
      it(`of ${protocol}: each of its ${rows.length} ${table} has an outcome, and a failure its code`, () => {
        if (table === 'codes') assert.ok(rows.length > 0);
        for (const row of rows)
          for (const direction of directions) {
            const meaning = read(protocol, row.code, direction);
            assert.ok(meaning, `${row.code} is read`);
            assert.equal(meaning.outcome, row.outcome, row.code);
            assert.ok(outcomes.includes(meaning.outcome), row.code);
            assert.equal(meaning.alert, row.alert === true, row.code);
            assert.equal(meaning.failureCode, row[direction] ?? row.failure_code ?? null, row.code);
            const fails = row.outcome === 'final' || row.outcome === 'setup';
            assert.equal(meaning.failureCode !== null, fails, `${row.code} ${direction}`);
            if (meaning.failureCode) assert.ok(failureCodes.includes(meaning.failureCode), row.code);
          }
      });
    }

  it('say nothing of a code that nobody listed, and of a state only what * says', () => {
    for (const [protocol, { states }] of sections) {
      assert.equal(channelCode(protocol, 'nobody listed this', 'payout'), undefined, protocol);
      const any = states?.some(({ code }) => code === '*') ? 'ambiguous' : undefined;
      assert.equal(channelState(protocol, 'nobody listed this', 'payout')?.outcome, any, protocol);
    }
  });
});

describe('the sentences of failures without a code', () => {
  it('are each found inside any text, in any case', () => {
    let found = 0;
    for (const [protocol, { text_patterns: patterns = [] }] of sections)
      for (const pattern of patterns)
        for (const direction of directions) {
          const sentence = `Sorry: ${pattern.contains.toUpperCase()}.`;
          assert.equal(failureOfText(protocol, sentence, direction), pattern[direction], sentence);
          found += 1;
        }
    assert.ok(found > 20);
  });

  it('are those of the first text that matches, and network_error where none does', () => {
    assert.equal(
      failureOfText('mixx', 'Insufficient funds, limit reached', 'collection'),
      'insufficient_funds',
    );
    assert.equal(failureOfText('mixx', 'Nobody knows', 'collection'), 'network_error');
    assert.equal(failureOfText('iso20022', 'Insufficient funds', 'payout'), 'network_error');
  });
});

describe('the sentences and replies that are said to others', () => {
  it('are one for every failure code', () => {
    assert.equal(failures.codes.length, failureCodes.length);
    for (const { code, reason } of failures.codes)
      assert.equal(inEnglish(failureReasonOf(code as (typeof failureCodes)[number])), reason);
  });

  it('are one for every reply to a bill, in every protocol of bills', () => {
    for (const row of failures.bill_replies as Record<string, string>[])
      for (const protocol of billProtocols)
        assert.equal(billReplyCode(protocol, row.reason as BillReply), row[protocol], row.reason);
  });
});
