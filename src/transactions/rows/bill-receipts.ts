import type { BillRefusal, ReportedPayment } from '../../domain/bill.ts';
import { formatMoney, type Minor } from '../../domain/money.ts';
import { ERASED_MSISDN } from '../../domain/msisdn.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { DEFAULT, insert, NOW } from '../../platform/db/write.ts';
import { isProven, macOfParty, PARTY_OF_RECEIPT, type StoredParty } from './row-mac.ts';

/** A channel's report of one customer's payment, in the same form for every protocol. */
export type BillAttempt = ReportedPayment & {
  /** network id, proven by the channel's token */
  channel: string;
  /** connection of the channels file that notified us; the receipt is in its number space */
  connection: string;
};

export type BillNotification = BillAttempt & {
  /** true if the channel returns the money when we refuse now */
  refusalReturnsMoney: boolean;
  /** fee version of a number's payment that a restore lost */
  feeVersion?: string;
  /** id of the push from a pay page that brought the money */
  prompt?: string | null;
  /** true if the channel gave no receipt, so we made this name */
  isOurs?: boolean;
  /** suspense item that holds the money, because a statement showed it first */
  item?: string | null;
  /** operators who agreed that the item becomes this payment; null: a restore lost their names */
  agreed?: Agreed | null;
};

export type Agreed = { proposalId: string; note: string };

export type StoredReceipt = {
  receipt: string;
  fullName: string | null;
  connection: string;
  channel: string;
  msisdn: string | null;
  transactionId: string | null;
  controlNumber: string;
  amount: number;
  currency: string;
  outcome: 'accepted' | 'refused' | 'suspended';
  reason: BillRefusal | null;
  isSignalled: boolean;
};

/** Finds a receipt by its number or its push. `space`: the connection's number space, always returned. */
export async function findReceipt(
  db: Queryable,
  { connection, receipt, prompt = null }: Pick<BillNotification, 'connection' | 'receipt' | 'prompt'>,
): Promise<{ space: string; stored: StoredReceipt | null }> {
  const { rows } = await db.query(
    `SELECT own.space, r.receipt, r.connection, r.channel, r.msisdn, r.full_name AS "fullName",
       r.transaction_id AS "transactionId", r.control_number AS "controlNumber",
       r.amount, r.currency, r.outcome, r.reason, r.signalled_at IS NOT NULL AS "isSignalled"
     FROM (SELECT receipt_space($1) AS space) own LEFT JOIN LATERAL (
       SELECT * FROM bill_receipts
       WHERE space = own.space AND plain_name(receipt) = plain_name($2) OR prompt_id = $3
       ORDER BY prompt_id IS NOT DISTINCT FROM $3 DESC LIMIT 1) r ON true /* never null: space */`,
    [connection, receipt, prompt],
  );
  const { space, ...stored } = only(rows);
  return { space, stored: stored.connection === null ? null : (stored as StoredReceipt) };
}

/**
 * True if two payments have one receipt number, because two connections share a space or two networks share a
 * connection. False for a network's repeat of one payment.
 */
export function isOfAnother(stored: StoredReceipt, payment: BillNotification): boolean {
  const isSame =
    stored.controlNumber === recordedNumberOf(payment) &&
    stored.amount === (payment.amount ?? 0) &&
    stored.currency === payment.currency &&
    (stored.msisdn === payment.msisdn || stored.msisdn === ERASED_MSISDN);
  const isElsewhere = stored.connection !== payment.connection || stored.channel !== payment.channel;
  return isElsewhere && !isSame;
}

type Decided =
  | { outcome: 'accepted'; number: number; fee: Minor }
  | { outcome: 'refused' | 'suspended'; reason: string };

type Deciding = {
  transactionId: string | null;
  /** time of the decision; null: now */
  at: string | null;
  payment: BillNotification;
  verdict: Decided;
  space: string;
};

/** Accepts a receipt whose money was in suspense; false if there is none. The stored payer is kept. */
export async function acceptSuspended(
  db: Queryable,
  { transactionId, at, payment, verdict, space }: Deciding,
): Promise<boolean> {
  if (verdict.outcome !== 'accepted') return false;
  const { receipt } = payment;
  const { rows } = await db.query(
    `SELECT ${PARTY_OF_RECEIPT} AS party FROM bill_receipts r
     WHERE space = $1 AND receipt = $2 /* never null: party */`,
    [space, receipt],
  );
  const { mac, ...party } = only(rows).party as StoredParty;
  // A row without a valid MAC proves no payer and gets no MAC here.
  const own = isProven(db, { ...party, mac }) ? macOfParty(db, { ...party, of: transactionId }) : null;
  const taken = await db.query('SELECT accept_suspended($1, $2, $3, $4, $5, $6, $7) AS taken', [
    space,
    receipt,
    transactionId,
    verdict.number,
    verdict.fee,
    own,
    at,
  ]);
  return taken.rows[0].taken === true;
}

export async function storeReceipt(db: Queryable, stored: Deciding): Promise<boolean> {
  const { transactionId, at, payment, verdict, space } = stored;
  const isAccepted = verdict.outcome === 'accepted';
  const mac = macOfParty(db, {
    id: `${space}:${payment.receipt}`,
    of: transactionId,
    connection: payment.connection,
    to: payment.msisdn,
    amount: payment.amount ?? 0,
    currency: payment.currency,
  });
  const { rowCount } = await insert(
    db,
    'bill_receipts',
    {
      space,
      receipt: payment.receipt,
      channel: payment.channel,
      transaction_id: transactionId,
      control_number: recordedNumberOf(payment),
      amount: payment.amount ?? 0,
      currency: payment.currency,
      msisdn: payment.msisdn,
      full_name: payment.fullName,
      connection: payment.connection,
      outcome: verdict.outcome,
      reason: isAccepted ? null : verdict.reason,
      number: isAccepted ? verdict.number : null,
      fee: isAccepted ? verdict.fee : 0,
      received_at: at ?? NOW,
      prompt_id: payment.prompt ?? null,
      signalled_at: DEFAULT,
      mac,
    },
    { onConflict: 'DO NOTHING' },
  );
  return rowCount === 1;
}

export function recordedNumberOf(payment: BillAttempt): string {
  return payment.controlNumber ?? payment.controlNumberAsSent;
}

/** Records that a workflow's history has this payment. Idempotent. */
export async function noteSignalled(
  db: Queryable,
  { connection, receipt }: Pick<BillAttempt, 'connection' | 'receipt'>,
): Promise<void> {
  await db.query(
    `UPDATE bill_receipts SET signalled_at = now()
     WHERE space = receipt_space($1) AND plain_name(receipt) = plain_name($2) AND signalled_at IS NULL`,
    [connection, receipt],
  );
}

/** Quotes an unreadable amount, because its text may be anything. */
export function moneyOf({ amount, amountAsSent, currency }: BillNotification): string {
  return amount === null
    ? `no readable amount (${JSON.stringify(amountAsSent)})`
    : `${formatMoney(amount)} ${currency}`;
}
