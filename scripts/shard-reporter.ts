import Mocha from 'mocha';
import { processorSeconds } from './processor-time.ts';
import { type Failure, type FileReport, REPORT_MARK } from './test-reports.ts';

/** A test that took more than this part of its time limit may pass it on a busier machine. */
const NEAR_LIMIT = 0.5;
/** in characters: enough for how two values differ */
const REASON_LENGTH = 600;

/**
 * Tells `run-tests.ts` of each file that ended: a line of JSON behind a mark on standard output. A file without a failure says
 * nothing else; what failed is reported whole.
 */
export default class ShardReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    let file: string | null = null;
    let current = nothingYet();

    const finish = () => {
      if (file === null) return;
      const { since, processorSince, failed, ...counts } = current;
      if (failed.length > 0) Mocha.reporters.Base.list(failed);
      const report: FileReport = {
        file,
        ...counts,
        seconds: (performance.now() - since) / 1_000,
        processorSeconds: (processorSeconds(process.pid) ?? 0) - processorSince,
      };
      process.stdout.write(`${REPORT_MARK}${JSON.stringify(report)}\n`);
      file = null;
      current = nothingYet();
    };

    // A file may have several suites at the top, one after another.
    runner.on('suite', (suite) => {
      if (suite.root || !suite.parent?.root || !suite.file || inProject(suite.file) === file) return;
      finish();
      file = inProject(suite.file);
    });
    runner.on('pass', () => {
      current.passed += 1;
    });
    runner.on('pending', (test) => {
      current.skipped.push(test.fullTitle());
    });
    runner.on('fail', (test, error) => {
      // Numbers in the report of a failure count within its file.
      current.failed.push(Object.assign(test, { err: error }));
      current.failures.push({ file: fileOf(test), what: `${test.fullTitle()}: ${reasonOf(error)}` });
    });
    const noteTime = (done: Mocha.Test | Mocha.Hook) => {
      const part = (done.duration ?? 0) / done.timeout();
      if (done.timeout() > 0 && part > NEAR_LIMIT)
        current.nearLimit.push(`${Math.round(100 * part)} % of its time limit: ${done.fullTitle()}`);
    };
    runner.on('test end', noteTime);
    runner.on('hook end', noteTime);
    runner.once('end', () => {
      // A hook of the whole run may fail behind the last file.
      if (file === null && current.failures.length > 0) file = '(the whole run)';
      finish();
    });
  }
}

function nothingYet() {
  return {
    since: performance.now(),
    processorSince: processorSeconds(process.pid) ?? 0,
    passed: 0,
    skipped: [] as string[],
    nearLimit: [] as string[],
    failures: [] as Failure[],
    failed: [] as Mocha.Test[],
  };
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
