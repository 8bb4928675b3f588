import { feesOf, frozenFees } from '../../accounts/fees.ts';
import { type Fee, feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import type { Minor } from '../../domain/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { numberPaymentIdOf } from '../acceptance/idempotency.ts';
import type { BillAttempt } from '../rows/bill-receipts.ts';
import { type LockedBill, lockBill } from '../rows/bill-store.ts';
import { type LockedNumber, lockNumber } from '../rows/number-store.ts';

/** A control number belongs to a bill or QR code (one transaction), or to a standing number. */
export type Billed = LockedBill | LockedNumber;

export async function lockBilled(
  db: Queryable,
  controlNumber: string,
  of: BillAttempt,
): Promise<Billed | null> {
  return (await lockBill(db, { controlNumber, claimants: claimantsOf(of) })) ?? lockNumber(db, controlNumber);
}

/** Each payment of a standing number is its own transaction. */
export function transactionIdOf(bill: Billed, payment: { space: string; receipt: string }): string {
  return 'number' in bill ? numberPaymentIdOf(payment) : bill.transaction.id;
}

/** Returns the bill as it was when the payment was received: open and not expired. */
export function asItWas(bill: Billed): Billed {
  return 'number' in bill ? { ...bill, open: true } : { ...bill, expired: false };
}

/** Not every message of a network has both receipt and payer, so either one holds the claim. */
export function claimantsOf({ channel, connection, receipt, msisdn }: BillAttempt): string[] {
  return [`${connection}:receipt:${receipt}`, ...(msisdn === null ? [] : [`${channel}:payer:${msisdn}`])];
}

/**
 * A bill's fee uses its frozen version; a number's fee uses the version in force. A top-up is the merchant's
 * own money only if the network proves a named payer; any other payer is a customer.
 */
export async function feeOf(
  db: Queryable,
  bill: Billed,
  { amount, payer, feeVersion }: { amount: Minor; payer: string | null; feeVersion?: string | undefined },
): Promise<Fee> {
  if (!('number' in bill)) {
    const { mode, feeVersion: frozen } = bill.transaction;
    return feeFor(kinds[mode].fee, amount, await frozenFees(db, frozen));
  }
  const { accountId, payers = [] } = bill.number;
  const fees = feeVersion ? await frozenFees(db, feeVersion) : (await feesOf(db, accountId)).inForce;
  return feeFor(payer !== null && payers.includes(payer) ? 'top_up' : 'number', amount, fees);
}
