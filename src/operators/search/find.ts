import { type Listed, readList } from '../../platform/db/listing.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { queryUnlisted } from '../../platform/db/unlisted.ts';
import { type Case, casesOf } from './cases.ts';
import { findOthers, lookedForBeside, type Others } from './find-others.ts';
import { type Source, sources } from './find-sources.ts';
import { findNear, type Near } from './near.ts';
import { type PaymentsMeant, paymentsMeant } from './payments-meant.ts';

export type Found = Listed<Case & { matched: string[] }> & Others & Missed;

/**
 * `payments`: filters, if an amount was typed; `near`: guesses; `lookedFor`: the kinds that were searched.
 */
type Missed = { near: Near[]; lookedFor: string[]; payments: PaymentsMeant | null };

/** People find older hits with more exact words. */
export const HITS_MAX = 20;
/** Hits are counted up to this limit, per kind of identifier. */
const COUNTED_MAX = 1_000;

/** Uses one index for each kind. Throws `validation_failed` after 2 s. */
export async function find(database: Database, text: string): Promise<Found> {
  const found = await findExactly(database, text);
  const payments = paymentsMeant(text);
  if (payments !== null || found.items.length + found.others.length + found.merchants.length > 0)
    return { ...found, near: [], lookedFor: [], payments };
  const read = sources.filter(({ read }) => read(text) !== null).map(({ what }) => what);
  return {
    ...found,
    near: await findNear(database, text),
    lookedFor: [...read, ...lookedForBeside],
    payments,
  };
}

function findExactly(database: Database, text: string): Promise<Omit<Found, keyof Missed>> {
  return readList(database, async (db) => {
    const others = await findOthers(db, text);
    const matched = new Map<string, string[]>();
    let totalIsMinimum = false;
    for (const source of sources) {
      const ids = await idsOf(db, source, text);
      if (ids.length > COUNTED_MAX) totalIsMinimum = true;
      for (const id of ids.slice(0, COUNTED_MAX)) matched.set(id, [...(matched.get(id) ?? []), source.what]);
    }
    const ofMerchants = await newestOfMerchants(db, others);
    if (ofMerchants.length > HITS_MAX) totalIsMinimum = true;
    for (const id of ofMerchants) if (!matched.has(id)) matched.set(id, ['merchant']);
    const newest = await newestOf(db, [...matched.keys()]);
    const cases = await casesOf(db, newest);
    const items = cases.map((one) => ({ ...one, matched: matched.get(one.transaction.id) ?? [] }));
    return { ...others, items, total: matched.size, totalIsMinimum };
  });
}

async function idsOf(db: Queryable, { read, ids }: Source, text: string): Promise<string[]> {
  const value = read(text);
  if (value === null) return [];
  const distinct = `SELECT DISTINCT id FROM (${ids}) found WHERE id IS NOT NULL`;
  const { rows } = await queryUnlisted<{ id: string }>(db, 'what is searched', distinct, [
    value,
    COUNTED_MAX + 1,
  ]);
  return rows.map((row) => row.id);
}

async function newestOfMerchants(db: Queryable, { merchants }: Others): Promise<string[]> {
  if (merchants.length === 0) return [];
  const { rows } = await db.query(
    `SELECT newest.id FROM unnest($1::uuid[]) AS merchant (id) CROSS JOIN LATERAL (
       SELECT t.id FROM transactions t WHERE t.account_id = merchant.id
       ORDER BY t.created_at DESC, t.id DESC LIMIT $2) newest`,
    [merchants.map(({ id }) => id), HITS_MAX + 1],
  );
  return rows.map((row) => row.id);
}

async function newestOf(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query(
    'SELECT id FROM transactions WHERE id = ANY($1::uuid[]) ORDER BY created_at DESC, id DESC LIMIT $2',
    [ids, HITS_MAX],
  );
  return rows.map((row) => row.id);
}
