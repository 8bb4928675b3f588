import { isHard, type TestFile, type Tier, testsAt } from './test-tiers.ts';

/** A mocha process: its files share the servers that the first of them starts. */
export type Shard = { name: string; files: string[]; environment: Record<string, string> };
/** `file` is null where a shard broke off. */
export type Failure = { file: string | null; what: string };
export type Totals = { passed: number; skipped: number; failures: Failure[] };

/**
 * Where a step could take a second connection while it holds the first: accepting, settling, the doors, callbacks. Every
 * file there that uses Postgres runs a second time, with a pool of one.
 */
const ONE_CONNECTION = [
  'test/accounts',
  'test/activities',
  'test/batches',
  'test/callbacks',
  'test/ledger',
  'test/transactions',
  'test/api/cancel.test.ts',
  'test/api/creation.test.ts',
  'test/api/doors/notifications.test.ts',
  'test/workflows/batch.test.ts',
  'test/workflows/payout.test.ts',
  'test/workflows/push.test.ts',
];

/** The shards of a run, the one that takes longest first. Throws when a shard would be empty. */
export function shardsOf(what: string): Shard[] {
  switch (what) {
    case 'quick':
      return parts('quick', 4);
    case 'one-connection':
      return [oneConnection()];
    case 'usual':
      return [
        shard('gateway', inTier('gateway')),
        shard('temporal', inTier('temporal')),
        ...parts('slow', 2),
        ...parts('quick', 4),
      ];
    case 'hard':
      // Two: each has about a processor of its own where there are two, which is enough for a whole Malipo.
      return [...dealt('hard', testsAt('test').filter(isHard), 2), oneConnection()];
    default:
      throw new Error(`"${what}" is none of: usual, hard, quick, one-connection.`);
  }
}

/** The sums, as `N passed, N failed` prints them, and everything that failed. */
export function totalsOf(results: readonly Totals[]): Totals {
  const sum = (name: 'passed' | 'skipped') => results.reduce((total, result) => total + result[name], 0);
  return {
    passed: sum('passed'),
    skipped: sum('skipped'),
    failures: results.flatMap((result) => result.failures),
  };
}

function inTier(tier: Tier): TestFile[] {
  return testsAt('test').filter((test) => test.tier === tier && !isHard(test));
}

function parts(tier: Tier, count: number): Shard[] {
  return dealt(tier, inTier(tier), count);
}

/** Files of one folder take about as long as each other: dealt out in turn, the parts end at about the same time. */
function dealt(name: string, files: readonly TestFile[], count: number): Shard[] {
  return Array.from({ length: count }, (_, part) =>
    shard(
      `${name}-${part + 1}`,
      files.filter((_, index) => index % count === part),
    ),
  );
}

function oneConnection(): Shard {
  const files = testsAt(...ONE_CONNECTION).filter(
    (test) => test.usesPostgres && !test.marks.includes('many connections'),
  );
  return { ...shard('one-connection', files), environment: { TEST_POOL_MAX: '1' } };
}

function shard(name: string, tests: readonly TestFile[]): Shard {
  if (tests.length === 0) throw new Error(`The shard ${name} has no test.`);
  const environment: Record<string, string> = name.startsWith('quick') ? { TEST_TIER: 'quick' } : {};
  return { name, files: tests.map((test) => test.file), environment };
}
