import { randomUUID } from 'node:crypto';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { type HoldSubject, placeHold, releaseHold, takeHold } from '../../src/ledger/hold.ts';
import { postCollection } from '../../src/ledger/movement.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { type Database, type Queryable, sqlOf } from '../support/queryable.ts';

export type Subject = HoldSubject & { type: 'payment' | 'payout' };

/** What a transaction is to the ledger. Amounts are minor units. */
export function subjectOf(
  merchant: Merchant,
  type: 'payment' | 'payout',
  money: { value: Minor; fee: Minor },
): Subject {
  const transactionId = randomUUID();
  return {
    transactionId,
    accountId: merchant.accountId,
    currency: 'TZS',
    channel: 'm-pesa',
    reference: channelReferenceOf(type === 'payout' ? 'payout' : 'collection', transactionId),
    type,
    ...money,
  };
}

/**
 * A pending transaction's row, as accept writes it; false when it was there before. No conflict target: with one, two
 * at the same moment can still collide on the other unique column, the reference.
 */
export async function insertTransaction(db: Queryable, merchant: Merchant, subject: Subject) {
  const isPayout = subject.type === 'payout';
  const { rowCount } = await db.query(
    `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee,
       fee_version, channel, reference, msisdn, timing, connection)
     VALUES ($1, $2, $3, $1, $4, $5, $6, $7, 'TZS', $8, '2025-01', $9, $10, '255754123456', '{}', 'test')
     ON CONFLICT DO NOTHING`,
    [
      subject.transactionId,
      merchant.accountId,
      merchant.apiKeyId,
      subject.type,
      isPayout ? 'mobile' : 'ussd',
      `${subject.type}.pending`,
      subject.value,
      subject.fee,
      subject.channel,
      subject.reference,
    ],
  );
  return rowCount === 1;
}

export async function setStatus(db: Queryable, subject: Subject, status: 'completed' | 'paid' | 'failed') {
  await sqlOf(
    db,
  )`UPDATE transactions SET status = ${status}, failure_code = ${status === 'failed' ? 'network_error' : null}, settled = ${status === 'completed' ? subject.value - subject.fee : null} WHERE id = ${subject.transactionId}`;
}

export type Healthy = { merchant: Merchant; open: Subject; paid: Subject; failed: Subject; payment: Subject };

/** A small healthy ledger: one payout of each state and a completed payment. */
export async function plantHealthy(database: Database): Promise<Healthy> {
  const merchant = await createMerchant(database, { balance: 1_000_000 });
  const payout = () => subjectOf(merchant, 'payout', { value: minor(5_000_00), fee: minor(100_00) });
  const [open, paid, failed] = [payout(), payout(), payout()];
  const payment = subjectOf(merchant, 'payment', { value: minor(5_000_00), fee: minor(100_00) });
  for (const subject of [open, paid, failed]) {
    await inTransaction(database, async (db) => {
      await insertTransaction(db, merchant, subject);
      await placeHold(db, subject);
    });
  }
  await inTransaction(database, async (db) => {
    await setStatus(db, paid, 'paid');
    await takeHold(db, paid);
    await setStatus(db, failed, 'failed');
    await releaseHold(db, failed);
    await insertTransaction(db, merchant, payment);
    await setStatus(db, payment, 'completed');
    await postCollection(db, { ...payment, receipt: null });
  });
  return { merchant, open, paid, failed, payment };
}
