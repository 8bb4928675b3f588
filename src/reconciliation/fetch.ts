import { setTimeout as pause } from 'node:timers/promises';
import type { KeyRing } from '../base/key-ring.ts';
import type { StatementSource } from '../channels/kit/statement-source.ts';
import { DAY_MS, startOfDay } from '../domain/day.ts';
import type { Minor } from '../domain/money.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import type { AccountInUse } from './explain.ts';
import { STATEMENT_LINES_MAX } from './formats/bytes.ts';
import { balanceIn, type FetchedStatement } from './formats/fetched.ts';
import { readStatement } from './formats/read.ts';
import type { StatementAccounts } from './groups.ts';
import { type Imported, importStatement } from './import.ts';
import { StatementRefused } from './statement.ts';
import { GoesNotOn } from './stored-chain.ts';

const FETCH = 'fetch';
/** An answer has at most 256 KiB, and an entry seldom more than 1 KiB. */
const PAGE = 200;
const CALL_TIMEOUT_MS = 20_000;
/** attempts to read balance and list without a movement between them */
const TRIES = 5;
const TRY_AGAIN_MS = 2_000;
/** longer than the server's own limit for an import's query */
export const IMPORT_QUERY_MS_MAX = 130_000;

type FetchOptions = {
  account: AccountInUse;
  source: StatementSource;
  keys: KeyRing;
  /** younger entries may still change at the network, so the next fetch reads them */
  settleMs: number;
  now?: Date;
  signal?: AbortSignal;
};

/** days to go back if a list does not continue what is stored */
const AGAIN_DAYS = [0, 1, 8];

/**
 * Fetches a network's entries since the last statement and imports them like a file. If the balance moved by
 * more than these entries, an older one came late, so it also reads the days before. Null: nothing to fetch
 * yet. Throws if the network does not answer, StatementRefused if its answers contradict what is stored,
 * `conflict` while the fence is closed; then nothing is stored.
 */
export async function fetchStatement(database: Database, options: FetchOptions): Promise<Imported | null> {
  const { account, settleMs, now = new Date() } = options;
  // Some networks count in whole seconds.
  const to = new Date(Math.floor((now.getTime() - settleMs) / 1_000) * 1_000);
  const { last, floor } = await reachOf(database, account.id);
  const from = last ?? new Date(startOfDay(to));
  if (from >= to) return null;
  const begins = AGAIN_DAYS.map((days) =>
    Math.max(from.getTime() - days * DAY_MS, (floor ?? from).getTime()),
  );
  let refused: StatementRefused | null = null;
  for (const again of [...new Set(begins)].map((time) => new Date(time))) {
    try {
      return await fetchSince(database, { ...options, now }, { again, from, to });
    } catch (error) {
      if (!(error instanceof StatementRefused)) throw error;
      refused ??= error;
      if (!(error instanceof GoesNotOn)) break;
    }
  }
  throw refused;
}

async function fetchSince(
  database: Database,
  options: FetchOptions & { now: Date },
  { again, from, to }: Between & { again: Date },
): Promise<Imported | null> {
  const { account, keys, now } = options;
  const document: FetchedStatement = {
    theirs: account.theirs,
    from: again.toISOString(),
    to: to.toISOString(),
    ...(again < from ? { again: from.toISOString() } : {}),
    entries: await list(options, { from: again, to }),
    ...(await laterEntries(options, { from: to, to: dayAfter(now) })),
  };
  // The document contains the requested period, so two empty days are two statements.
  const read = await readStatement(account, Buffer.from(JSON.stringify(document)));
  const { period } = read.statement;
  // The first entry is still pending.
  if (period !== null && period.from >= period.to) return null;
  return importStatement(database, { account, ...read, keys, actor: FETCH, now });
}

type Between = { from: Date; to: Date };

/** The network's clock may be ahead of ours. */
const dayAfter = (now: Date) => new Date(now.getTime() + DAY_MS);

/**
 * Reads later entries and the balance after them. Throws unless the balance is the same before and after the
 * list: otherwise nothing is proven.
 */
async function laterEntries(
  options: FetchOptions,
  between: Between,
): Promise<Pick<FetchedStatement, 'later' | 'balance'>> {
  const { source, account, signal } = options;
  let before = await source.balance(account.theirs, callOf(options));
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await pause(TRY_AGAIN_MS, null, signal ? { signal } : {});
    const later = await list(options, between);
    const balance = await source.balance(account.theirs, callOf(options));
    if (balance === before) return { later, balance };
    before = balance;
  }
  throw new Error(`${account.id}: its balance changes whenever it is asked for`);
}

/** Reads all pages. Throws if the list changes meanwhile, because an entry might be missing. */
async function list(options: FetchOptions, between: Between): Promise<unknown[]> {
  const { source, account } = options;
  const entries: unknown[] = [];
  let all: number | null = null;
  let last = '';
  for (;;) {
    const page = await source.page(
      { theirs: account.theirs, ...between, limit: PAGE, offset: entries.length },
      callOf(options),
    );
    if (all !== null && page.available !== all)
      throw new Error(`${account.id}: its list had ${all} entries, and now ${page.available}`);
    all = page.available;
    const text = JSON.stringify(page.entries);
    if (page.entries.length > 0 && text === last) throw new Error(`${account.id}: the same page came twice`);
    last = text;
    entries.push(...page.entries);
    if (entries.length > STATEMENT_LINES_MAX)
      throw new StatementRefused(`it has more than ${STATEMENT_LINES_MAX} entries: import it as files`);
    // A source without a total may give fewer than requested.
    if (page.entries.length === 0 || entries.length === all) break;
  }
  if (all !== null && entries.length !== all)
    throw new Error(`${account.id}: its list has ${all} entries, and ${entries.length} came`);
  return entries;
}

const callOf = ({ signal }: FetchOptions) => ({ timeoutMs: CALL_TIMEOUT_MS, ...(signal ? { signal } : {}) });

/**
 * `last`: end of the account's statements; if all are void, their start, to fetch them again. `floor`: where
 * fetched statements begin; a file's lines before it look different in the network's list.
 */
async function reachOf(db: Queryable, account: string): Promise<{ last: Date | null; floor: Date | null }> {
  const { rows } = await db.query(
    `SELECT coalesce((SELECT max(to_at) FROM statements WHERE account = $1 AND voided_by IS NULL),
       (SELECT min(from_at) FROM statements WHERE account = $1)) AS last,
       coalesce((SELECT max(to_at) FROM statements
         WHERE account = $1 AND voided_by IS NULL AND imported_by <> $2),
         (SELECT min(from_at) FROM statements WHERE account = $1 AND voided_by IS NULL)) AS floor`,
    [account, FETCH],
  );
  const { last = null, floor = null } = rows[0] ?? {};
  return { last: last === null ? null : new Date(last), floor: floor === null ? null : new Date(floor) };
}

/** This is short, because a person waits for the answer. */
const ASKED_MS_MAX = 5_000;

/** Asks networks for their current balances, by account. Leaves out those that do not answer in time. */
export async function balancesNow(
  accounts: StatementAccounts,
  sources: ReadonlyMap<string, StatementSource>,
): Promise<Map<string, Minor>> {
  const asked = [...sources].map(async ([id, source]): Promise<[string, Minor][]> => {
    const shown = await source.balance(accounts.get(id)?.theirs ?? '', { timeoutMs: ASKED_MS_MAX });
    return shown === null ? [] : [[id, balanceIn(shown)]];
  });
  return new Map((await Promise.all(asked.map((one) => one.catch(() => [])))).flat());
}
