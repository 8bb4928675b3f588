import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { EnquiryResult, Notification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { channelHistories } from '../../src/transactions/channel/channel-history.ts';
import { keepAnswer } from '../../src/transactions/channel/enquiries.ts';
import { recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest, pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';

describe('what an operator passes on to the support of a channel', () => {
  const test = useTestDatabase();

  const wordsOf = async (id: string) =>
    ((await channelHistories(test.database, [id])).get(id) ?? []).map(({ words }) =>
      words.replace(/ at \d{4}-\S+Z/, ''),
    );

  it('is each answer to our question in its own words: amount, reason and receipt, and no name or number', async () => {
    const answers: [EnquiryResult, string][] = [
      [{ kind: 'accepted', channelReference: 'R0' }, 'pending'],
      [{ kind: 'not_found' }, 'not found'],
      [{ kind: 'unknown', detail: 'HTTP 500 for 255754123456' }, 'unclear: HTTP 500 for 0754***456'],
      [
        { kind: 'failed', code: 'insufficient_funds', channelReference: 'R1' },
        'failed insufficient_funds R1',
      ],
      [failure('insufficient_funds'), 'failed insufficient_funds'],
      [succeeded(5_000, 'R2'), 'succeeded 5,000.00 TZS R2'],
      [succeeded(5_000, null), 'succeeded 5,000.00 TZS'],
    ];
    for (const [answer, words] of answers) {
      const { id } = await handedOver(test.database, pushRequest());
      await keepAnswer(test.database, id, answer);
      assert.deepEqual((await wordsOf(id)).slice(1), [`asked: ${words}`]);
    }
  });

  it('is an answer that came again as one line with its count, until another one comes between', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    for (const kind of ['not_found', 'not_found', 'not_found'] as const)
      await keepAnswer(test.database, id, { kind });
    await keepAnswer(test.database, id, { kind: 'accepted', channelReference: null });
    await keepAnswer(test.database, id, { kind: 'not_found' });
    assert.deepEqual((await wordsOf(id)).slice(1), [
      'asked 3 times, the last: not found',
      'asked: pending',
      'asked: not found',
    ]);
  });

  it('keeps of an endless answer what a person reads', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    await keepAnswer(test.database, id, { kind: 'unknown', detail: 'x'.repeat(1_000) });
    const [, words = ''] = await wordsOf(id);
    assert.equal(words.length, 'asked: '.length + 200);
  });

  it('is what we sent, and how that ended where it is known', async () => {
    const { id } = await handedOver(test.database, pushRequest());
    assert.deepEqual(await wordsOf(id), ['sent (1): in flight or unclear']);
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'accepted' });
    assert.deepEqual(await wordsOf(id), ['sent (1): accepted']);
  });

  it('is what the channel notified, and what came of it', async () => {
    const returned = { amount: minor(500_000), currency: 'TZS', reason: 'AC04', channelReference: 'RT1' };
    const told: [Notification['content'], string][] = [
      [{ kind: 'pending' }, 'notified pending (ignored)'],
      [{ kind: 'ask' }, 'notified something that has to be asked about (ignored)'],
      [failure('invalid_account'), 'notified failed invalid_account (unapplied)'],
      [succeeded(5_000, 'R3'), 'notified succeeded 5,000.00 TZS R3 (unapplied)'],
      [{ kind: 'returned', ...returned }, 'notified returned 5,000.00 TZS RT1 (unapplied)'],
    ];
    for (const [content, words] of told) {
      const { id } = await handedOver(test.database, bankPayoutRequest(5_000));
      await notify(test.database, id, content);
      assert.deepEqual((await wordsOf(id)).slice(1), [words]);
    }
  });

  it('is of each of the transactions that were asked for, and of one without a word nothing', async () => {
    const one = await handedOver(test.database, pushRequest());
    const nobody = randomUUID();
    const histories = await channelHistories(test.database, [one.id, nobody]);
    assert.deepEqual([histories.get(one.id)?.length, histories.get(nobody)], [1, []]);
    assert.deepEqual([...histories.keys()], [one.id, nobody]);
  });
});
