import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import type { Failure, Totals } from './test-shards.ts';

const SLOWEST_SHOWN = 5;
/** A test that took more than this part of its time limit may pass it on a busier machine. */
const NEAR_LIMIT = 0.5;
/** in characters: enough for how two values differ */
const REASON_LENGTH = 600;

/**
 * Mocha's usual report, tests near their time limits, the files that took longest, and totals and failures as JSON in
 * TEST_SHARD_RESULT.
 */
export default class ShardReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const took = new Map<string, number>();
    const failures: Failure[] = [];
    let since = performance.now();
    runner.on('fail', (test, error) => {
      failures.push({ file: fileOf(test), what: `${test.fullTitle()}: ${reasonOf(error)}` });
    });
    const nearLimit: string[] = [];
    const noteTime = (done: Mocha.Test | Mocha.Hook) => {
      const part = (done.duration ?? 0) / done.timeout();
      if (part > NEAR_LIMIT)
        nearLimit.push(`${Math.round(100 * part)} % of its time limit: ${done.fullTitle()}`);
    };
    runner.on('test end', noteTime);
    runner.on('hook end', noteTime);
    runner.on('suite end', (suite) => {
      if (!suite.parent?.root || !suite.file) return;
      took.set(suite.file, (took.get(suite.file) ?? 0) + performance.now() - since);
      since = performance.now();
    });
    runner.once('end', () => {
      for (const line of nearLimit) console.log(`  ${line}`);
      const slowest = [...took].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_SHOWN);
      for (const [file, ms] of slowest) console.log(`  ${(ms / 1_000).toFixed(1)} s ${inProject(file)}`);
      const { passes: passed, pending: skipped } = this.stats;
      const target = process.env.TEST_SHARD_RESULT;
      if (target) writeFileSync(target, JSON.stringify({ passed, skipped, failures } satisfies Totals));
    });
  }
}

/** A hook that stands outside of every `describe` has no file. */
function fileOf({ file, parent }: Mocha.Runnable): string | null {
  const own = file ?? parent?.file;
  return own ? inProject(own) : null;
}

function inProject(file: string): string {
  return file.slice(file.lastIndexOf('/test/') + 1);
}

/** The messages of an error and its causes on one line: often that is all that is left of a run on another machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return onOneLine(String(error));
  const causes = error instanceof AggregateError ? error.errors : [error.cause ?? []].flat();
  return [onOneLine(error.message), ...causes.map(reasonOf)].join(' <- ');
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, REASON_LENGTH);
}
