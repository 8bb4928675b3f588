/**
 *   npm run bench                       every figure but the long ones
 *   npm run bench -- answer-latency     these only
 *
 * Starts a whole Malipo with the embedded servers, measures for some minutes and prints small tables
 * (bench/benchmarks.md says how to read them). Leaves `run.json` and a page with pictures in a folder of `bench/runs`.
 */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { stopServers } from '../test/support/at-end.ts';
import '../test/support/quiet-runtime.ts';
import { answerLatency } from './answer-latency.ts';
import { batch } from './batch.ts';
import { burst } from './burst.ts';
import { hangingReceivers } from './callback-hanging.ts';
import { callbackThroughput } from './callback-throughput.ts';
import { completedPushes } from './completed-pushes.ts';
import { desk } from './desk.ts';
import { firstPaint } from './first-paint.ts';
import { footprint } from './footprint.ts';
import { historySize } from './history-size.ts';
import { hotAccount } from './hot-account.ts';
import { list } from './list.ts';
import { type Figure, printFigure } from './load.ts';
import { memory } from './memory.ts';
import { oneNumber } from './one-number.ts';
import { overload } from './overload.ts';
import { processor } from './processor.ts';
import { reconcile } from './reconcile.ts';
import { machine, type Run, writeRun } from './report.ts';
import { type Stack, startStack } from './stack.ts';
import { statement } from './statement.ts';
import { statements } from './statements.ts';
import { stored } from './stored.ts';
import { twoOfEach } from './two-of-each.ts';

/** In this order: callbacks leave transactions behind that the sweep goes on with. */
const figures = {
  'completed-pushes': completedPushes,
  'answer-latency': answerLatency,
  'hot-account': hotAccount,
  'two-of-each': twoOfEach,
  'history-size': historySize,
  statements,
  processor,
  footprint,
  overload,
  burst,
  batch,
  list,
  'one-number': oneNumber,
  statement,
  reconcile,
  'callback-throughput': callbackThroughput,
  'callback-hanging': hangingReceivers,
};
/** Only those who name them wait for these; `first-paint` needs a Chromium. */
const longFigures = { stored, memory, desk, 'first-paint': firstPaint };

const known: Record<string, (stack: Stack) => Promise<Figure | Figure[]>> = { ...figures, ...longFigures };
const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : Object.keys(figures);
const strangers = wanted.filter((name) => !(name in known));
if (strangers.length > 0) {
  console.error(`There is no figure ${strangers.join(', ')}. There are: ${Object.keys(known).join(', ')}`);
  process.exit(1);
}

const load = () => os.loadavg().map((one) => Number(one.toFixed(1)));
const run: Run = {
  format: 'malipo-bench/1',
  commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
  began: new Date().toISOString(),
  machine: machine(),
  load: { before: load(), after: [] },
  temporal: process.env.BENCH_TEMPORAL === 'server' ? 'server' : 'dev server',
  figures: [],
};
console.log(`Node ${process.version}, ${run.machine.processors} cores, load ${run.load.before.join(' ')}`);
const stack = await startStack();
try {
  for (const name of wanted) {
    console.log(`\nmeasuring ${name} …`);
    for (const figure of [(await known[name]?.(stack)) ?? []].flat()) {
      printFigure(figure);
      run.figures.push({ name, ...figure });
    }
  }
  run.load.after = load();
  console.log(`\nload at the end ${run.load.after.join(' ')}`);
  const folder = await writeRun(run, fileURLToPath(new URL('runs', import.meta.url)));
  console.log(`figures and pictures: ${folder}`);
} finally {
  await stack.stop();
  await stopServers();
}
