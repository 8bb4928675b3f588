import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isHard, isLong, type TestFile, type Tier, testsAt } from './test-tiers.ts';

/** A mocha process: its files share the servers that the first of them starts. `seconds`: as long as it took before. */
export type Shard = { name: string; files: string[]; seconds: number; environment: Record<string, string> };

/** Seconds of each file in the run that noted them last: `npm test -- --keep-times`. */
export const timesFile = fileURLToPath(new URL('../test/times.json', import.meta.url));

/** Longer shards than this would leave a processor without work at the end of a run; each loads the sources anew, in 3 s. */
const SHARD_SECONDS = 150;

/**
 * Where a step could take a second connection while it holds the first: accepting, settling, the doors, callbacks. What does
 * one thing after the other there runs with a pool of one. A race runs with one, too (`itRaced`, test/support/at-once.ts).
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
      return inTier('quick', everyTest());
    case 'usual':
      return usual(everyTest());
    case 'hard':
      return longestFirst(
        [
          // Together, because they share one Malipo, too.
          shard('attack', everyTest().filter(isAttack)),
          ...inParts(
            'hard',
            everyTest().filter((test) => isHard(test) && !isAttack(test)),
          ),
          ...inParts(
            'generated-gateway',
            everyTest().filter((test) => isGenerated(test) && test.tier === 'gateway'),
          ),
          ...inParts(
            'generated',
            everyTest().filter((test) => isGenerated(test) && test.tier !== 'gateway'),
          ),
        ].map((each) => withEnvironment(each, { TEST_GENERATED: 'third' })),
      );
    case 'all':
      // Of what is generated the hard tests run more cases than the usual ones.
      return longestFirst([...usual(everyTest().filter((test) => !isGenerated(test))), ...shardsOf('hard')]);
    case 'generated':
      return inParts(
        'generated',
        everyTest().filter(({ marks }) => marks.includes('generated')),
      ).map((each) => withEnvironment(each, { TEST_GENERATED: 'whole' }));
    case 'long':
      return inParts('long', everyTest().filter(isLong));
    default:
      throw new Error(`"${what}" is none of: usual, hard, all, long, quick, generated.`);
  }
}

const isAttack = ({ file }: TestFile) => file.startsWith('test/attack/');
/** Once more, with more of its cases. */
const isGenerated = (test: TestFile) => test.marks.includes('generated') && !isHard(test) && !isLong(test);
const isUsual = (tier: Tier) => (test: TestFile) => test.tier === tier && !isHard(test) && !isLong(test);

const isOfOneConnection = (test: TestFile) =>
  test.usesPostgres &&
  !test.doesAtOnce &&
  !test.marks.includes('many connections') &&
  ONE_CONNECTION.some((place) => test.file === place || test.file.startsWith(`${place}/`));

function usual(all: readonly TestFile[]): Shard[] {
  return longestFirst([
    // Together, because they share one Malipo.
    shard('gateway', all.filter(isUsual('gateway'))),
    ...(['temporal', 'slow', 'quick'] as const).flatMap((tier) => inTier(tier, all)),
  ]);
}

function inTier(tier: Tier, all: readonly TestFile[]): Shard[] {
  const tests = all.filter(isUsual(tier));
  return longestFirst([
    ...inParts(
      tier,
      tests.filter((test) => !isOfOneConnection(test)),
    ),
    ...withOneConnection(`${tier}-one-connection`, tests.filter(isOfOneConnection)),
  ]);
}

let all: TestFile[] | undefined;
function everyTest(): TestFile[] {
  all ??= testsAt('test');
  return all;
}

/** Each file, longest first, goes to the part that has least to do: all parts end at about the same time. */
function inParts(name: string, tests: readonly TestFile[]): Shard[] {
  const total = secondsOf(tests.map(({ file }) => file));
  const parts: { seconds: number; tests: TestFile[] }[] = Array.from(
    { length: Math.min(tests.length, Math.max(1, Math.round(total / SHARD_SECONDS))) },
    () => ({ seconds: 0, tests: [] }),
  );
  for (const test of [...tests].sort((one, other) => secondsOfFile(other.file) - secondsOfFile(one.file))) {
    const part = parts.reduce((least, each) => (each.seconds < least.seconds ? each : least));
    part.tests.push(test);
    part.seconds += secondsOfFile(test.file);
  }
  return longestFirst(parts.map((part, index) => shard(`${name}-${index + 1}`, part.tests)));
}

function longestFirst(shards: Shard[]): Shard[] {
  return shards.sort((one, other) => other.seconds - one.seconds);
}

let times: Map<string, number> | undefined;
let median = 1;
/** As long as these files took before; one that is newer than the times counts as the median. */
export function secondsOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + secondsOfFile(file), 0);
}

function secondsOfFile(file: string): number {
  if (times === undefined) {
    times = new Map(Object.entries(JSON.parse(readFileSync(timesFile, 'utf8'))));
    const sorted = [...times.values()].sort((one, other) => one - other);
    median = sorted[Math.floor(sorted.length / 2)] ?? median;
  }
  return times.get(file) ?? median;
}

function withOneConnection(name: string, tests: readonly TestFile[]): Shard[] {
  return inParts(name, tests).map((part) => withEnvironment(part, { TEST_POOL_MAX: '1' }));
}

function withEnvironment(shard: Shard, more: Shard['environment']): Shard {
  return { ...shard, environment: { ...shard.environment, ...more } };
}

function shard(name: string, tests: readonly TestFile[]): Shard {
  if (tests.length === 0) throw new Error(`The shard ${name} has no test.`);
  const environment: Record<string, string> = name.startsWith('quick') ? { TEST_TIER: 'quick' } : {};
  const files = tests.map((test) => test.file);
  return { name, files, seconds: secondsOf(files), environment };
}
