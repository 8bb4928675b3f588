import { mkdirSync, writeFileSync } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Failure, type FileReport, REPORT_MARK, totalsOf } from './test-reports.ts';
import { startServers } from './test-run-servers.ts';
import { type Shard, secondsOf, shardsOf, timesFile } from './test-shards.ts';

/**
 * Runs tests as several mocha processes side by side: `run-tests.ts usual`, `hard`, `all` (both), `long`, `generated` or
 * `quick`. All of them share one Postgres, one Temporal server and one compilation of the sources. A file that passed is one line; what failed is reported
 * whole. The last line is `N passed, N failed`; the exit code is zero only when every file ran and all of its tests passed.
 * `--keep-times`: notes how long each file took, by which the next runs deal their shards. `--order <seed>`: files in another
 * order, to find those that need each other.
 * TEST_JOBS: how many shards run at once. Otherwise one more than there are processors, because tests wait a fifth of their
 * time; twice as many as processors in the quick run. What the run measured is in dist-test/last-run.json.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
const reporter = path.join(root, 'scripts/shard-reporter.ts');

/** More failed files than this in one run are no accident. */
const AGAIN_MAX = 8;
const SLOWEST_SHOWN = 10;

const [what = 'usual', ...flags] = process.argv.slice(2);
process.exitCode = await main();

async function main(): Promise<number> {
  const startedAt = performance.now();
  const waiting = inOrder(asked(shardsOf(what)));
  const jobs = Math.min(waiting.length, Number(process.env.TEST_JOBS) || usualJobs());
  const run = createRun(waiting);
  const minutes = waiting.reduce((sum, { seconds }) => sum + seconds, 0) / jobs / 60;
  console.log(
    `${run.files} files in ${waiting.length} shards, ${jobs} at a time: about ${minutes.toFixed(1)} min on two quiet processors`,
  );
  const servers = await startServers(what);
  try {
    const lane = async () => {
      for (let shard = waiting.shift(); shard; shard = waiting.shift())
        await run.shard(shard, servers.environment);
    };
    await Promise.all(Array.from({ length: jobs }, lane));
    await run.again(servers.environment);
  } finally {
    await servers.stop();
  }
  if (flags.includes('--keep-times')) await keepTimes(run.reports);
  return summarize(run, startedAt);
}

/** All of them, or those at the places that were named: `npm test -- test/e2e test/domain/money.test.ts`. */
function asked(shards: Shard[]): Shard[] {
  const places = flags.filter((flag) => flag.startsWith('test/'));
  if (places.length === 0) return shards;
  const isAsked = (file: string) => places.some((place) => file.startsWith(place));
  return shards
    .map((shard) => ({ ...shard, files: shard.files.filter(isAsked) }))
    .map((shard) => ({ ...shard, seconds: secondsOf(shard.files) }))
    .filter((shard) => shard.files.length > 0);
}

function usualJobs(): number {
  const processors = os.availableParallelism();
  return what === 'quick' ? processors * 2 : processors + 1;
}

function inOrder(shards: Shard[]): Shard[] {
  const seed = flags[flags.indexOf('--order') + 1];
  if (!flags.includes('--order') || seed === undefined) return shards;
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const shuffled = (files: string[]) =>
    files
      .map((file) => [random(), file] as const)
      .sort(([one], [other]) => one - other)
      .map(([, file]) => file);
  return shards.map((shard) => ({ ...shard, files: shuffled(shard.files) }));
}

type Run = ReturnType<typeof createRun>;

function createRun(shards: readonly Shard[]) {
  const files = shards.reduce((sum, shard) => sum + shard.files.length, 0);
  const reports: FileReport[] = [];
  const broken: Failure[] = [];
  const unsteady: Failure[] = [];
  const notTested = new Set<string>();
  /** A file may run twice, in different shards. */
  const shardOf = new Map<FileReport, Shard>();

  function note(report: FileReport, shard: Shard): void {
    reports.push(report);
    shardOf.set(report, shard);
    const failed = reports.reduce((sum, each) => sum + each.failures.length, 0);
    const state = `${reports.length} done, ${failed} failed, ${Math.max(0, files - reports.length)} left`;
    const { file, passed, failures, seconds } = report;
    const ending = failures.length > 0 ? `${failures.length} FAILED` : 'ok';
    console.log(`${state} | ${ending}, ${passed} passed in ${seconds.toFixed(1)} s: ${file}`);
  }

  return {
    files,
    reports,
    broken,
    unsteady,
    notTested,
    async shard(shard: Shard, environment: NodeJS.ProcessEnv): Promise<void> {
      const onReport = (report: FileReport) => note(report, shard);
      const problem = await execute(shard, { environment, notTested, onReport });
      if (problem) broken.push({ file: null, what: `${shard.name} ${problem}` });
    },
    /**
     * A few files that failed run once more, each alone: on a machine that others use, too, a time-out among 7,000 tests says
     * nothing about the code. What passes then is named at the end of the run, so that somebody mends the test.
     */
    async again(environment: NodeJS.ProcessEnv): Promise<void> {
      const failed = reports.filter((report) => report.failures.length > 0);
      if (failed.length > AGAIN_MAX) return;
      for (const first of failed) {
        const shard = shardOf.get(first);
        if (!shard) continue;
        console.log(`once more, alone: ${first.file}`);
        const second: FileReport[] = [];
        const alone = { ...shard, name: `${first.file} alone`, files: [first.file] };
        const onReport = (report: FileReport) => second.push(report);
        const problem = await execute(alone, { environment, notTested, onReport });
        const [report] = second;
        if (problem || !report || report.failures.length > 0) continue;
        unsteady.push(...first.failures);
        reports[reports.indexOf(first)] = report;
      }
    },
  };
}

