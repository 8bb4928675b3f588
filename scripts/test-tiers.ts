import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Which tests may run together. A test file says so itself, by what it imports from `test/support`; what imports do not
 * show is in its first line, as `// tests: slow`. So there is no list of files that could go out of date.
 *
 * - `quick`: needs nothing, or one Postgres.
 * - `slow`: the same with `// tests: slow`, or starts other programs (a browser, openssl, PHP, our command line).
 * - `temporal`: needs a Temporal server, the real one or one that skips time.
 * - `gateway`: needs the whole Malipo; the files share one.
 * - `processes`: starts a Malipo of its own, or some of its processes, and often kills them.
 *
 * Hard tests are those of `processes`, and files of other tiers with `// tests: hard`: they kill, storm or attack. `npm test`
 * leaves them out.
 */
export const tiers = ['quick', 'slow', 'temporal', 'gateway', 'processes'] as const;
export type Tier = (typeof tiers)[number];

/**
 * `many connections`: the test itself holds more than one connection, so it cannot pass with a pool of one; `one connection`: it
 * claims no race, whatever it does at once. `generated`: a tenth of its cases in the usual run, a third in the hard one, all of
 * them in the long one. `long`: run by `npm run test:long` alone.
 */
const marks = ['slow', 'hard', 'long', 'generated', 'many connections', 'one connection'] as const;
type Mark = (typeof marks)[number];

/**
 * `doesAtOnce`: it, or what it imports beside test/support, does several things at once in a pool that it shares with other
 * tests, or it has a worker that does. What `itRaced` runs has pools of its own.
 */
export type TestFile = {
  file: string;
  tier: Tier;
  usesPostgres: boolean;
  doesAtOnce: boolean;
  marks: readonly Mark[];
};

const root = fileURLToPath(new URL('../', import.meta.url));
const support = (name: string) => `test/support/${name}.ts`;
const DATABASE = support('database');
const TEMPORAL = support('temporal');
const SHARED_GATEWAY = support('shared-gateway');
const GATEWAY = support('gateway');
const PROCESSES = [support('parts'), support('api-process'), 'test/operations/containers.ts'];
const PROGRAMS = ['node:child_process', 'test/browser/chromium.ts'];

export const isLong = ({ marks }: TestFile): boolean => marks.includes('long');
export const isHard = ({ tier, marks }: TestFile): boolean =>
  !marks.includes('long') && (tier === 'processes' || marks.includes('hard'));

/** Every test at these places, folders or files, sorted. Throws where a place has none. */
export function testsAt(...places: string[]): TestFile[] {
  const found = new Set<string>();
  for (const place of places) {
    const files = everyTest().filter((file) => file === place || file.startsWith(`${place}/`));
    if (files.length === 0) throw new Error(`There is no test at ${place}: say where it is now.`);
    for (const file of files) found.add(file);
  }
  return [...found].sort().map((file) => {
    const reached = importsOf(file);
    const own = marksOf(file, readSource(file));
    return {
      file,
      tier: tierOf(reached, own),
      usesPostgres: reached.has(DATABASE),
      doesAtOnce: !own.includes('one connection') && (reached.has(TEMPORAL) || [...reached].some(isAtOnce)),
      marks: own,
    };
  });
}

function everyTest(): string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true })
    .map((file) => `test/${String(file).split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.test.ts'));
}

/** What the helpers of test/support do at once is there for many tests, and not what this one is about. */
function isAtOnce(file: string): boolean {
  if (!file.startsWith('test/') || file.startsWith('test/support/')) return false;
  const source = readSource(file);
  return (
    /\bPromise\.(all|allSettled|any|race)\b/.test(source) ||
    (/\batOnce\b/.test(source) && !/\bitRaced\b/.test(source))
  );
}

function tierOf(reached: ReadonlySet<string>, own: readonly Mark[]): Tier {
  if (PROCESSES.some((name) => reached.has(name))) return 'processes';
  if (reached.has(SHARED_GATEWAY)) return 'gateway';
  if (reached.has(GATEWAY)) return 'processes';
  if (reached.has(TEMPORAL)) return 'temporal';
  return own.includes('slow') || PROGRAMS.some((name) => reached.has(name)) ? 'slow' : 'quick';
}

/** Reads a first line `// tests: slow, many connections`. Throws when it has an unknown word. */
export function marksOf(file: string, source: string): Mark[] {
  const words = /^\/\/ tests: (.*)\n/.exec(source)?.[1]?.split(', ') ?? [];
  return words.map((word) => {
    const known = marks.find((mark) => mark === word);
    if (!known) throw new Error(`${file} has the mark "${word}", which is none of: ${marks.join(', ')}.`);
    return known;
  });
}

/** The files below test/, and the packages, that a test needs when it runs: what it imports, and what that imports. */
export function importsOf(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  // A set that grows while it is walked is walked to its new end.
  for (const name of reached) {
    if (!name.startsWith('test/')) continue;
    for (const next of specifiersIn(name))
      reached.add(next.startsWith('.') ? path.posix.join(path.posix.dirname(name), next) : next);
  }
  return reached;
}

const known = new Map<string, string[]>();
/** A file of test/support is reached from hundreds of tests, and read once. */
function specifiersIn(file: string): string[] {
  const found = known.get(file) ?? specifiersOf(readSource(file));
  known.set(file, found);
  return found;
}

/** The imports of a source, types left out. */
export function specifiersOf(source: string): string[] {
  const statements =
    /^(?:import|export) (?!type )[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...source.matchAll(statements)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

const sources = new Map<string, string>();
function readSource(file: string): string {
  const source = sources.get(file) ?? readFileSync(path.join(root, file), 'utf8');
  sources.set(file, source);
  return source;
}
