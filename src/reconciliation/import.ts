import { randomUUID } from 'node:crypto';
import type { KeyRing } from '../base/key-ring.ts';
import { DAY_MS, startOfDay } from '../domain/day.ts';
import { conflict } from '../domain/errors.ts';
import type { Minor } from '../domain/money.ts';
import { type Actor, audit, nameOf } from '../platform/db/audit.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';
import { fenceOf } from '../transactions/care/fence.ts';
import { classify } from './classify.ts';
import { lockAccount, tryLockAccount } from './closed-days.ts';
import { prove } from './continuity.ts';
import { type AccountInUse, explain, explainOpening, sidesOf } from './explain.ts';
import type { ReadFile } from './formats/read.ts';
import { openLinesOf, unexplained } from './open-lines.ts';
import { openingLine } from './opening-line.ts';
import { createSeal, ownerOfLine } from './sealing.ts';
import { MAY_BE_SWAPPED, refuseFile, requireOwn, type Statement } from './statement.ts';
import { type NewLine, type Period, placeLines, placeList, readKnown } from './stored-chain.ts';

/** Counts lines by the pass that explained them, or as `waiting`, `changed`, `failed`. */
type ImportOutcome = {
  lines: number;
  added: number;
  known: number;
  classes: Record<string, number>;
  notes: string[];
};

export type Imported = {
  id: string;
  account: string;
  /** true: these bytes were imported before, with this outcome */
  isRepeated: boolean;
  outcome: ImportOutcome;
  /** pending transactions that it concerns: after the commit their workflows ask the channel */
  hinted: string[];
};

const LINES_PER_INSERT = 5_000;
const TIMEOUT_MS = 120_000;

/**
 * Imports a statement in one Postgres transaction, all or nothing: proves it against what is stored, inserts,
 * matches and books its lines. Known bytes or lines change nothing. Ends no transaction. Throws
 * StatementRefused for a wrong file, `conflict` while the fence is closed.
 */
