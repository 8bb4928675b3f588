import { kinds, type Mode, transactionTypes } from '../../domain/kinds.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** All given filters must match. Times are UTC with six decimals and `Z`. */
export type TransactionFilter = {
  types?: string[] | undefined;
  status?: string | undefined;
  mode?: string | undefined;
  channel?: string | undefined;
  bic?: string | undefined;
  /** exact payment or control number, customer or payout reference, the channel's reference or receipt */
  reference?: string | undefined;
  /** number of the payee, or of any payer */
  msisdn?: string | undefined;
  idempotencyKey?: string | undefined;
  /** [key, value]: a string item's text, or the compact JSON of any other value */
  metadata?: [string, string][] | undefined;
  /** inclusive, on created_at */
  from?: string | undefined;
  /** exclusive */
  to?: string | undefined;
};

/** Disjoint WHERE clauses, each in index order (0006_lists.sql), so Postgres only merges them. */
export type Parts = { clauses: string[]; values: unknown[] };

/** Returns no parts if nothing can match. `t` is the alias of transactions. */
export async function partsOf(db: Queryable, accountId: string, filter: TransactionFilter): Promise<Parts> {
  const values: unknown[] = [accountId];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const common = ['t.account_id = $1'];
  const add = (value: unknown, condition: (parameter: string) => string) => {
    if (value !== undefined) common.push(condition(bind(value)));
  };
  add(filter.from, (from) => `t.created_at >= ${from}::timestamptz`);
  add(filter.to, (to) => `t.created_at < ${to}::timestamptz`);
  add(filter.bic, (bic) => `t.bic = ${bic}`);
  if (filter.metadata) {
    const hashes = filter.metadata.map(([key, value]) => `metadata_hash($1, ${bind(key)}, ${bind(value)})`);
    common.push(`t.metadata_hashes @> ARRAY[${hashes.join(', ')}]`);
  }
  if (filter.idempotencyKey !== undefined)
    add(await idOfKey(db, accountId, filter.idempotencyKey), (id) => `t.id = ${id}`);

  const clausesOf = (parts: string[]) => parts.map((part) => [...common, part].join(' AND '));
  if (!isNarrow(filter)) {
    if (!asksForFacets(filter)) return { clauses: [common.join(' AND ')], values };
    const facets = await facetsOf(db, accountId, filter);
    const parts = facets.map(
      (facet) =>
        `t.mode = ${bind(facet.mode)} AND t.status = ${bind(facet.status)}
           AND t.channel = ${bind(facet.channel)}`,
    );
    return { clauses: clausesOf(parts), values };
  }
  add(filter.types, (types) => `t.type = ANY(${types})`);
  add(filter.mode, (mode) => `t.mode = ${mode}`);
  add(filter.status, (status) => `t.status = ${status}`);
  add(filter.channel, (channel) => `t.channel = ${channel}`);
  const eithers: Either[] = [];
  if (filter.msisdn !== undefined) {
    const others = await idsOfEarlierPayer(db, accountId, filter.msisdn);
    eithers.push(either('t.msisdn', bind(filter.msisdn), others, bind));
  }
  if (filter.reference !== undefined) {
    const others = await idsOfReference(db, accountId, filter.reference);
    const value = bind(filter.reference);
    const numbers = await numbersOfReference(db, accountId, filter.reference);
    const paid = numbers.map(
      (number) =>
        `t.number_id = ${bind(number)} AND t.channel_reference <> ${value} AND t.reference <> ${value}`,
    );
    eithers.push([...either('t.channel_reference', value, others, bind), ...paid]);
  }
  const parts = eithers.reduce(
    (made, next) => made.flatMap((part) => next.map((one) => [...part, one])),
    [common],
  );
  return { clauses: parts.map((part) => part.join(' AND ')), values };
}

/** At most one of these conditions holds for a row. */
type Either = string[];

function either(column: string, value: string, ids: string[], bind: (value: unknown) => string): Either {
  const own = `${column} = ${value}`;
  return ids.length === 0 ? [own] : [own, `t.id = ANY(${bind(ids)}) AND ${column} IS DISTINCT FROM ${value}`];
}

