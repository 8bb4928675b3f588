import assert from 'node:assert/strict';
import gsma from '../../src/channels/gsma/codes.json' with { type: 'json' };
import { table as iso20022 } from '../../src/channels/iso20022/translate.ts';
import { channelCode, channelState, failureOfText, schema } from '../../src/channels/kit/codes.ts';
import mixxJson from '../../src/channels/mixx/codes.json' with { type: 'json' };
import { table as mixx } from '../../src/channels/mixx/translate.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { outcomes } from '../../src/domain/data/failure-codes.ts';
import { failureCodes } from '../../src/domain/failure.ts';
import { describeBroken } from '../domain/data/broken.ts';

const [insufficientFunds] = gsma.codes;
const directions = ['collection', 'payout'] as const;
const sections = protocols.flatMap(({ name, codes }) => (codes ? [[name, codes] as const] : []));

describe('the codes of every protocol', () => {
  it('are those of six protocols at least', () => assert.ok(sections.length >= 6));

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
            const meaning = read(section, row.code, direction);
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
    for (const [protocol, section] of sections) {
      assert.equal(channelCode(section, 'nobody listed this', 'payout'), undefined, protocol);
      const any = section.states?.some(({ code }) => code === '*') ? 'ambiguous' : undefined;
      assert.equal(channelState(section, 'nobody listed this', 'payout')?.outcome, any, protocol);
    }
  });
});

describe('the sentences of failures without a code', () => {
  it('are each found inside any text, in any case', () => {
    let found = 0;
    for (const [, section] of sections)
      for (const pattern of section.text_patterns ?? [])
        for (const direction of directions) {
          const sentence = `Sorry: ${pattern.contains.toUpperCase()}.`;
          assert.equal(failureOfText(section, sentence, direction), pattern[direction], sentence);
          found += 1;
        }
    assert.ok(found > 20);
  });

  it('are those of the first text that matches, and network_error where none does', () => {
    assert.equal(
      failureOfText(mixx, 'Insufficient funds, limit reached', 'collection'),
      'insufficient_funds',
    );
    assert.equal(failureOfText(mixx, 'Nobody knows', 'collection'), 'network_error');
    assert.equal(failureOfText(iso20022, 'Insufficient funds', 'payout'), 'network_error');
  });
});

describeBroken('src/channels/gsma/codes.json', { file: gsma, schema }, [
  ['codes[0].outcome', '"failed" is no outcome', 'failed'],
  ['codes[0].collection', '"no_money" is no failure code', 'no_money'],
  ['codes[0].collection', 'insufficient_float is no failure of a payment', 'insufficient_float'],
  ['codes[0].payout', 'wrong_pin is no failure of a payout', 'wrong_pin'],
  ['codes[0].payout', { says: 'codes[0]: final needs failure_code, or collection and payout' }],
  ['codes[0].failure_code', 'is there beside collection or payout: only one can hold', 'network_error'],
  ['codes[0].outcome', { says: 'codes[0]: ambiguous is no failure, so it has no failure code' }, 'ambiguous'],
  ['codes[1]', { says: 'codes[1].code: the code insufficientFunds is there twice' }, insufficientFunds],
  ['states[1].code', 'the code completed is there twice', 'completed'],
  ['codes[0].failurecode', { says: 'codes[0]: Unrecognized key: "failurecode"' }, 'network_error'],
]);

describeBroken('src/channels/mixx/codes.json', { file: mixxJson, schema }, [
  ['text_patterns[0].contains', 'must be lower-case: it is sought in lower-cased text', 'Insufficient'],
  ['text_patterns[1].contains', 'the text insufficient is there twice', 'insufficient'],
  ['text_patterns[0].payout', 'insufficient_funds is no failure of a payout', 'insufficient_funds'],
  ['deduplicates', 'Invalid input: expected boolean, received undefined'],
]);
