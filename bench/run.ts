/**
 *   npm run bench                       every figure
 *   npm run bench -- answer-latency     these only
 *
 * Starts a whole Malipo with the embedded servers, measures for some minutes and prints small tables
 * (docs/benchmarks.md says how to read them). Writes no file.
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
import { printFigure } from './load.ts';
import { overload } from './overload.ts';
import { processor } from './processor.ts';
import { startStack } from './stack.ts';
import { statement } from './statement.ts';
import { statements } from './statements.ts';

const figures = {
  'completed-pushes': completedPushes,
  'answer-latency': answerLatency,
  'hot-account': hotAccount,
  overload,
  burst,
  'callback-throughput': callbackThroughput,
  'callback-hanging': hangingReceivers,
  'history-size': historySize,
  list,
  statement,
  statements,
  processor,
};

const wanted = process.argv.slice(2);
const strangers = wanted.filter((name) => !(name in figures));
if (strangers.length > 0) {
  console.error(`There is no figure ${strangers.join(', ')}. There are: ${Object.keys(figures).join(', ')}`);
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
  for (const [name, figure] of Object.entries(figures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\nmeasuring ${name} …`);
    for (const one of [await figure(stack)].flat()) printFigure(one);
  }
  console.log(`\nload at the end ${busy()}`);
} finally {
  await stack.stop();
  await stopCluster();
}