export async function importStatement(
  database: Database,
  input: {
    account: AccountInUse;
    keys: KeyRing;
    actor: Actor;
    now?: Date;
  } & ReadFile,
): Promise<Imported> {
  const { account, statement, sha256, raw, keys, actor, now = new Date() } = input;
  requireOwn(account, statement);
  const proven = prove(statement);
  const period = periodOf(statement, now);
  return inTransaction(database, async (db) => {
    await db.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
    await lockAccount(db, account.id);
    const fence = await fenceOf(db);
    if (fence !== null)
      throw conflict(
        `No statement is imported before recover has run: Postgres does not remember what it did (${fence})`,
      );
    const repeated = await findImported(db, account.id, sha256);
    if (repeated) return { ...repeated, account: account.id, isRepeated: true, hinted: [] };
    const id = `st_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const seal = createSeal(keys, id);
    const known = await readKnown(db, { account: account.id, period, lines: proven.lines });
    const place = statement.isFetched ? placeList : placeLines;
    const { added, opening, closing } = place(proven, { account: account.id, period, known });
    const store = (lines: NewLine[]) => insertLines(db, { id, account: account.id, seal, lines });
    await store(await classify(db, account.id, added));
    const hinted = await explain(db, account, await unexplained(db, { account: account.id, statement: id }));
    const first =
      known.last === null
        ? await openingLine(db, { sides: sidesOf(account), account, opening, period })
        : null;
    if (first) {
      await store([first]);
      await explainOpening(db, account, id);
    }
    const outcome = {
      lines: statement.lines.length,
      added: added.length,
      known: statement.lines.length - added.length,
      classes: await classesOf(db, id),
      notes: notesOf(statement, { last: known.last?.to ?? null, isProven: closing !== null }),
    };
    await insertStatement(db, {
      id,
      account: account.id,
      sha256,
      period,
      currency: account.currency,
      opening,
      closing,
      isFirst: known.last === null,
      outcome,
      dataKey: seal.dataKey,
      // A file with an erased payer is not kept, so it cannot bring that data back.
      raw: known.isErased ? null : seal.seal(raw, id),
      importedBy: nameOf(actor),
    });
    const detail = { account: account.id, from: period.from, to: period.to, ...outcome };
    await audit(db, { actor, action: 'statements.imported', subject: id, detail });
    return { id, account: account.id, isRepeated: false, outcome, hinted };
  });
}

/**
 * Explains waiting lines if a movement of ours came or the grace period is over. Cheap if no line waits. Does
 * nothing while another transaction works on the account, or the fence is closed. Idempotent. `explained`
 * counts lines; `hinted` as in an import.
 */
export function matchAgain(
  database: Database,
  account: AccountInUse,
): Promise<{ explained: number; hinted: string[] }> {
  return inTransaction(database, async (db) => {
    const none = { explained: 0, hinted: [] };
    if ((await unexplained(db, { account: account.id })).ids.length === 0) return none;
    if (!(await tryLockAccount(db, account.id)) || (await fenceOf(db)) !== null) return none;
    const lines = await unexplained(db, { account: account.id });
    const sides = { ...sidesOf(account, lines), connection: account.connection };
    const open = await openLinesOf(db, sides);
    if (!open.some(({ isDue }) => isDue)) return none;
    const hinted = await explain(db, account, lines);
    return { explained: open.length - (await openLinesOf(db, sides)).length, hinted };
  });
}

const NOTES_MAX = 20;

/** `last`: how far earlier statements reach. */
function notesOf(
  { parts = [], lines }: Statement,
  { last, isProven }: { last: Date | null; isProven: boolean },
): string[] {
  const known = parts.filter(({ to }) => last !== null && to <= last);
  const unproven = isProven ? [] : lines.filter(({ status }) => status === 'failed');
  const notes = [
    ...known.map(({ name }) => `the statement ${name} was imported before, and is passed over`),
    ...unproven.map(
      ({ no }) =>
        `line ${no} moved nothing by its status, and no balance in the file proves it: ` +
        'its day is unproven until a statement after it is',
    ),
  ];
  const more = notes.length - NOTES_MAX;
  return more > 0 ? [...notes.slice(0, NOTES_MAX), `${more} more notes`] : notes;
}

/** Returns the statement's period, else its lines' days. It never ends after now, because more may come. */
function periodOf({ period, lines }: Statement, now: Date): Period {
  if (period === null && lines.length === 0)
    refuseFile('it has no lines and does not say which days it is of', 'download more days with it');
  const times = lines.map(({ at }) => at.getTime());
  const earliest = times.reduce((least, time) => Math.min(least, time), Infinity);
  const latest = times.reduce((most, time) => Math.max(most, time), -Infinity);
  if (latest > now.getTime() + DAY_MS) refuseFile('it has lines of days to come', MAY_BE_SWAPPED);
  const from = period?.from ?? new Date(startOfDay(new Date(earliest)));
  const end = period?.to.getTime() ?? Date.parse(startOfDay(new Date(latest))) + DAY_MS;
  const to = new Date(Math.max(Math.min(end, now.getTime()), latest + 1));
  if (from >= to) refuseFile('it is of days to come', MAY_BE_SWAPPED);
  return { from, to };
}

async function findImported(
  db: Queryable,
  account: string,
  sha256: Uint8Array,
): Promise<{ id: string; outcome: ImportOutcome } | null> {
  const { rows } = await db.query(
    'SELECT id, outcome FROM statements WHERE account = $1 AND sha256 = $2 AND voided_by IS NULL',
    [account, sha256],
  );
  return (rows[0] as { id: string; outcome: ImportOutcome } | undefined) ?? null;
}

type StoredStatement = {
  id: string;
  account: string;
  sha256: Uint8Array;
  period: Period;
  currency: string;
  opening: Minor | null;
  closing: Minor | null;
  isFirst: boolean;
  outcome: ImportOutcome;
  dataKey: Buffer;
  raw: Buffer | null;
  importedBy: string;
};

async function insertStatement(db: Queryable, one: StoredStatement): Promise<void> {
  await insert(db, 'statements', {
    id: one.id,
    account: one.account,
    sha256: one.sha256,
    from_at: one.period.from,
    to_at: one.period.to,
    currency: one.currency,
    opening: one.opening,
    closing: one.closing,
    is_first: one.isFirst,
    outcome: one.outcome,
    data_key: one.dataKey,
    raw: one.raw,
    imported_by: one.importedBy,
    imported_at: DEFAULT,
    voided_by: null,
    voided_at: null,
  });
}

type Stored = { id: string; account: string; seal: ReturnType<typeof createSeal>; lines: readonly NewLine[] };

async function insertLines(db: Queryable, { lines, ...of }: Stored): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_PER_INSERT)
    await insertSome(db, { ...of, lines: lines.slice(from, from + LINES_PER_INSERT) });
}

async function insertSome(db: Queryable, of: Stored): Promise<void> {
  const { id, account, seal, lines } = of;
  const column = <Name extends keyof NewLine>(name: Name) => lines.map((line) => line[name]);
  await db.query(
    `INSERT INTO statement_lines (statement_id, account, no, position, key, receipt, kind, status, amount,
       currency, at, day, late_for,
       reference, names, also_known_as, sweep_to, balance_after, running, finding, sealed)
     SELECT $1, $2, no, position, key, receipt, kind, status, amount, currency, at, day, late_for, reference,
       ARRAY(SELECT jsonb_array_elements_text(names)), ARRAY(SELECT jsonb_array_elements_text(numbers)),
       sweep_to, balance_after, running, finding, sealed
     FROM unnest($3::int[], $4::bigint[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::bigint[],
       $10::text[], $11::timestamptz[],
       $12::text[]::date[], $13::text[]::date[], $14::text[], $15::jsonb[], $16::text[], $17::bigint[],
       $18::bigint[], $19::text[], $20::bytea[], $21::jsonb[])
       AS one (no, position, key, receipt, kind, status, amount, currency, at, day, late_for, reference,
         names, sweep_to, balance_after, running, finding, sealed, numbers)`,
    [
      id,
      account,
      column('no'),
      column('position'),
      column('key'),
      column('receipt'),
      column('kind'),
      column('status'),
      column('amount'),
      column('currency'),
      column('at'),
      column('day'),
      column('lateFor'),
      column('reference'),
      lines.map(({ names }) => JSON.stringify(names)),
      column('sweepTo'),
      column('balanceAfter'),
      column('running'),
      column('finding'),
      lines.map(({ no, personal }) => (personal === null ? null : seal.seal(personal, ownerOfLine(id, no)))),
      lines.map(({ alsoKnownAs = [] }) => JSON.stringify(alsoKnownAs)),
    ],
  );
}

async function classesOf(db: Queryable, statementId: string): Promise<Record<string, number>> {
  const { rows } = await db.query(
    `SELECT CASE WHEN l.status <> 'done' THEN l.status WHEN l.amount = 0 THEN 'nothing'
         ELSE coalesce((SELECT min(m.pass) FROM line_matches m WHERE m.line_id = l.id), l.finding,
           'waiting') END AS class, count(*)::int AS count
     FROM statement_lines l WHERE l.statement_id = $1 GROUP BY 1 ORDER BY 1 /* never null: class, count */`,
    [statementId],
  );
  return Object.fromEntries(rows.map((row) => [row.class, row.count]));
}
