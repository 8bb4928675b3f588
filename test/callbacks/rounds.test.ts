import assert from 'node:assert/strict';
import { insertCallbackEvent } from '../../src/callbacks/event.ts';
import { resendEvent, resendRange } from '../../src/callbacks/resend.ts';
import { takeBehind, takeUnattendedRounds } from '../../src/callbacks/unattended.ts';
import type { MerchantTransaction } from '../../src/domain/transaction.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { deliveryFor } from './delivery.ts';
import { loadEvent, plantCompletedPush } from './planted.ts';
import { answering, type Receiver, startReceiver } from './receiver.ts';

describe('rounds of the events of one transaction', () => {
  const test = useTestDatabase({ poolMax: 4 });
  let receiver: Receiver;
  let merchant: Merchant;
  let transaction: MerchantTransaction;
  let first: string;
  let second: string;
  let third: string;

  beforeEach(async () => {
    receiver = await startReceiver();
    merchant = await createMerchant(test.database, { callbackUrl: receiver.url });
    transaction = await plantCompletedPush(test.database, merchant);
    [first, second, third] = [await plant(), await plant(), await plant()];
  });
  afterEach(() => receiver.close());

  /** Told of a payment of its own, as those of a flexible bill are, a transaction has one event for each. */
  const plant = () => {
    const payment = { amount: transaction.amount, fee: transaction.fee };
    return insertCallbackEvent(test.database, transaction, 'payment.received', { payment });
  };
  const resend = (eventId: string) =>
    inTransaction(test.database, (db) =>
      resendEvent(db, { accountId: merchant.accountId, eventId, actor: 'test' }),
    );
  const attempt = (eventId: string, round: number) => deliveryFor(test.database).attempt(eventId, round);
  const roundsOf = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => (await loadEvent(test.database, id))?.round));
  const age = (eventId: string) => test.sql`UPDATE callback_events
    SET created_at = created_at - interval '1 hour' WHERE id = ${eventId}`;
  const sent = () => receiver.received.map(({ body }) => JSON.parse(body).sequence);
  const inRound = (round: number, ...ids: string[]) => ids.map((eventId) => ({ eventId, round }));
  async function failedFirst() {
    receiver.react(answering(500));
    assert.equal((await attempt(first, 0)).kind, 'retry');
    receiver.react(answering(200));
  }

  it('begin together: a resend takes the later ones along, which are sent after it, in order', async () => {
    await failedFirst();
    const queued = await resend(first);
    assert.deepEqual(queued, { eventId: first, round: 1, taken: inRound(1, second, third) });
    for (const id of [third, second])
      assert.equal((await attempt(id, 1)).kind, 'retry', 'not before the first');
    for (const id of [first, second, third]) assert.equal((await attempt(id, 1)).kind, 'delivered');
    for (const id of [first, second, third]) assert.equal((await attempt(id, 0)).kind, 'nothing');
    assert.deepEqual(sent(), [1, 1, 2, 3]);
  });

  it('begin once, however often and by however many a resend is asked for', async () => {
    await failedFirst();
    const answers = await Promise.all([first, second, first, third, first].map(resend));
    assert.deepEqual(new Set(answers.map(({ round }) => round)), new Set([1]));
    assert.deepEqual(await roundsOf(first, second, third), [1, 1, 1]);
    assert.deepEqual((await resend(first)).taken, []);
    const rows = await test.sql`SELECT 1 FROM audit_log WHERE action = 'callbacks.resend'
      AND subject = ANY(${[first, second, third]})`;
    assert.ok(rows.length >= 1 && rows.length <= 3, `${rows.length} of those who asked changed something`);
  });

  it('begin anew for one behind an event that was tried, and for nothing before it', async () => {
    await failedFirst();
    assert.deepEqual(await resend(second), { eventId: second, round: 1, taken: inRound(1, third) });
    assert.deepEqual(await roundsOf(first, second, third), [0, 1, 1]);
  });

  it('begin anew for one behind an event that was delivered', async () => {
    assert.equal((await attempt(first, 0)).kind, 'delivered');
    assert.equal((await resend(second)).round, 1);
  });

  it('stay with the workflow of the transaction while it has tried none', async () => {
    for (const id of [first, second])
      assert.deepEqual(await resend(id), { eventId: id, round: 0, taken: [] });
    assert.deepEqual(await roundsOf(first, second, third), [0, 0, 0]);
  });

  it('leave alone what was delivered, given up, or belongs to another transaction', async () => {
    const other = await plantCompletedPush(test.database, merchant);
    const stranger = await insertCallbackEvent(test.database, other, 'payment.received');
    for (const id of [first, second]) await attempt(id, 0);
    await test.database.query("UPDATE callback_events SET state = 'failed' WHERE id = $1", [third]);
    assert.deepEqual((await resend(first)).taken, []);
    assert.deepEqual(await roundsOf(first, second, third, stranger), [1, 0, 0, 0]);
  });

  it('wake a later one that is asleep until its own next attempt', async () => {
    await attempt(first, 0);
    receiver.react(answering(500));
    await attempt(second, 0);
    assert.deepEqual((await resend(first)).taken, inRound(1, second, third));
    receiver.react(answering(200));
    assert.equal((await attempt(first, 1)).kind, 'delivered');
    receiver.react(answering(500));
    assert.equal((await attempt(second, 1)).kind, 'retry');
    assert.deepEqual((await resend(first)).taken, inRound(2, second), 'the third has made no attempt');
  });

  it('begin for the later ones of a range of time too', async () => {
    await test.database.query("UPDATE callback_events SET state = 'failed' WHERE id = $1", [first]);
    const { accountId } = merchant;
    const range = { accountId, from: '2000-01-01', to: '2100-01-01', actor: 'test' };
    const ranges = await Promise.all(
      [1, 2, 3].map(() =>
        inTransaction(test.database, (db) => resendRange(db, { ...range, states: ['failed'] })),
      ),
    );
    assert.deepEqual(
      ranges.flatMap(({ queued }) => queued),
      inRound(1, first),
    );
    assert.deepEqual(
      ranges.flatMap(({ taken }) => taken),
      inRound(1, second, third),
    );
  });

  it('begin for what stands between two that are asked for, which are sent in order', async () => {
    await test.sql`UPDATE callback_events SET state = 'failed' WHERE id = ANY(${[first, third]})`;
    const range = { accountId: merchant.accountId, from: '2000-01-01', to: '2100-01-01', actor: 'test' };
    const { queued, taken } = await inTransaction(test.database, (db) =>
      resendRange(db, { ...range, states: ['failed'] }),
    );
    assert.deepEqual([queued, taken], [inRound(1, first, third), inRound(1, second)]);
    assert.equal((await attempt(third, 1)).kind, 'retry', 'not before the second');
    for (const id of [first, second, third]) assert.equal((await attempt(id, 1)).kind, 'delivered');
  });

  it('look once a minute where the one before them is due much later', async () => {
    await failedFirst();
    const due = "UPDATE callback_events SET next_attempt_at = now() + interval '10 hours' WHERE id = $1";
    await test.database.query(due, [first]);
    assert.deepEqual(await attempt(second, 0), { kind: 'retry', afterMs: 60_000 });
  });

  it('are picked up by the sweep when nobody started them', async () => {
    await failedFirst();
    await resend(first);
    const found = await takeUnattendedRounds(test.database, 0);
    const ours = found.filter(({ eventId }) => [first, second, third].includes(eventId));
    assert.deepEqual(
      new Set(ours.map(({ eventId, round }) => `${eventId} ${round}`)),
      new Set([first, second, third].map((id) => `${id} 1`)),
    );
  });

  it('begin by the sweep for an event written after the one before it was taken over', async () => {
    await failedFirst();
    await resend(first);
    const late = await plant();
    const swept = async () => {
      await takeBehind(test.database, 60_000);
      return (await takeUnattendedRounds(test.database, 60_000)).filter(({ eventId }) => eventId === late);
    };
    assert.deepEqual(await swept(), [], 'its own workflow has some minutes');
    await age(late);
    assert.deepEqual(await swept(), inRound(1, late));
    for (const id of [first, second, third, late]) assert.equal((await attempt(id, 1)).kind, 'delivered');
  });

  it('stay with a workflow that has come as far as the event before it', async () => {
    for (const id of [first, second]) await attempt(id, 0);
    await resend(first);
    receiver.react(answering(500));
    await attempt(first, 1);
    await test.database.query("UPDATE callback_events SET state = 'failed' WHERE id = $1", [first]);
    const [fourth, fifth] = [await plant(), await plant()];
    await test.database.query("UPDATE callback_events SET state = 'delivered' WHERE id = $1", [third]);
    assert.equal((await attempt(fourth, 0)).kind, 'retry');
    await age(fifth);
    await takeBehind(test.database, 60_000);
    assert.deepEqual(await roundsOf(fourth, fifth), [0, 0]);
  });

  it('look less often the more come before them', async () => {
    for (let n = 4; n <= 21; n += 1) await plant();
    const last = await plant();
    await failedFirst();
    await test.database.query('UPDATE callback_events SET next_attempt_at = now() WHERE id = $1', [first]);
    const [near, far] = [await attempt(second, 0), await attempt(last, 0)];
    assert.ok(near.kind === 'retry' && far.kind === 'retry');
    assert.deepEqual([near.afterMs, far.afterMs], [500, 2_100]);
  });
});
