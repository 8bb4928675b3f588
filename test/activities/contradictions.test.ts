import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Failed, Notification, Succeeded } from '../../src/domain/channel.ts';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import { closeSendsAsNotFound, recordSend } from '../../src/transactions/channel/sends.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver, notify } from '../support/handed-over.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { attentionOf } from '../support/unexplained.ts';

/** A channel that says two things about one transaction: no word of it about money is ever lost. */
describe('a channel that contradicts itself', () => {
  const test = useTestDatabase();
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const success = (units: number, channelReference: string | null, currency = 'TZS'): Succeeded => ({
    kind: 'succeeded',
    amount: minor(units * 100),
    currency,
    channelReference,
    fullName: null,
  });
  const failure: Failed = { kind: 'failed', code: 'network_error', channelReference: null };
  const answer = (result: Succeeded | Failed): Cause => ({ kind: 'answer', result });
  const news: Cause = { kind: 'notifications' };

  /** What lies in suspense for a transaction: `-500.00 TZS`, in whole units. */
  async function suspended(id: string): Promise<string[]> {
    const { rows } = await test.database.query(
      `SELECT e.amount / 100 || ' ' || a.currency AS money FROM entries e JOIN transfers t ON t.id = e.transfer_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE t.transaction_id = $1 AND a.kind = 'suspense' ORDER BY e.id`,
      [id],
    );
    return rows.map((row) => row.money);
  }
  const statusOf = async (id: string) => (await getTransaction(test.database, id))?.status;

  it('takes one of two successes with different receipts and suspends the other, though neither was read yet', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await notify(test.database, id, success(5_000, 'R1'));
    await notify(test.database, id, success(5_000, 'R2'));
    assert.equal((await tryToEnd(test.database, id, news)).status, 'completed');
    assert.deepEqual(await suspended(id), ['5000 TZS']);
  });

  it('believes a success that it hears rather than a failure that lies unread', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000));
    await notify(test.database, id, failure);
    await endReported(test.database, id, success(50_000, 'R1'));
    await tryToEnd(test.database, id, news);
    assert.equal(await statusOf(id), 'paid');
    assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), {
      current: 94_900_000,
      reserved: 0,
    });
  });

  it('suspends a second movement that an enquiry reports after the first was notified', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
    await notify(test.database, id, success(50_000, 'S1'));
    await endReported(test.database, id, success(50_000, 'S2'));
    await endReported(test.database, id, success(50_000, 'S2'));
    await endReported(test.database, id, success(70_000, 'S3'));
    assert.equal(await statusOf(id), 'paid');
    assert.deepEqual(await suspended(id), ['-50000 TZS', '-70000 TZS']);
  });

  it('never fails as not arrived what the channel has acknowledged in the meantime', async () => {
    const acknowledgements: Notification['content'][] = [
      { kind: 'pending' },
      success(49_000, 'R1'),
      { kind: 'returned', amount: minor(5_000_000), currency: 'TZS', reason: 'AC04', channelReference: 'X' },
    ];
    for (const content of acknowledgements) {
      const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
      await notify(test.database, id, content);
      const { status } = await tryToEnd(test.database, id, { kind: 'never_arrived' });
      assert.equal(status, 'pending', content.kind);
      const at = new Date().toISOString();
      const since = await noteEnquiry(test.database, {
        transactionId: id,
        said: 'not_found',
        at,
        nextAt: at,
      });
      assert.equal(since, null, content.kind);
    }
  });

  it('sends nothing again once a notification has come in that nobody has read yet', async () => {
    for (const content of [success(50_000, 'R1'), failure]) {
      const { id } = await handedOver(test.database, mobilePayoutRequest(50_000));
      await closeSendsAsNotFound(test.database, { transactionId: id, upTo: 1 });
      await notify(test.database, id, content);
      const permit = await recordSend(test.database, { transactionId: id, number: 2 });
      assert.equal(permit.granted, false, content.kind);
    }
  });

  it('keeps money of another currency apart, in that currency', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await notify(test.database, id, success(5_000, 'U1', 'USD'));
    assert.equal(await statusOf(id), 'pending');
    assert.deepEqual(await suspended(id), ['5000 USD']);
    const payout = await handedOver(test.database, bankPayoutRequest(400_000));
    await tryToEnd(test.database, payout.id, answer(success(400_000, 'R2')));
    await notify(test.database, payout.id, {
      kind: 'returned',
      amount: minor(40_000_000),
      currency: 'USD',
      reason: 'AC04',
      channelReference: 'RT1',
    });
    assert.deepEqual(await suspended(payout.id), ['400000 USD']);
  });

  it('may give two transactions one receipt: a person sees both, and the same money counts once', async () => {
    for (const [request, counted] of [
      [pushRequest(5_000), ['5000 TZS']],
      // Of another amount it may have moved, too: it is an item of its own, once.
      [pushRequest(7_000), ['7000 TZS']],
      [pushRequest(5_000), []],
    ] as const) {
      const { id } = await handedOver(test.database, request);
      await tryToEnd(test.database, id, answer(failure));
      await notify(test.database, id, success(request.amount / 100, 'SAME'));
      await notify(test.database, id, success(request.amount / 100, 'SAME'));
      assert.deepEqual(await suspended(id), counted);
      assert.deepEqual(
        (await attentionOf(test.database, id)).map(({ reason }) => reason),
        ['late_success'],
      );
    }
  });

  it('may give the returns of two payouts one number: both go back to their merchants', async () => {
    for (const amount of [400_000, 300_000]) {
      const { id, merchant } = await handedOver(test.database, bankPayoutRequest(amount));
      await tryToEnd(test.database, id, answer(success(amount, randomUUID())));
      const returned = {
        kind: 'returned',
        amount: minor(amount * 100),
        currency: 'TZS',
        reason: 'AC04',
        channelReference: 'RT7',
      } as const;
      await notify(test.database, id, returned, { eventKey: 'pacs.004:RT7' });
      assert.equal(
        (await notify(test.database, id, returned, { eventKey: 'pacs.004:RT7' })).outcome,
        'duplicate',
      );
      const { current } = await balanceOf(test.database, merchant.accountId, 'TZS');
      assert.equal(current, 100_000_000 - 236_000);
      assert.deepEqual(await suspended(id), []);
    }
  });
});