type Execution = {
  environment: NodeJS.ProcessEnv;
  /** what a test left out for want of a tool is added */
  notTested: Set<string>;
  onReport(report: FileReport): void;
};

/** Runs a shard; null, or what is wrong with it whatever its tests say. What was written is shown where something failed. */
async function execute(
  shard: Shard,
  { environment, notTested, onReport }: Execution,
): Promise<string | null> {
  const run = execa(process.execPath, [mocha, '--reporter', reporter, ...shard.files], {
    cwd: root,
    env: { ...environment, ...shard.environment },
    stdin: 'ignore',
    all: true,
    buffer: false,
    reject: false,
  });
  const left = new Set(shard.files);
  let failed = 0;
  /** since the last file ended */
  let written: string[] = [];
  const read = (line: string) => {
    const [, missing] = /NOT TESTED: (.*)/.exec(line) ?? [];
    if (missing) notTested.add(missing);
    const at = line.indexOf(REPORT_MARK);
    if (at < 0) return void written.push(line);
    const report: FileReport = JSON.parse(line.slice(at + REPORT_MARK.length));
    left.delete(report.file);
    failed += report.failures.length;
    if (report.failures.length > 0) console.log(written.join('\n'));
    written = [];
    onReport(report);
  };
  for await (const line of run.iterable({ from: 'all' })) read(line);
  const { exitCode, signal, message } = await run;
  const ended = exitCode ?? signal ?? message;
  let problem: string | null = null;
  if (left.size > 0) problem = `ended with ${ended} before ${[...left].join(', ')}`;
  else if (ended !== 0 && failed === 0) problem = `ended with ${ended} although no test failed`;
  if (problem !== null) console.log(`${written.join('\n')}\n== ${shard.name} ${problem}`);
  return problem;
}

function summarize({ reports, broken, unsteady, notTested }: Run, startedAt: number): number {
  const { passed, skipped, failures } = totalsOf(reports);
  failures.push(...broken);
  const slowest = [...reports].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_SHOWN);
  for (const { file, seconds, processorSeconds } of slowest)
    console.log(`${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of processor: ${file}`);
  for (const line of reports.flatMap((report) => report.nearLimit)) console.log(line);
  // Again at the end: whoever reads only the last page of a long report has them, too.
  for (const what of notTested) console.log(`NOT TESTED: ${what}`);
  for (const { what } of unsteady) console.log(`UNSTEADY (passed when it ran again, alone) ${what}`);
  for (const { what } of failures) console.log(`FAILED ${what}`);
  if (skipped.length > 0) console.log(`${skipped.length} skipped`);
  mkdirSync(path.join(root, 'dist-test'), { recursive: true });
  writeFileSync(path.join(root, 'dist-test/last-run.json'), JSON.stringify(reports));
  const processor = Math.round(reports.reduce((total, report) => total + report.processorSeconds, 0));
  console.log(
    `in ${Math.round((performance.now() - startedAt) / 1_000)} s, ${processor} s of processor in tests`,
  );
  if (passed === 0 && failures.length === 0) failures.push({ file: null, what: 'no test ran' });
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

/** Files of this run replace what was noted; what is gone from the tree is dropped. */
async function keepTimes(reports: readonly FileReport[]): Promise<void> {
  const before: Record<string, number> = JSON.parse(await readFile(timesFile, 'utf8').catch(() => '{}'));
  const now = Object.fromEntries(
    reports.map(({ file, seconds }) => [file, Math.max(0.1, Math.round(seconds * 10) / 10)]),
  );
  const kept: [string, number][] = [];
  for (const [file, seconds] of Object.entries({ ...before, ...now }))
    if (
      await access(path.join(root, file)).then(
        () => true,
        () => false,
      )
    )
      kept.push([file, seconds]);
  const text = JSON.stringify(
    Object.fromEntries(kept.sort(([one], [other]) => one.localeCompare(other))),
    null,
    2,
  );
  await writeFile(timesFile, `${text}\n`);
}
