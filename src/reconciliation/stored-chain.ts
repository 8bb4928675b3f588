import { createHash } from 'node:crypto';
import { dayOf } from '../domain/day.ts';
import { type Minor, minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { differentOpening, type ProvenLine, type ProvenStatement } from './continuity.ts';
import { type LineKind, type LineStatus, MAY_BE_SWAPPED, refuseFile, StatementRefused } from './statement.ts';

const OR_VOID = 'download the file again, or void the statement before it if that one was wrong';

/** Finds where a statement continues the stored ones of its account. */

/** `from` is inclusive, `to` exclusive. */
export type Period = { from: Date; to: Date };

/** `personal`: the line's personal data, sealed before it is stored. */
export type NewLine = {
  no: number;
  position: number;
  key: Buffer;
  receipt: string | null;
  kind: LineKind | 'opening';
  status: LineStatus;
  amount: Minor;
  currency: string;
  at: Date;
  /** YYYY-MM-DD in Dar es Salaam */
  day: string;
  lateFor: string | null;
  reference: string | null;
  names: readonly string[];
  alsoKnownAs?: readonly string[];
  sweepTo: string | null;
  balanceAfter: Minor | null;
  running: Minor | null;
  finding: 'twice' | 'changed' | null;
  personal: string | null;
};

type Known = {
  /** end of the account's statements; null: none was imported */
  last: { to: Date; balance: Minor | null; position: number; key: string | null; day: string | null } | null;
  /** hex keys of this statement's lines that are stored already */
  keys: ReadonlySet<string>;
  /** number of stored lines within its period that moved money, and the balance before the first */
  within: number;
  before: Minor | null;
  /** sum over these lines */
  moved: Minor;
  /** true if people in this statement were erased; `erased`: receipts of lines that named them */
  isErased: boolean;
  erased: ReadonlySet<string>;
};

/** Gives a line the same key in every file; equal lines differ by their order. */
function keysOf(account: string, lines: readonly ProvenLine[]): Buffer[] {
  const seen = new Map<string, number>();
  return lines.map(({ line: { receipt, kind, status, amount, currency, at, balanceAfter } }) => {
    const said = [account, receipt, kind, status, amount, currency, at.getTime(), balanceAfter];
    const key = JSON.stringify(said);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return createHash('sha256').update(`${key} ${nth}`).digest();
  });
}

export async function readKnown(
  db: Queryable,
  { account, period, lines }: { account: string; period: Period; lines: readonly ProvenLine[] },
): Promise<Known> {
  const keys = keysOf(account, lines);
  const stored = await db.query(
    `SELECT encode(key, 'hex') AS key FROM statement_lines
     WHERE account = $1 AND NOT is_void AND key = ANY($2::bytea[]) /* never null: key */`,
    [account, keys],
  );
  const last = await db.query(
    `SELECT s.to_at AS to, coalesce((SELECT max(position) FROM statement_lines
       WHERE account = $1 AND NOT is_void), 0)::bigint AS position,
       (SELECT coalesce(
         (SELECT l.running FROM statement_lines l
           WHERE l.account = $1 AND NOT l.is_void AND l.running IS NOT NULL ORDER BY l.position DESC LIMIT 1),
         (SELECT f.closing FROM statements f WHERE f.account = $1 AND f.voided_by IS NULL
           ORDER BY f.to_at DESC LIMIT 1))) AS balance,
       (SELECT encode(l.key, 'hex') FROM statement_lines l
         WHERE l.account = $1 AND NOT l.is_void AND l.status = 'done'
         ORDER BY l.position DESC LIMIT 1) AS key,
       (SELECT l.day::text FROM statement_lines l WHERE l.account = $1 AND NOT l.is_void AND l.status = 'done'
         ORDER BY l.position DESC LIMIT 1) AS day
     FROM statements s WHERE s.account = $1 AND s.voided_by IS NULL
     ORDER BY s.to_at DESC LIMIT 1 /* never null: to, position */`,
    [account],
  );
  const within = await db.query(
    `SELECT count(*)::int AS count, (array_agg(running - amount ORDER BY position))[1] AS before,
       coalesce(sum(amount), 0)::bigint AS moved FROM statement_lines
     WHERE account = $1 AND NOT is_void AND day >= ($2::timestamptz AT TIME ZONE 'Africa/Dar_es_Salaam')::date
       AND at >= $2 AND at < $3 AND status = 'done' AND kind <> 'opening' /* never null: count, moved */`,
    [account, period.from, period.to],
  );
  const erased = await db.query(
    `SELECT DISTINCT receipt FROM statement_lines
     WHERE account = $1 AND sealed IS NULL AND no > 0
       AND (receipt = ANY($2) OR NOT is_void AND key = ANY($3::bytea[]))`,
    [account, lines.flatMap(({ line }) => line.receipt ?? []), keys],
  );
  const [row] = last.rows;
  return {
    last: row ? { ...row, to: new Date(row.to), balance: row.balance as Minor | null } : null,
    keys: new Set(stored.rows.map(({ key }) => key)),
    within: within.rows[0]?.count ?? 0,
    before: (within.rows[0]?.before ?? null) as Minor | null,
    moved: (within.rows[0]?.moved ?? 0) as Minor,
    isErased: erased.rows.length > 0,
    erased: new Set(erased.rows.flatMap(({ receipt }) => receipt ?? [])),
  };
}

type Place = { account: string; period: Period; known: Known };
type Placed = { added: NewLine[]; opening: Minor | null; closing: Minor | null };

/** Returns new lines in their places. Throws StatementRefused if they do not continue what is stored. */
export function placeLines(proven: ProvenStatement, { account, period, known }: Place): Placed {
  const { each, isKnown } = keyed(proven, account, known);
  const done = each.filter(({ line }) => line.status === 'done');
  if (known.last !== null) {
    checkShown(known.last, { period, known, again: done.filter(isKnown).length });
    if (proven.opening !== null) checkChain(proven.opening, { done, known, last: known.last, isKnown });
  }
  return { ...proven, added: each.filter((one) => !isKnown(one)).map(newLines(known)) };
}

/**
 * Places a list that has no balance per line but ends with the current balance, and covers the stored lines.
 * A new line older than the last one still comes last in the chain; `lateFor` keeps its day.
 */
export function placeList(proven: ProvenStatement, place: Place): Placed {
  const { account, period, known } = place;
  const { last } = known;
  if (last === null || period.to < last.to) return placeLines(proven, place);
  const { each, isKnown } = keyed(proven, account, known);
  const isDone = ({ line }: ProvenLine) => line.status === 'done';
  checkShown(last, { period, known, again: each.filter((one) => isDone(one) && isKnown(one)).length });
  const { opening, closing } = proven;
  if (opening !== null && last.balance !== null) {
    const expected = minor(last.balance - known.moved);
    if (opening !== expected) throw new GoesNotOn(`${differentOpening(opening, expected)}: ${OR_VOID}`);
  }
  const news = each.filter((one) => !isKnown(one));
  const sum = news.reduce((total, one) => total + (isDone(one) ? one.line.amount : 0), 0);
  let running = closing === null ? null : minor(closing - sum);
  const placed = news.map((one) => {
    if (running === null || !isDone(one)) return { ...one, running: null };
    running = minor(running + one.line.amount);
    return { ...one, running };
  });
  const added = placed.map(newLines(known)).map((line) => {
    if (line.running === null || last.day === null || line.day >= last.day) return line;
    return { ...line, day: last.day, lateFor: line.day };
  });
  return { opening, closing, added };
}

/** The list does not continue what is stored: an earlier entry may have come late. */
export class GoesNotOn extends StatementRefused {}

function keyed({ lines }: ProvenStatement, account: string, known: Known) {
  const keys = keysOf(account, lines);
  return {
    each: lines.map((one, index): Keyed => ({ ...one, key: keys[index] as Buffer })),
    isKnown: ({ key }: Keyed) => known.keys.has(key.toString('hex')),
  };
}

function checkShown(
  last: NonNullable<Known['last']>,
  { period, known, again }: { period: Period; known: Known; again: number },
): void {
  if (period.from > last.to)
    refuseFile(
      `it begins at ${period.from.toISOString()}, ` +
        `but the statements before it end at ${last.to.toISOString()}`,
      `import what is between them first, or ${MAY_BE_SWAPPED}`,
    );
  if (again !== known.within)
    refuseFile(
      `statements before it show ${known.within} lines within its period, and it has ${again} of them`,
      OR_VOID,
    );
}

function newLines({ last, erased }: Known): (one: Keyed) => NewLine {
  let position = last?.position ?? 0;
  return ({ line, running, key }) => {
    position += 1;
    const { raw, text, party, ...kept } = line;
    const isErased = line.receipt !== null && erased.has(line.receipt);
    return {
      ...kept,
      reference: isErased ? null : line.reference,
      position,
      key,
      running,
      day: dayOf(line.at),
      lateFor: null,
      finding: null,
      personal: isErased ? null : JSON.stringify({ raw, text, party }),
    };
  };
}

type Keyed = ProvenLine & { key: Buffer };

function checkChain(
  opening: Minor,
  of: {
    done: readonly Keyed[];
    known: Known;
    last: NonNullable<Known['last']>;
    isKnown(one: Keyed): boolean;
  },
): void {
  const { done, known, last, isKnown } = of;
  const firstNew = done.findIndex((one) => !isKnown(one));
  const stranger = done.findIndex((one, index) => firstNew !== -1 && index > firstNew && isKnown(one));
  if (stranger !== -1)
    refuseFile(
      `line ${done[firstNew]?.line.no}: it is new, ` +
        `but line ${done[stranger]?.line.no} after it was imported before`,
      OR_VOID,
    );
  const [first] = done;
  const expected = first && isKnown(first) ? known.before : known.within > 0 ? known.before : last.balance;
  if (expected !== null && expected !== opening) refuseFile(differentOpening(opening, expected), OR_VOID);
  const lastKnown = firstNew > 0 ? done[firstNew - 1] : undefined;
  if (lastKnown && lastKnown.key.toString('hex') !== last.key)
    refuseFile(
      `line ${done[firstNew]?.line.no}: it is new, ` +
        `but line ${lastKnown.line.no} before it is not the last one that was imported`,
      OR_VOID,
    );
}
