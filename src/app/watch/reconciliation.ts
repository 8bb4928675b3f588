import { readOnce } from '../../base/read-once.ts';
import { DAY_MS, startOfDay } from '../../domain/day.ts';
import { CURRENCY, MINOR_PER_UNIT } from '../../domain/money.ts';
import { ledgerSums, suspenseTotals } from '../../ledger/sums.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import type { GaugeOf, Metrics } from '../../platform/process/metrics.ts';
import { daysOf, type ProvenDay } from '../../reconciliation/days.ts';
import { type Float, floatOf } from '../../reconciliation/float.ts';
import { groupsOf, type Proven, type StatementAccounts } from '../../reconciliation/groups.ts';
import { bookedTwice, itemsOf } from '../../reconciliation/items.ts';

/** Each reading takes weeks of lines, so it is rare, runs alone, and uses a connection of long reads. */
const FRESH_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
/** A day must be proven by this hour of the next one, in Dar es Salaam. */
const PROVEN_BY_HOUR = 10;
/** Lists end here; the entries beyond are younger. */
const OPEN_MAX = 10_000;

type Sample = { labels?: Record<string, string>; value: number };
type Reading = GaugeOf<Sample[]> & { read: (db: Queryable, accounts: Accounts) => Promise<Sample[]> };

type Accounts = {
  statementAccounts: StatementAccounts;
  connectionsOf(channelId: string): string[];
};

const shillings = (amount: number) => amount / MINOR_PER_UNIT;
const of = (account: string, value: number): Sample => ({ labels: { account }, value });
const gauge = (name: string, help: string, read: Reading['read'], labelNames = ['account']): Reading => ({
  name,
  help,
  labelNames,
  read,
  samples: (samples) => samples,
});

const gauges: readonly Reading[] = [
  gauge(
    'statement_days_overdue',
    'Days of a statement account that were not proven by 10:00 of the next day, ' +
      'including days without a statement',
    async (db, { statementAccounts }) => {
      const samples: Sample[] = [];
      for (const group of groupsOf(statementAccounts)) {
        const days = await daysOf(db, group);
        samples.push(
          ...group.map(({ id }) => of(id, overdueOf(days.filter(({ account }) => account === id)))),
        );
      }
      return samples;
    },
  ),
  gauge(
    'statement_items_open',
    'Lines that do not match between statements and our books, for which a person is needed, ' +
      'counted up to 10,000',
    (db, { statementAccounts }) => openItems(db, statementAccounts, (ages) => ages.length),
  ),
  gauge(
    'statement_items_oldest_days',
    'Whole days since the oldest open line moved; 0 if there is none',
    (db, { statementAccounts }) => openItems(db, statementAccounts, (ages) => Math.max(0, ...ages)),
  ),
  gauge(
    'statement_days_contradicted',
    'Days of an account on which the closing balance differs from our books, ' +
      'although no line is open or waiting until then',
    async (db, { statementAccounts }) => {
      const samples: Sample[] = [];
      for (const group of groupsOf(statementAccounts)) {
        const wrong = contradicted(await daysOf(db, group));
        samples.push(...group.map(({ id }) => of(id, wrong.filter(({ account }) => account === id).length)));
      }
      return samples;
    },
  ),
  gauge(
    'statement_booked_twice',
    'Our movements that no statement shows, while a statement shows a suspense item ' +
      'of the same transaction and amount',
    async (db, { statementAccounts }) => {
      const samples: Sample[] = [];
      for (const group of groupsOf(statementAccounts)) {
        const unseen = await itemsOf(db, group, { states: ['open'], class: 'ours_only', limit: OPEN_MAX });
        const twice = new Set(await bookedTwice(db, unseen));
        for (const { id: account } of group)
          samples.push(
            of(account, unseen.filter((one) => one.account === account && twice.has(one.id)).length),
          );
      }
      return samples;
    },
  ),
  gauge(
    'statement_float_tzs',
    'Shillings of an account: its last balance and the movements since, ' +
      'less the money promised to payouts that have not ended',
    async (db, { statementAccounts }) =>
      (await floats(db, statementAccounts)).flatMap(({ account, left }) =>
        left === null ? [] : [of(account, shillings(left))],
      ),
  ),
  gauge(
    'statement_float_low_tzs',
    'Alarm limit of an account in shillings; missing if it has no limit',
    async (_db, { statementAccounts }) =>
      [...statementAccounts.values()].flatMap(({ id, low }) =>
        low === null ? [] : [of(id, shillings(low))],
      ),
  ),
  gauge(
    'statement_float_dry_seconds',
    'Seconds until the money of an account ends, at the rate of its last 24 hours; missing if it does not',
    async (db, { statementAccounts }) =>
      (await floats(db, statementAccounts)).flatMap(({ account, dryAt }) =>
        dryAt === null ? [] : [of(account, Math.max(0, (Date.parse(dryAt) - Date.now()) / 1_000))],
      ),
  ),
  gauge(
    'statement_proven_ratio',
    "Our money at networks and banks by their statements, divided by merchants' money; " +
      'missing if an account has no statement',
    provenRatio,
    [],
  ),
];

