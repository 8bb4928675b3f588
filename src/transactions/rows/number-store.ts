import { ownFeesIn } from '../../accounts/fees.ts';
import type { BillState, BillView } from '../../domain/bill.ts';
import type { OwnFees } from '../../domain/fees.ts';
import { minor } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import type { NumberStatus, StandingNumber } from '../../domain/number.ts';
import { isBilled, type Transaction } from '../../domain/transaction.ts';
import { COUNTED_MAX, type Listed, type Page, readList, totalOf } from '../../platform/db/listing.ts';
import type { Database, Queryable, RowOf } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';

export type NumberNow = StandingNumber & { status: NumberStatus };

const NUMBER =
  `n.id, n.account_id AS "accountId", n.api_key_id AS "apiKeyId", n.control_number AS "controlNumber",
  n.customer_reference AS "customerReference", n.purpose, n.currency, n.description, n.minimum, n.maximum,
  n.metadata, n.payers, n.status,
  n.created_at AS "createdAt", n.quantity, n.expires_at AS "expiresAt"` as const;
type Row = RowOf<`SELECT ${typeof NUMBER} FROM numbers n WHERE n.id = ANY($1::uuid[]) AND n.account_id = $2`>;

function toNumber({ quantity, expiresAt, payers, ...number }: Row): NumberNow {
  const link = quantity === null ? {} : { link: { code: number.controlNumber, quantity, expiresAt } };
  return { ...number, ...(payers === null ? {} : { payers }), ...link } as NumberNow;
}

/** Facts for deciding about a number's payment. The lock prevents closing, but no other payment. */
export type LockedNumber = BillState & {
  number: StandingNumber;
  /** time after the lock was taken */
  now: string;
};

/** Locks the numbers named by lines without a receipt, so notifications finish first or wait. */
export async function lockNumbersOf(db: Queryable, lines: readonly number[]): Promise<void> {
  await db.query(
    `SELECT FROM numbers
     WHERE control_number IN (SELECT reference FROM statement_lines
       WHERE id = ANY($1::bigint[]) AND receipt IS NULL)
     ORDER BY id FOR NO KEY UPDATE`,
    [lines],
  );
}

const WITHOUT_ROW = "hashtext('payments without a row')" as const;

