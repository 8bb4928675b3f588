import {
  type FeeSchedule,
  feesAt,
  feesNamed,
  nextChangeAfter,
  type OwnFees,
  type OwnRows,
  ownPartOf,
} from '../domain/fees.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';

type Row = { version: string | null; rows: unknown; effective_from: string | null };

/** Returns null for the empty row of a LEFT JOIN. */
export function readOwnFees({ version, rows, effective_from }: Row): OwnFees | null {
  if (version === null || effective_from === null) return null;
  return { version, effectiveFrom: effective_from, rows: rows as OwnRows };
}

export type AccountFees = {
  inForce: FeeSchedule;
  /** next schedule, as far as known; null: none is announced */
  next: FeeSchedule | null;
  own: OwnRows;
  /** own rows that begin later, unless new rows replace them before */
  announced: OwnFees | null;
  /** version set last, whenever it begins; the next one replaces it */
  last: string | null;
};

/** Returns the fees that an account pays now, by Postgres's clock, and the next ones. */
export async function feesOf(db: Queryable, accountId: string): Promise<AccountFees> {
  const { rows } = await db.query(
    `SELECT now() AS now, f.version, f.rows, f.effective_from,
       (SELECT version FROM account_fees l WHERE account_id = $1 AND effective_from IS NOT NULL
          AND NOT EXISTS (SELECT FROM account_fees r
            WHERE r.account_id = $1 AND r.replaces = l.version)) AS last
     FROM (VALUES (1)) one LEFT JOIN LATERAL (
       (SELECT version, rows, effective_from FROM account_fees
        WHERE account_id = $1 AND effective_from <= now()
        ORDER BY effective_from DESC, set_at DESC LIMIT 1)
       UNION ALL (SELECT version, rows, effective_from FROM account_fees
        WHERE account_id = $1 AND effective_from > now()
        ORDER BY effective_from, set_at DESC LIMIT 1)) f ON true /* never null: now */`,
    [accountId],
  );
  const [{ now, last }] = rows as [(typeof rows)[number]];
  const all = rows.map(readOwnFees).filter((own) => own !== null);
  const own = all.find(({ effectiveFrom }) => effectiveFrom <= now) ?? null;
  const ownNext = all.find(({ effectiveFrom }) => effectiveFrom > now);
  const changes = [nextChangeAfter(now), ownNext?.effectiveFrom].filter((at) => at != null).sort();
  const [at] = changes;
  return {
    inForce: feesAt(now, own),
    next: at === undefined ? null : feesAt(at, ownNext && ownNext.effectiveFrom <= at ? ownNext : own),
    own: own?.rows ?? {},
    announced: ownNext ?? null,
    last,
  };
}

/** Returns the fees by which a transaction was accepted. Throws if they are not known any more. */
export async function frozenFees(db: Queryable, name: string): Promise<FeeSchedule> {
  return feesNamed(name, await ownFeesIn(db, name));
}

export async function ownFeesIn(db: Queryable, name: string): Promise<OwnFees | null> {
  const version = ownPartOf(name);
  if (version === null) return null;
  const { rows } = await db.query(
    prepared(
      `SELECT version, rows, coalesce(effective_from, set_at) AS effective_from FROM account_fees
       WHERE version = $1`,
    ),
    [version],
  );
  return rows[0] ? readOwnFees(rows[0]) : null;
}

export type NewFees = {
  accountId: string;
  /** the account's own rows; a service without one has the file's fees */
  rows: OwnRows;
  /** ISO 8601; null or past: at once */
  effectiveFrom: string | null;
  /** the last version when they were proposed */
  replaces: string | null;
  proposalId: string;
  actor: Actor;
};

/**
 * Sets an account's own fees for acceptances from their time on, audited. False if other fees were set
 * meanwhile. Call it inside the caller's transaction.
 */
export async function setFees(db: Queryable, fees: NewFees): Promise<boolean> {
  const { accountId, rows, effectiveFrom, replaces, proposalId, actor } = fees;
  const { rows: moments } = await db.query(
    'SELECT greatest(now(), $1::timestamptz) AS at /* never null: at */',
    [effectiveFrom],
  );
  const [{ at }] = moments;
  const { rowCount } = await insert(
    db,
    'account_fees',
    { version: proposalId, account_id: accountId, rows, effective_from: at, replaces, set_at: DEFAULT },
    { onConflict: 'DO NOTHING' },
  );
  if (rowCount === 0) return false;
  const detail = { rows, effective_from: at, replaces, proposal: proposalId };
  await audit(db, { actor, action: 'fees.set', subject: accountId, detail });
  return true;
}

/**
 * Restores an acceptance's fees that this copy lacks, for look-ups by name only: operators must set the
 * current fees again.
 */
export async function keepOwnFees(db: Queryable, accountId: string, own: OwnFees): Promise<void> {
  await insert(
    db,
    'account_fees',
    {
      version: own.version,
      account_id: accountId,
      rows: own.rows,
      effective_from: null,
      replaces: null,
      set_at: DEFAULT,
    },
    { onConflict: 'DO NOTHING' },
  );
}
