import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, type Shard, shardsOf, type Totals, totalsOf } from './test-shards.ts';

/**
 * Runs tests as several mocha processes side by side: `run-tests.ts usual`, `hard`, `quick` or `one-connection`. Each shard starts
 * the servers that its tests need, and its files share them. A shard's report is printed when it ends. The last line is
 * `N passed, N failed`; the exit code is zero only when every shard ran its tests and all of them passed.
 * TEST_JOBS: how many shards run at once. Otherwise as many as there are processors; twice as many in the quick run, whose
 * tests wait half of the time.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
const reporter = path.join(root, 'scripts/shard-reporter.ts');

/** More failed files than this in one shard are no accident. */
const AGAIN_MAX = 3;
const unsteady: Failure[] = [];

process.exitCode = await main(process.argv[2] ?? 'usual');

async function main(what: string): Promise<number> {
  const waiting = shardsOf(what);
  const jobs = Number(process.env.TEST_JOBS) || os.availableParallelism() * (what === 'quick' ? 2 : 1);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-tests-'));
  const startedAt = performance.now();
  const firsts: [Shard, Totals][] = [];
  const results: Totals[] = [];
  try {
    const lane = async () => {
      for (let shard = waiting.shift(); shard; shard = waiting.shift())
        firsts.push([shard, await run(shard, folder)]);
    };
    await Promise.all(Array.from({ length: jobs }, lane));
    for (const [shard, first] of firsts) results.push(await again(shard, first, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { passed, skipped, failures } = totalsOf(results);
  // Again at the end: whoever reads only the last page of a long report has them, too.
  for (const failure of unsteady) console.log(`UNSTEADY (passed when it ran again, alone) ${failure.what}`);
  for (const failure of failures) console.log(`FAILED ${failure.what}`);
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`in ${seconds(startedAt)} s`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

/**
 * A few files that failed run once more, each alone: on a machine that others use, too, a time-out among 7,000 tests says
 * nothing about the code. What passes then is named at the end of the run, so that somebody mends the test.
 */
async function again(shard: Shard, first: Totals, folder: string): Promise<Totals> {
  const files = new Set(first.failures.map((failure) => failure.file));
  if (files.size > AGAIN_MAX) return first;
  let { passed, failures } = first;
  for (const file of files) {
    if (file === null) continue;
    const second = await run({ ...shard, name: `${shard.name} again`, files: [file] }, folder);
    if (second.failures.length > 0) continue;
    const own = failures.filter((failure) => failure.file === file);
    unsteady.push(...own);
    passed += own.length;
    failures = failures.filter((failure) => failure.file !== file);
  }
  return { ...first, passed, failures };
}

async function run(shard: Shard, folder: string): Promise<Totals> {
  const startedAt = performance.now();
  const resultFile = path.join(folder, `${shard.name}.json`);
  const arguments_ = [mocha, '--reporter', reporter, ...shard.files];
  const child = spawn(process.execPath, arguments_, {
    cwd: root,
    env: { ...process.env, ...shard.environment, TEST_SHARD_RESULT: resultFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = await new Promise<string | number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no exit code'));
  });
  const result = await readResult(resultFile);
  console.log(`\n== ${shard.name}: ${shard.files.length} files, ${seconds(startedAt)} s`);
  console.log(output.trimEnd());
  const problem = problemOf(result, ended);
  if (problem === null) return result;
  console.log(`== ${shard.name} ${problem}`);
  return { ...result, failures: [...result.failures, { file: null, what: `${shard.name} ${problem}` }] };
}

/** The fault of a shard whatever its tests say; null when there is none. */
function problemOf(result: Totals, ended: string | number): string | null {
  if (result.passed + result.failures.length === 0) return `ran no test and ended with ${ended}`;
  if (ended !== 0 && result.failures.length === 0) return `ended with ${ended} although no test failed`;
  return null;
}

/** A shard that broke off has written nothing. */
async function readResult(file: string): Promise<Totals> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? { passed: 0, skipped: 0, failures: [] } : JSON.parse(text);
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1_000);
}