/** Shows gauges of statements for each group of accounts proven together. Skips unreadable groups only. */
export function watchReconciliation(
  metrics: Pick<Metrics, 'watchAll'>,
  deps: Accounts & {
    longDatabase: Database;
    log: { warn(fields: object, message: string): void };
    freshMs?: number;
  },
): void {
  const { longDatabase, log, freshMs = FRESH_MS } = deps;
  let queue: Promise<unknown> = Promise.resolve();
  for (const { read, ...rest } of gauges) {
    // A failed reading is not repeated at once: it may have run until the statement timeout.
    const reading = readOnce(
      () => {
        const mine = queue
          .then(() => read(longDatabase, deps))
          .catch((error: unknown) => {
            log.warn({ error, metric: rest.name }, 'a metric of statements is missing');
            return null;
          });
        queue = mine;
        return mine;
      },
      { freshMs },
    );
    metrics.watchAll(async () => (await reading()) ?? [], [rest]);
  }
}

/** Counts days that were not proven by their morning. An account without a statement counts as one. */
function overdueOf(days: readonly ProvenDay[], now = Date.now()): number {
  const today = Date.parse(startOfDay(new Date(now)));
  // End of the last day that should be proven by now.
  const until = now - today >= PROVEN_BY_HOUR * HOUR_MS ? today : today - DAY_MS;
  const startOf = (day: string) => Date.parse(`${day}T00:00:00+03:00`);
  const last = days.at(-1);
  if (!last) return 1;
  const missing = Math.max(0, (until - startOf(last.day)) / DAY_MS - 1);
  return missing + days.filter(({ day, state }) => state === 'open' && startOf(day) < until).length;
}

/**
 * Returns a group's explained days that do not balance, oldest first. A day without a balance proves nothing.
 */
function contradicted(days: readonly ProvenDay[]): ProvenDay[] {
  const open = days.find((one) => one.open > 0)?.day ?? null;
  const unsaid = new Set(days.filter(({ closing }) => closing === null).map(({ day }) => day));
  return days.filter(
    ({ day, holds, isCovered }) => !holds && isCovered && !unsaid.has(day) && (open === null || day < open),
  );
}

async function openItems(
  db: Queryable,
  accounts: StatementAccounts,
  value: (ages: number[]) => number,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const group of groupsOf(accounts))
    for (const { id } of group) {
      const open = await itemsOf(db, group, { states: ['open'], account: id, limit: OPEN_MAX });
      samples.push(of(id, value(open.map(({ ageDays }) => ageDays))));
    }
  return samples;
}

async function floats(db: Queryable, accounts: StatementAccounts): Promise<Float[]> {
  const found: Float[] = [];
  for (const group of groupsOf(accounts)) found.push(...(await floatOf(db, group)));
  return found;
}

/** Compares both sides as of now: the statements with later movements, and our debt to merchants. */
async function provenRatio(db: Queryable, { statementAccounts, connectionsOf }: Accounts): Promise<Sample[]> {
  const sums = await ledgerSums(db, CURRENCY);
  const groups = groupsOf(statementAccounts);
  const books = sums.filter(
    ({ kind, amount }) => (kind === 'clearing' || kind === 'settlement') && amount !== 0,
  );
  if (!books.every(({ kind, channel }) => isCovered(groups, { kind, channel, connectionsOf }))) return [];
  let proven = 0;
  for (const group of groups) {
    const [first] = await floatOf(db, group);
    if (!first || first.left === null) return [];
    proven += first.left + first.promised;
  }
  const owned = sums.filter(({ kind }) => kind === 'available' || kind === 'held' || kind === 'payable');
  const { owed } = await suspenseTotals(db, CURRENCY);
  const merchants = owned.reduce((sum, { amount }) => sum + amount, owed);
  return merchants > 0 ? [{ value: proven / merchants }] : [];
}

function isCovered(
  groups: readonly Proven[],
  book: { kind: string; channel: string | null; connectionsOf: Accounts['connectionsOf'] },
): boolean {
  const code = `${book.kind}:${book.channel ?? ''}:${CURRENCY}`;
  const shown = groups.flatMap(([one]) => (one?.proves.includes(code) ? [one.connections] : []));
  if (shown.includes(null)) return true;
  return shown.length > 0 && book.connectionsOf(book.channel ?? '').every((id) => shown.flat().includes(id));
}
