import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { isBilled } from '../../src/domain/transaction.ts';
import {
  type BillNotification,
  receiveBillPayment,
  validateBillPayment,
} from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { CONNECTION } from './merchant.ts';
import type { Database } from './queryable.ts';

/** The control number that a transaction got. */
export async function controlNumberOf(database: Database, id: string): Promise<string> {
  const transaction = await getTransaction(database, id);
  if (!transaction || !isBilled(transaction)) throw new Error(`${id} is no bill`);
  return transaction.bill.controlNumber;
}

/** What a network tells of one payment. `amount` in TZS. */
export function paymentOf(controlNumber: string, amount: number, changes: Partial<BillNotification> = {}) {
  return {
    channel: 'm-pesa',
    connection: CONNECTION,
    receipt: randomUUID(),
    controlNumber,
    controlNumberAsSent: controlNumber,
    amount: minor(Math.round(amount * 100)),
    amountAsSent: String(amount),
    currency: 'TZS',
    msisdn: '255754123456',
    fullName: 'ASHA JUMA',
    refusalReturnsMoney: true,
    ...changes,
  };
}

/** Both steps of a payment, as a door runs them. */
export async function payBill(database: Database, payment: BillNotification) {
  const validated = await validateBillPayment(database, payment);
  return validated.outcome === 'accepted' ? receiveBillPayment(database, payment) : validated;
}

/** The bill's time is over in Postgres's clock, which decides. */
export async function endTimeOf(database: Database, id: string): Promise<void> {
  await database.query('UPDATE bills SET expires_at = now() WHERE transaction_id = $1', [id]);
}

/** As its flow does when the bill's time is over. */
export async function expireBill(database: Database, id: string) {
  await endTimeOf(database, id);
  return tryToEnd(database, id, { kind: 'expired' });
}
