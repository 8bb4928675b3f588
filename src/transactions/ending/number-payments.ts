import { BrokenInvariant } from '../../domain/errors.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { billTiming } from '../../domain/timing.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { numberPaymentIdOf } from '../acceptance/idempotency.ts';
import type { LockedNumber } from '../rows/number-store.ts';
import { macOfParty } from '../rows/row-mac.ts';
import type { CreditedBill } from './ending.ts';

/** Inserts the transaction of a number's payment when it is notified. Returns it in a bill's form, unpaid. */
export async function openNumberPayment(
  db: Queryable,
  { number, now }: LockedNumber,
  payment: { space: string; receipt: string; amount: Minor; version: string },
): Promise<CreditedBill> {
  const { space, receipt, amount, version } = payment;
  const id = numberPaymentIdOf({ space, receipt });
  const { accountId: of, currency } = number;
  const mac = macOfParty(db, { id, of, connection: null, to: null, amount, currency });
  const { rows } = await db.query('SELECT open_number_payment($1, $2, $3, $4, $5, $6) AS opened', [
    space,
    receipt,
    version,
    channelReferenceOf('collection', id),
    mac,
    billTiming,
  ]);
  if (!rows[0]?.opened) throw new BrokenInvariant(`the receipt ${space}:${receipt} is of no number`);
  return { transaction: { id, mode: 'number' }, amount, paid: minor(0), fees: minor(0), now };
}
