import { parentPort, workerData } from 'node:worker_threads';

/** Takes memory and time as it is told to (beside.test.ts). */
const { mib, ms } = workerData as { mib: number; ms: number };
const kept: number[][] = [];
for (let taken = 0; taken < mib; taken += 1) kept.push(Array.from({ length: 128 * 1024 }, Math.random));
const until = Date.now() + ms;
while (Date.now() < until);
parentPort?.postMessage('done');