/** For a payment that has no row to lock: lines that may show it are booked first, or wait. */
export async function lockAgainstLines(db: Queryable): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock_shared(${WITHOUT_ROW})`);
}

/** For lines that may show such payments by a number: those finish first, or wait. */
export async function lockAgainstPayments(db: Queryable, lines: readonly number[]): Promise<void> {
  await db.query(
    `SELECT pg_advisory_xact_lock(${WITHOUT_ROW}) FROM statement_lines
     WHERE id = ANY($1::bigint[]) AND amount > 0 AND reference IS NOT NULL LIMIT 1`,
    [lines],
  );
}

/** Returns null for links, which are paid by their bills. */
export async function lockNumber(db: Queryable, controlNumber: string): Promise<LockedNumber | null> {
  const { rows } = await db.query(
    `SELECT ${NUMBER}, clock_timestamp() AS now FROM numbers n
     WHERE n.control_number = $1 AND n.purpose <> 'link' FOR SHARE /* never null: now */`,
    [controlNumber],
  );
  const [row] = rows;
  if (!row) return null;
  const { now, ...found } = row;
  const { status, ...number } = toNumber(found);
  return {
    number,
    open: status === 'open',
    expired: false,
    mode: 'flexible',
    amount: minor(0),
    currency: number.currency,
    payments: 0,
    claimedByAnother: false,
    minimum: number.minimum,
    maximum: number.maximum ?? billLimits.maximum,
    now,
  };
}

export async function lookUpNumber(db: Queryable, controlNumber: string): Promise<BillView | null> {
  const { rows } = await db.query(
    `SELECT ${NUMBER}, a.name FROM numbers n JOIN accounts a ON a.id = n.account_id
     WHERE n.control_number = $1`,
    [controlNumber],
  );
  const [row] = rows;
  if (!row) return null;
  const { id, accountId, description, currency, status, createdAt } = toNumber(row);
  return {
    transactionId: id,
    accountId,
    controlNumber,
    merchantName: row.name,
    description,
    mode: 'flexible',
    amount: minor(0),
    paid: minor(0),
    outstanding: null,
    currency,
    open: status === 'open',
    createdAt,
    updatedAt: createdAt,
    expiresAt: null,
  };
}

export async function numbersById(
  db: Queryable,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Map<string, NumberNow>> {
  const { rows } = await db.query(
    `SELECT ${NUMBER} FROM numbers n WHERE n.id = ANY($1::uuid[]) AND n.account_id = $2`,
    [ids, accountId],
  );
  return new Map(rows.map((row) => [row.id, toNumber(row)]));
}

/** Returns null if the account has no such number. Idempotent. */
export async function setNumberStatus(
  db: Queryable,
  asked: { id: string; accountId: string; status: NumberStatus; isLink?: boolean },
): Promise<NumberNow | null> {
  const { rows } = await db.query(
    `UPDATE numbers n SET status = $3 WHERE n.id = $1 AND n.account_id = $2 AND (n.purpose = 'link') = $4
     RETURNING ${NUMBER}`,
    [asked.id, asked.accountId, asked.status, asked.isLink ?? false],
  );
  return rows[0] ? toNumber(rows[0]) : null;
}

export type NumberFilter = {
  customerReference?: string | undefined;
  reference?: string | undefined;
  status?: NumberStatus | undefined;
  /** true: payment links; absent: numbers paid by control number */
  isLink?: boolean;
};

/** Returns a page, newest first. Counting stops at 100,000. Throws `validation_failed` beyond 2 s. */
export function listNumbers(
  database: Database,
  { accountId, filter }: { accountId: string; filter: NumberFilter },
  { page, perPage }: Page,
): Promise<Listed<NumberNow>> {
  const { customerReference = null, reference = null, status = null, isLink = false } = filter;
  const asked = [accountId, customerReference, reference, status, isLink] as const;
  return readList(database, async (db) => {
    const listed = await db.query(
      `SELECT ${NUMBER} FROM numbers n
       WHERE n.account_id = $1 AND ($2::text IS NULL OR n.customer_reference = $2)
         AND ($3::text IS NULL OR n.control_number = $3) AND ($4::text IS NULL OR n.status = $4)
         AND (n.purpose = 'link') = $5 ORDER BY n.created_at DESC, n.id DESC LIMIT $6 OFFSET $7`,
      [...asked, perPage, (page - 1) * perPage],
    );
    const counted = await db.query(
      `SELECT count(*) AS counted FROM (
         SELECT FROM numbers n WHERE n.account_id = $1 AND ($2::text IS NULL OR n.customer_reference = $2)
           AND ($3::text IS NULL OR n.control_number = $3) AND ($4::text IS NULL OR n.status = $4)
           AND (n.purpose = 'link') = $5 LIMIT $6) matching`,
      [...asked, COUNTED_MAX + 1],
    );
    return { items: listed.rows.map(toNumber), ...totalOf(only(counted.rows).counted ?? 0, COUNTED_MAX) };
  });
}

/** Adds the number and its fees to a number's payment, so `recover` can restore them. */
export async function withItsNumber<P extends object>(
  db: Queryable,
  transaction: Transaction,
  payment: P,
): Promise<P & { number?: StandingNumber; feeVersion?: string; ownFees?: OwnFees }> {
  if (!isBilled(transaction)) return payment;
  const { accountId, bill, feeVersion } = transaction;
  if (!('numberId' in bill)) return payment;
  const found = (await numbersById(db, { accountId, ids: [bill.numberId] })).get(bill.numberId);
  if (!found) return payment;
  const { status: _, ...number } = found;
  const ownFees = await ownFeesIn(db, feeVersion);
  return { ...payment, number, feeVersion, ...(ownFees ? { ownFees } : {}) };
}
