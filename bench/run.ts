/**
 *   npm run bench                       every figure but the long ones
 *   npm run bench -- answer-latency     these only
 *
 * Starts a whole Malipo with the embedded servers, measures for some minutes and prints small tables
 * (bench/benchmarks.md says how to read them). Writes no file.
 */
import os from 'node:os';
import { stopCluster } from '../test/support/database.ts';
import '../test/support/quiet-runtime.ts';
import { answerLatency } from './answer-latency.ts';
import { burst } from './burst.ts';
import { hangingReceivers } from './callback-hanging.ts';
import { callbackThroughput } from './callback-throughput.ts';
import { completedPushes } from './completed-pushes.ts';
import { historySize } from './history-size.ts';
import { hotAccount } from './hot-account.ts';
import { list } from './list.ts';
import { type Figure, printFigure } from './load.ts';
import { memory } from './memory.ts';
import { overload } from './overload.ts';
import { processor } from './processor.ts';
import { type Stack, startStack } from './stack.ts';
import { statement } from './statement.ts';
import { statements } from './statements.ts';
import { stored } from './stored.ts';

/** In this order: callbacks leave transactions behind that the sweep goes on with. */
const figures = {
  'completed-pushes': completedPushes,
  'answer-latency': answerLatency,
  'hot-account': hotAccount,
  'history-size': historySize,
  statements,
  processor,
  overload,
  burst,
  list,
  statement,
  'callback-throughput': callbackThroughput,
  'callback-hanging': hangingReceivers,
};
/** Only those who name them wait for these. */
const longFigures = { stored, memory };

const known: Record<string, (stack: Stack) => Promise<Figure | Figure[]>> = { ...figures, ...longFigures };
const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : Object.keys(figures);
const strangers = wanted.filter((name) => !(name in known));
if (strangers.length > 0) {
  console.error(`There is no figure ${strangers.join(', ')}. There are: ${Object.keys(known).join(', ')}`);
  process.exit(1);
}

const busy = () =>
  os
    .loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');
console.log(`Node ${process.version}, ${os.cpus().length} cores, load ${busy()}`);
const stack = await startStack();
try {
  for (const name of wanted) {
    console.log(`\nmeasuring ${name} …`);
    for (const one of [(await known[name]?.(stack)) ?? []].flat()) printFigure(one);
  }
  console.log(`\nload at the end ${busy()}`);
} finally {
  await stack.stop();
  await stopCluster();
}
