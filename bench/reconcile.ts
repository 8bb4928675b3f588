import { setTimeout as pause } from 'node:timers/promises';
import { readStatement } from '../src/reconciliation/formats/read.ts';
import { importStatement } from '../src/reconciliation/import.ts';
import { bookMovements, lacking, outcomesOf } from '../test/reconciliation/generated-books.ts';
import { fileOf } from '../test/reconciliation/generated-files.ts';
import { makeWorld } from '../test/reconciliation/generator.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { newKey, pushBody } from '../test/support/gateway.ts';
import { keys } from '../test/support/statements-of-accounts.ts';
import { type Figure, percentile, ratio, rounded, timed } from './load.ts';
import type { Stack } from './stack.ts';

/** BENCH_LINES: fewer, to see that it works; the figures are those of fifty thousand. */
const LINES = Number(process.env.BENCH_LINES) || 50_000;
const DAYS = 3;
const ACCOUNTS = 5;
/** of each class, over all accounts and days */
const PLANTED = 400;
const MIB = 1024 * 1024;
const PAUSE_MS = 100;

/**
 * Statements of five accounts and three days, file by file from bytes to matched and booked lines, against an oracle that
 * planted every one of them; and how long payments are waited for meanwhile, beside before.
 */
export async function reconcile(stack: Stack): Promise<Figure> {
  const files = DAYS * ACCOUNTS;
  const world = makeWorld({
    days: DAYS,
    linesPerDay: Math.ceil(LINES / files),
    planted: Math.ceil((PLANTED * LINES) / 50_000 / files),
  });
  const test = await createTestDatabase();
  try {
    await bookMovements(test.database, world);
    await test.database.query('ANALYZE');
    const days = [...world.days].sort((one, other) => one.from.getTime() - other.from.getTime());
    const lines = days.reduce((sum, day) => sum + day.lines.length, 0);
    const before = await answersWhile(stack, () => pause(20_000));
    const memory = watchMemory();
    let importMs = 0;
    const meanwhile = await answersWhile(stack, async () => {
      importMs = await timed(async () => {
        for (const day of days) {
          const read = await readStatement(day.account, fileOf([day]));
          await importStatement(test.database, {
            account: day.account,
            ...read,
            keys,
            actor: 'bench',
          });
        }
      });
    });
    const found = await outcomesOf(test.database, world.accounts);
    const [was, is] = [before, meanwhile].map((all) => percentile(all, 0.99)) as [number, number];
    return {
      title: `${lines.toLocaleString('en')} lines of ${ACCOUNTS} accounts and ${DAYS} days, against the oracle`,
      columns: ['', ''],
      rows: [
        ['missed', lacking(world.oracle, found).length],
        ['false', lacking(found, world.oracle).length],
        ['seconds, from bytes to booked', rounded(importMs / 1_000)],
        ['MiB at most of the process that imports, of them its own before', `${memory.stop()}`],
        ['ms until a push is answered, p99, before', rounded(was)],
        ['ms until a push is answered, p99, meanwhile', rounded(is)],
        ['meanwhile of before', ratio(is, was)],
      ],
    };
  } finally {
    await test.drop();
  }
}

/** How long each push waited for its answer while `work` ran, one after the other with a pause. */
async function answersWhile(stack: Stack, work: () => Promise<unknown>): Promise<number[]> {
  const answers: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      answers.push(await timed(() => stack.created('payments/ussd', { key: newKey(), body: pushBody() })));
      await pause(PAUSE_MS);
    }
  })();
  await work();
  isOver = true;
  await asking;
  return answers;
}

/** Of this process, the threads that read included. */
function watchMemory(): { stop(): string } {
  const before = process.memoryUsage().rss;
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  return {
    stop() {
      clearInterval(watching);
      return `${rounded(most / MIB, 0)}, ${rounded(before / MIB, 0)}`;
    },
  };
}
