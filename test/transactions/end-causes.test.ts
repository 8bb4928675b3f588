import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { asFailure } from '../../src/activities/failure.ts';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import { releaseHold } from '../../src/ledger/hold.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { controlNumberOf, endTimeOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { accepted, answered, handedOver } from '../support/handed-over.ts';
import { billRequest, mobilePayoutRequest, pushRequest, qrRequest } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';

describe('what ends a transaction', () => {
  const test = useTestDatabase();

  const ended = async (id: string, cause: Cause) => {
    await tryToEnd(test.database, id, cause);
    const transaction = await getTransaction(test.database, id);
    return [transaction?.status, transaction?.failureCode];
  };
  const reasonsOf = async (id: string) => (await attentionOf(test.database, id)).map(({ reason }) => reason);

  it('is nothing for a transaction that is not there', async () => {
    await assert.rejects(tryToEnd(test.database, randomUUID(), { kind: 'cancel' }), /does not exist/);
  });

  it('is, for a bill, its time, and nobody’s opinion or announcement', async () => {
    for (const request of [billRequest(), qrRequest()]) {
      const { id } = await accepted(test.database, request);
      await plantDecision(test.database, id, 'paid');
      assert.deepEqual(await ended(id, { kind: 'notifications' }), ['pending', null]);
      assert.deepEqual(await ended(id, { kind: 'expired' }), ['pending', null], 'by Temporal’s clock alone');
      await endTimeOf(test.database, id);
      assert.deepEqual(await ended(id, { kind: 'expired' }), ['failed', 'expired']);
    }
  });

  it('is shown to a person where a reported success can never be settled, and is tried again where it can', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000));
    const { database } = failingDatabase(test.database, { at: 2, answerLost: false });
    await assert.rejects(endReported(database, id, succeeded(50_000)), ConnectionLost);
    for (const subject of [id, 'schema']) assert.deepEqual(await reasonsOf(subject), []);
    const value = minor(5_000_000);
    await inTransaction(test.database, (db) =>
      releaseHold(db, {
        transactionId: id,
        accountId: merchant.accountId,
        currency: 'TZS',
        channel: 'm-pesa',
        reference: 'PO1',
        value,
        fee: minor(100_000),
      }),
    );
    const step = answered(test.database, id, succeeded(50_000));
    const told = asFailure(await step.catch((error) => error));
    assert.ok('nonRetryable' in told && told.nonRetryable, 'Temporal does not try it again');
    await endReported(test.database, id, succeeded(50_000));
    assert.deepEqual(await reasonsOf(id), ['broken']);
    const [entry] = await attentionOf(test.database, id);
    assert.match(entry?.detail ?? '', /^A success could not be ended: .*hold/);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
  });

  it('can never be settled where it is a failure, too, and a person reads that it was one', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000));
    const { accountId } = merchant;
    const subject = { transactionId: id, accountId, currency: 'TZS', channel: 'm-pesa', reference: 'PO1' };
    const money = { value: minor(5_000_000), fee: minor(100_000) };
    await inTransaction(test.database, (db) => releaseHold(db, { ...subject, ...money }));
    await endReported(test.database, id, failure('network_error'));
    const [entry] = await attentionOf(test.database, id);
    assert.match(entry?.detail ?? '', /^A failure could not be ended: .*hold/);
  });

  it('waits for a migration that is missing: nothing is kept, a person is called, and it settles later', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    const rename = (from: string, to: string) =>
      test.database.query(`ALTER TABLE callback_events RENAME COLUMN ${from} TO ${to}`);
    await rename('body', 'later');
    await assert.rejects(endReported(test.database, id, succeeded(5_000)), /"body".* does not exist/);
    await rename('later', 'body');
    assert.deepEqual(pick(await attentionOf(test.database, 'schema'), 'reason'), ['schema']);
    assert.deepEqual(await reasonsOf(id), []);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
    await endReported(test.database, id, succeeded(5_000));
    assert.equal((await getTransaction(test.database, id))?.status, 'completed');
  });

  it('is said with its reason, and of a bill with what is paid and what is missing', async () => {
    const look = { kind: 'notifications' } as const;
    const failed = await handedOver(test.database, pushRequest());
    const result = failure('customer_declined');
    const { events, ...said } = await answered(test.database, failed.id, result);
    assert.equal(events.length, 1);
    assert.deepEqual(said, { status: 'failed', unconfirmed: false, failureCode: 'customer_declined' });

    const bill = await accepted(test.database, billRequest(25_000, { mode: 'flexible' }));
    const pending = { status: 'pending', unconfirmed: false };
    const { events: none, ...unpaid } = await tryToEnd(test.database, bill.id, look);
    assert.deepEqual([none, unpaid], [[], pending]);
    const number = await controlNumberOf(test.database, bill.id);
    await payBill(test.database, paymentOf(number, 10_000));
    const { events: first, ...inPart } = await tryToEnd(test.database, bill.id, look);
    assert.equal(first.length, 1);
    assert.deepEqual(inPart, { ...pending, paidInPart: { paid: '10,000.00 TZS', missing: '15,000.00 TZS' } });
    await payBill(test.database, paymentOf(number, 15_000));
    const { events: both, ...whole } = await tryToEnd(test.database, bill.id, look);
    assert.equal(both.length, 2);
    assert.deepEqual(whole, { status: 'completed', unconfirmed: false });
  });
});
