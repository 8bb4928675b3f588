import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { accepted, handedOver, notify } from '../support/handed-over.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

describe('settling a transaction', () => {
  const test = useTestDatabase();

  const success = (amount: number, receipt: string = randomUUID()): Cause & { kind: 'answer' } => ({
    kind: 'answer',
    result: succeeded(amount, receipt),
  });
  const failure: Cause = {
    kind: 'answer',
    result: { kind: 'failed', code: 'customer_declined', channelReference: null },
  };

  async function eventsOf(id: string) {
    const { rows } = await test.database.query(
      'SELECT event, body FROM callback_events WHERE transaction_id = $1 ORDER BY sequence',
      [id],
    );
    return rows;
  }

  async function suspended(id: string): Promise<Minor> {
    const { rows } = await test.database.query(
      `SELECT coalesce(sum(e.amount), 0)::bigint AS total FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1 AND a.kind = 'suspense'`,
      [id],
    );
    return rows[0].total;
  }

  it('credits value minus fee, once, with one event, however often it runs', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: 0 });
    const first = await tryToEnd(test.database, id, success(5_000, 'R1'));
    const second = await tryToEnd(test.database, id, success(5_000, 'R1'));
    assert.equal(first.status, 'completed');
    assert.deepEqual(second, first);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 490_000);
    const events = await eventsOf(id);
    assert.equal(events.length, 1);
    assert.match(events[0].body, /"amount":\{"value":"5,000.00","fee":"100.00","settled":"4,900.00"\}/);
  });

  it('takes the hold of a paid payout and gives back the hold of a failed one, once', async () => {
    const paid = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    await tryToEnd(test.database, paid.id, success(50_000));
    await tryToEnd(test.database, paid.id, failure);
    assert.deepEqual(await balanceOf(test.database, paid.merchant.accountId, 'TZS'), {
      current: 4_900_000,
      reserved: 0,
    });

    const failed = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    await tryToEnd(test.database, failed.id, failure);
    await tryToEnd(test.database, failed.id, failure);
    assert.deepEqual(await balanceOf(test.database, failed.merchant.accountId, 'TZS'), {
      current: 10_000_000,
      reserved: 0,
    });
  });

  it('settles once when many try at the same moment with different answers', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000), {
      balance: 100_000,
    });
    const causes = Array.from({ length: 12 }, (_, i) => (i % 2 ? success(50_000, 'R') : failure));
    const results = await Promise.all(causes.map((cause) => tryToEnd(test.database, id, cause)));
    assert.equal(new Set(results.map((result) => result.status)).size, 1);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
    assert.equal((await eventsOf(id)).length, 1);
  });

  it('prefers an explicit success among the notifications to a failure', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    await notify(test.database, id, { kind: 'failed', code: 'customer_declined', channelReference: null });
    await notify(test.database, id, succeeded(5_000, 'R2'));
    const settled = await tryToEnd(test.database, id, { kind: 'notifications' });
    assert.equal(settled.status, 'completed');
  });

  it('is ended by one of two successes that came together, and the other is money in suspense', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: 0 });
    for (const receipt of ['FIRST', 'SECOND']) await notify(test.database, id, succeeded(5_000, receipt));
    const settled = await tryToEnd(test.database, id, success(5_000, 'SECOND'));
    assert.equal(settled.status, 'completed');
    assert.equal((await getTransaction(test.database, id))?.channelReference, 'FIRST');
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 490_000);
    assert.equal(await suspended(id), 500_000);
  });

  it('cancels before the hand-over and refuses to once a send may have reached the channel', async () => {
    const fresh = await accepted(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    assert.equal((await tryToEnd(test.database, fresh.id, { kind: 'cancel' })).status, 'cancelled');
    assert.equal((await balanceOf(test.database, fresh.merchant.accountId, 'TZS')).current, 10_000_000);
    assert.deepEqual(await recordSend(test.database, { transactionId: fresh.id, number: 1 }), {
      granted: false,
      why: 'final',
    });

    const sent = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    assert.equal((await tryToEnd(test.database, sent.id, { kind: 'cancel' })).status, 'pending');
    assert.equal((await balanceOf(test.database, sent.merchant.accountId, 'TZS')).reserved, 5_100_000);
  });

  it('lets a cancel and a hand-over race 200 times and never grants both', async () => {
    const merchant = await createMerchant(test.database, { balance: 300 * 51_000 });
    for (let round = 0; round < 200; round += 1) {
      const submission = submissionFor(merchant, mobilePayoutRequest());
      await accept(test.database, submission);
      const id = submission.transactionId;
      const [cancelled, permit] = await Promise.all([
        tryToEnd(test.database, id, { kind: 'cancel' }),
        recordSend(test.database, { transactionId: id, number: 1 }),
      ]);
      assert.notEqual(cancelled.status === 'cancelled', permit.granted, `round ${round}`);
    }
  }).timeout(60_000);

  it('fails as unsent only when every send provably did nothing', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    assert.equal((await tryToEnd(test.database, id, { kind: 'unsent' })).status, 'pending');
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' });
    assert.equal((await tryToEnd(test.database, id, { kind: 'unsent' })).status, 'failed');
  });

  it('records a send number once, and a second one only after the first provably did nothing', async () => {
    const { id } = await accepted(test.database, pushRequest(), { balance: 0 });
    const send = (number: number) => recordSend(test.database, { transactionId: id, number });
    assert.equal((await send(1)).granted, true);
    assert.deepEqual(await send(1), { granted: false, why: 'recorded' });
    assert.deepEqual(await send(2), { granted: false, why: 'recorded' });
    await recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' });
    assert.equal((await send(2)).granted, true);
    assert.equal((await send(1)).granted, false);
  });

  it('puts a success with another amount into suspense, flags it and stays pending', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: 0 });
    const content = succeeded(5_100, 'R9');
    assert.equal((await notify(test.database, id, content)).news, 'stored');
    const settled = await tryToEnd(test.database, id, { kind: 'notifications' });
    assert.equal(settled.status, 'pending');
    assert.deepEqual(settled.needs, ['wrong_amount']);
    await tryToEnd(test.database, id, { kind: 'answer', result: content });
    assert.equal(await suspended(id), 510_000, 'one movement is posted once, by whatever way it is reported');
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 0);
  });

  it('puts a success after a failure into suspense and keeps the failure', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(50_000), { balance: 100_000 });
    await tryToEnd(test.database, id, failure);
    const content = succeeded(50_000, 'L1');
    assert.equal((await notify(test.database, id, content, { eventKey: 'late-1' })).outcome, 'stored');
    assert.equal((await notify(test.database, id, content, { eventKey: 'late-1' })).outcome, 'duplicate');
    assert.equal((await notify(test.database, id, content, { eventKey: 'late-2' })).outcome, 'stored');
    assert.equal((await getTransaction(test.database, id))?.status, 'failed');
    assert.equal(await suspended(id), -5_000_000);
    const reasons = (await listAttention(test.database)).filter((entry) => entry.subject === id);
    assert.deepEqual(
      reasons.map((entry) => entry.reason),
      ['late_success'],
    );
  });

  it('flags a failure reported after a success and moves nothing', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: 0 });
    await tryToEnd(test.database, id, success(5_000));
    await notify(test.database, id, { kind: 'failed', code: 'network_error', channelReference: null });
    assert.equal((await getTransaction(test.database, id))?.status, 'completed');
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 490_000);
    assert.equal((await getTransaction(test.database, id))?.attention, true);
  });

  it('books the return of a paid payout once, keeps it paid and notifies a person', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000), {
      balance: 100_000,
    });
    await tryToEnd(test.database, id, success(50_000));
    const returned = {
      kind: 'returned',
      amount: minor(5_000_000),
      currency: 'TZS',
      reason: 'AC04',
      channelReference: null,
    } as const;
    await notify(test.database, id, returned, { eventKey: 'return-1' });
    await notify(test.database, id, returned, { eventKey: 'return-1' });
    const transaction = await getTransaction(test.database, id);
    assert.equal(transaction?.status, 'paid');
    assert.equal(transaction?.returnReason, 'AC04');
    assert.equal(transaction?.attention, true);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).current, 9_900_000);
  });

  it('refuses in the database itself to change a final state', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    await tryToEnd(test.database, id, failure);
    await assert.rejects(
      test.database.query("UPDATE transactions SET status = 'completed', failure_code = NULL WHERE id = $1", [
        id,
      ]),
      /cannot become completed/,
    );
  });
});
