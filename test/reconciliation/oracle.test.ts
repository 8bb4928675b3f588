// tests: hard, generated
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { readStatement } from '../../src/reconciliation/formats/read.ts';
import { importStatement } from '../../src/reconciliation/import.ts';
import { createTestDatabase, type TestDatabase, useTestDatabase } from '../support/database.ts';
import { portion, portionOf } from '../support/generated.ts';
import { digestOf, keys } from '../support/statements-of-accounts.ts';
import { bookMovements, lacking, outcomesOf } from './generated-books.ts';
import { fileOf } from './generated-files.ts';
import { type Day, makeWorld, type World } from './generator.ts';

const KILLS = 6 + portion(14);
const LINES = 40 + portion(80);
/** Every connection but this one is gone, as when Postgres or the process is killed. */
const LOSE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`;

describe('what comes of statements whose every line was planted', () => {
  const test = useTestDatabase({ each: true });
  let world: World;
  before(() => {
    world = makeWorld({ days: 3, linesPerDay: LINES, planted: 4 });
  });
  beforeEach(() => bookMovements(test.database, world));

  async function readied(days: readonly Day[], options?: Parameters<typeof fileOf>[1]) {
    const account = days[0]?.account as Day['account'];
    return { account, ...(await readStatement(account, fileOf(days, options))), keys, actor: 'test' };
  }
  const take = async (...of: Parameters<typeof readied>) =>
    importStatement(test.database, await readied(...of));
  const takeAll = async () => {
    for (const day of inTheirOrder(world)) await take([day]);
  };

  it('is exactly what the oracle says: nothing missed, nothing false', async () => {
    await takeAll();
    const found = await outcomesOf(test.database, world.accounts);
    assert.deepEqual(lacking(world.oracle, found), [], 'missed');
    assert.deepEqual(lacking(found, world.oracle), [], 'false');
  });

  it('does not change when they come again: repeated, reported on another day, in reverse, in overlapping halves', async () => {
    await takeAll();
    const digest = await digestOf(test.database);
    const some = portionOf(world.accounts);
    for (const account of some.length > 0 ? some : world.accounts) {
      const [first, second, third] = world.days.filter((day) => day.account === account) as [Day, Day, Day];
      assert.equal((await take([first])).isRepeated, true);
      await take([second], { reported: '02-01-2026 08:00:00' });
      await take([third], { order: 'newest' });
      await take([first, second]);
      await take([second, third]);
    }
    assert.equal(await digestOf(test.database), digest);
  });

  it('is the same when the database is lost at any moment of an import, which is then done again', async () => {
    const twin = await createTestDatabase();
    try {
      await bookMovements(twin.database, world);
      let kills = 0;
      for (const day of inTheirOrder(world)) {
        const file = await readied([day]);
        const start = performance.now();
        await importStatement(twin.database, file);
        const tookMs = performance.now() - start;
        for (let tries = 0; tries < 4 && kills < KILLS; tries += 1) {
          const running = importStatement(test.database, file).then(
            () => 'done',
            () => 'lost',
          );
          await pause(Math.random() * tookMs);
          await test.database.query(LOSE);
          if ((await running) === 'lost') kills += 1;
        }
        await importStatement(test.database, file);
      }
      assert.ok(kills > KILLS / 4, `only ${kills} imports were hit`);
      assert.ok((await plainDigest(test)) === (await plainDigest(twin)), 'another digest');
    } finally {
      await twin.drop();
    }
  });
}).timeout(300_000);

/** Day after day, the wallets before the bank: the half of a sweep that comes first is theirs. */
function inTheirOrder({ days }: World): Day[] {
  return [...days].sort((one, other) => one.from.getTime() - other.from.getTime());
}

/** Without the id of the merchant, which each database has its own of. */
async function plainDigest({ database }: TestDatabase): Promise<string> {
  return (await digestOf(database)).replace(/(available|held):[0-9a-f-]{36}/g, '$1');
}
