import { displayNameOf } from '../../accounts/display-name.ts';
import { type Direction, kinds } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import {
  isBilled,
  isMerchants,
  isPayout,
  type MerchantTransaction,
  paidBy,
} from '../../domain/transaction.ts';
import { pagesFrom, type Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { isLine, MOVED_BESIDE, movedOf } from '../rows/moved.ts';
import { type ReceiptName, receiptTokenOf } from '../rows/page-token.ts';
import { getTransaction } from '../rows/store.ts';
import { paidPartsOf } from './refunds.ts';

/** A receipt is named by transaction and part, so no read is needed and the URL stays valid. */
export function receiptUrl(db: Queryable, name: ReceiptName): string | undefined {
  const pages = pagesFrom(db);
  return pages && `${pages.url}/r/${receiptTokenOf(pages.keys, name)}`;
}

/** Returns undefined before success, for a push that pays a bill, for a bill in parts, and without pages. */
export function receiptUrlOf(db: Queryable, transaction: MerchantTransaction): string | undefined {
  const part = isBilled(transaction) ? 1 : 0;
  const isInParts = isBilled(transaction) && transaction.bill.payments !== 1;
  return hasSucceeded(transaction) && !isInParts ? receiptUrl(db, { id: transaction.id, part }) : undefined;
}

/** Excludes a push from a page: the payment of its bill or number has the receipt. */
function hasSucceeded(transaction: MerchantTransaction): boolean {
  return transaction.status === kinds[transaction.mode].success && paidBy(transaction) === null;
}

/** Money went back later, or a statement line was corrected (`amount` null). */
export type Since = { what: 'returned' | 'refunded' | 'corrected'; amount: Minor | null; at: string };

/** Facts of a payment or payout for its page. Amounts are minor units, times ISO 8601 UTC. */
export type Receipt = {
  direction: Direction;
  merchantName: string;
  amount: Minor;
  currency: string;
  /** null unless the reader paid it */
  fee: Minor | null;
  at: string;
  reference: string;
  /** the network's; null if it gave none */
  receipt: string | null;
  channel: string;
  /** full number of the other party; null if unknown or erased */
  msisdn: string | null;
  account: { bic: string; number: string } | null;
  fullName: string | null;
  since: Since[];
};

export async function findReceiptPage(db: Queryable, { id, part }: ReceiptName): Promise<Receipt | null> {
  const transaction = await getTransaction(db, id);
  if (!transaction || !isMerchants(transaction)) return null;
  const paid = await paidOf(db, transaction, part);
  if (!paid) return null;
  const { accountId, currency, mode, fee } = transaction;
  const isOwn = kinds[mode].party === 'own' || isTopUp(transaction);
  return {
    direction: kinds[mode].direction,
    currency,
    merchantName: await displayNameOf(db, accountId),
    fee: isOwn ? fee : null,
    reference: isBilled(transaction) ? transaction.bill.controlNumber : transaction.reference,
    ...paid,
    since: await sinceOf(db, transaction, { part, amount: paid.amount }),
  };
}

const isTopUp = (transaction: MerchantTransaction) =>
  isBilled(transaction) && 'purpose' in transaction.bill && transaction.bill.purpose === 'top_up';

type Paid = Pick<Receipt, 'amount' | 'at' | 'receipt' | 'channel' | 'msisdn' | 'account' | 'fullName'>;

async function paidOf(db: Queryable, transaction: MerchantTransaction, part: number): Promise<Paid | null> {
  if (!isPayout(transaction)) {
    const number = isBilled(transaction) ? part : null;
    if (number === null && (part !== 0 || !hasSucceeded(transaction))) return null;
    const paid = (await paidPartsOf(db, transaction)).find((one) => one.number === number);
    if (!paid) return null;
    const { amount, paidAt: at, receipt, channel, msisdn, fullName } = paid;
    return { amount, at, receipt, channel, msisdn, account: null, fullName };
  }
  if (part !== 0 || !hasSucceeded(transaction)) return null;
  const { amount, paidAt, statusAt, channelReference: receipt, channel, fullName } = transaction;
  const paid = { amount, at: paidAt ?? statusAt, receipt, channel, fullName };
  if (!('bic' in transaction)) return { ...paid, msisdn: transaction.msisdn, account: null };
  const { bic, accountNumber: number } = transaction;
  return { ...paid, msisdn: null, account: { bic, number } };
}

/** Lists later events that are certain, because they are in the books. */
async function sinceOf(
  db: Queryable,
  transaction: MerchantTransaction,
  { part, amount }: { part: number; amount: Minor },
): Promise<Since[]> {
  const { id, mode, returnedAt } = transaction;
  const { rows } = await db.query(
    `SELECT coalesce(sum(f.amount), 0)::bigint AS refunded, max(f.at) AS "refundedAt",
       (SELECT max(created_at) FROM transfers
         WHERE transaction_id = $1 AND kind = 'correction') AS "correctedAt"
     FROM (SELECT CASE WHEN t.status = 'paid' AND t.returned_at IS NULL THEN t.amount
       ELSE 0 END + ${MOVED_BESIDE} AS amount,
         t.status_at AS at
       FROM transactions t WHERE t.refund_of = $1 AND coalesce(t.refund_payment, 0) = $2) f
     WHERE f.amount > 0 /* never null: refunded */`,
    [id, part],
  );
  const { refunded, refundedAt, correctedAt } = only(rows);
  const back = kinds[mode].direction === 'payout' ? 1 : -1;
  const isWhole = !isBilled(transaction) || transaction.bill.payments === 1;
  const items = (await movedOf(db, [id])).filter(
    ({ id: one, left, part: of }) => !isLine(one) && left !== 'suspense_return' && (isWhole || of === part),
  );
  // Booked and unbooked money do not offset each other.
  const goneOf = (some: typeof items) =>
    Math.max(
      0,
      some.reduce((sum, one) => sum + back * one.amount, 0),
    );
  const [own, others] = [items.filter((one) => one.isBooked), items.filter((one) => !one.isBooked)];
  const gone = Math.min(amount, goneOf(own) + goneOf(others));
  const goneAt = items.findLast((one) => back * one.amount > 0)?.at;
  const since: Since[] = [];
  if (returnedAt !== null) since.push({ what: 'returned', amount, at: returnedAt });
  if (gone > 0 && goneAt) since.push({ what: 'returned', amount: minor(gone), at: goneAt });
  if (refundedAt !== null) since.push({ what: 'refunded', amount: minor(refunded), at: refundedAt });
  if (correctedAt !== null) since.push({ what: 'corrected', amount: null, at: correctedAt });
  return since;
}