/** True if one filter matches so few transactions that the other filters need no index. */
export function isNarrow(filter: TransactionFilter): boolean {
  const { reference, msisdn, metadata, idempotencyKey } = filter;
  return [reference, msisdn, metadata, idempotencyKey].some((value) => value !== undefined);
}

function asksForFacets(filter: TransactionFilter): boolean {
  const { types, mode, status, channel } = filter;
  return (
    (types !== undefined && types.length < transactionTypes.length) ||
    [mode, status, channel].some((value) => value !== undefined)
  );
}

/** An unknown key gives an id that no transaction has. */
async function idOfKey(db: Queryable, accountId: string, key: string): Promise<string> {
  const { rows } = await db.query(
    'SELECT transaction_id AS id FROM idempotency_keys WHERE account_id = $1 AND key = $2',
    [accountId, key],
  );
  return rows[0]?.id ?? '00000000-0000-0000-0000-000000000000';
}

/** more bills of one account than one person ever pays in part */
const EARLIER_PAYER_MAX = 1_000;

/** Finds the newest bills that this number paid in part before another number did. */
async function idsOfEarlierPayer(db: Queryable, accountId: string, msisdn: string): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT t.id FROM bill_receipts r JOIN transactions t ON t.id = r.transaction_id
     WHERE r.msisdn = $2 AND r.outcome = 'accepted' AND t.account_id = $1 AND t.msisdn IS DISTINCT FROM $2
     ORDER BY r.received_at DESC LIMIT ${EARLIER_PAYER_MAX}`,
    [accountId, msisdn],
  );
  return rows.map((row) => row.id);
}

/** Any reference except the channel's matches only a few transactions. */
async function idsOfReference(db: Queryable, accountId: string, reference: string): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT id FROM transactions WHERE account_id = $1 AND reference = $2
     UNION SELECT transaction_id FROM bills WHERE account_id = $1 AND control_number = $2
     UNION SELECT transaction_id FROM bills WHERE account_id = $1 AND payment_number = $2
     UNION SELECT b.transaction_id FROM bill_receipts r JOIN bills b ON b.transaction_id = r.transaction_id
       WHERE b.account_id = $1 AND r.receipt = $2 AND r.outcome = 'accepted' /* never null: id */`,
    [accountId, reference],
  );
  return rows.map((row) => row.id);
}

/** A reference matches at most two standing numbers, but each may have a million payments. */
async function numbersOfReference(db: Queryable, accountId: string, reference: string): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT id FROM numbers WHERE account_id = $1 AND control_number = $2
     UNION SELECT id FROM numbers WHERE account_id = $1 AND customer_reference = $2 /* never null: id */`,
    [accountId, reference],
  );
  return rows.map((row) => row.id);
}

type Facet = { mode: string; status: string; channel: string };

/** Returns the account's modes, statuses and channels that match the filter. */
async function facetsOf(db: Queryable, accountId: string, filter: TransactionFilter): Promise<Facet[]> {
  const { types, mode, status, channel } = filter;
  const { rows } = await db.query(
    `WITH RECURSIVE facet AS (
       (SELECT mode, status, channel FROM transactions WHERE account_id = $1
         ORDER BY mode, status, channel LIMIT 1)
       UNION ALL
       SELECT next.* FROM facet CROSS JOIN LATERAL (
         SELECT t.mode, t.status, t.channel FROM transactions t
         WHERE t.account_id = $1 AND (t.mode, t.status, t.channel) > (facet.mode, facet.status, facet.channel)
         ORDER BY t.mode, t.status, t.channel LIMIT 1) next
     ) SELECT * FROM facet`,
    [accountId],
  );
  return rows.filter(
    (row) =>
      (types === undefined || types.includes(kinds[row.mode as Mode].type)) &&
      (mode ?? row.mode) === row.mode &&
      (status ?? row.status) === row.status &&
      (channel ?? row.channel) === row.channel,
  ) as Facet[];
}
