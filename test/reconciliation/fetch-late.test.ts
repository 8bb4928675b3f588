// tests: generated
import assert from 'node:assert/strict';
import { dayOf } from '../../src/domain/day.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { fetchStatement } from '../../src/reconciliation/fetch.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { places } from '../support/generated.ts';
import { createMerchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import {
  digestOf,
  driftOf,
  importOf,
  keys,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';
import { Network } from './network.ts';

const MINUTE = 60_000;
const DAY = 24 * 60;

/** Minutes are those from now on; what is younger than five is left to the next one. */
describe('an entry that its network shows late, with an older time', () => {
  const test = useTestDatabase({ each: true });
  let database: Database;
  let network: Network;
  const account = walletAccount({ format: 'gsma', graceMs: 1 });
  beforeEach(async () => {
    database = asRole(test.database, 'worker');
    await createMerchant(test.database);
    network = new Network();
    await fetchIt(6);
    network.entries = [{ receipt: 'R1', amount: 1_000, minutes: -10 }];
    await fetchIt(20);
    network.asked = [];
  });

  const fetchIt = (minutes: number, on = database) =>
    fetchStatement(on, {
      account,
      source: network,
      keys,
      settleMs: 5 * MINUTE,
      now: new Date(Date.now() + minutes * MINUTE),
    });
  const show = (receipt: string, amount: number, at: number, status = 'completed') =>
    network.entries.push({ receipt, amount, minutes: -at, status });
  const lines = async () =>
    await test.sql`SELECT receipt, running, day::text, late_for::text AS late FROM statement_lines
      WHERE status = 'done' AND kind <> 'opening' ORDER BY position`;
  const dayIn = (minutes: number) => dayOf(new Date(Date.now() + minutes * MINUTE));
  const isWhole = async () => {
    assert.equal(await driftOf(test.database, account), 0);
    for (const { day, holds } of await daysOf(test.database, [account])) assert.ok(holds, day);
  };

  it('is taken with the next ones, the last in the chain: those that are known are read again and change nothing', async () => {
    show('L', 70, 8);
    show('R2', -300, 30);
    assert.deepEqual((await fetchIt(40))?.outcome, {
      lines: 3,
      added: 2,
      known: 1,
      classes: { theirs_only: 2 },
      notes: [],
    });
    assert.deepEqual(pick(await lines(), 'receipt', 'running'), [
      ['R1', 105_000],
      ['L', 112_000],
      ['R2', 82_000],
    ]);
    await isWhole();
    network.asked = [];
    show('R3', 5, 50);
    assert.equal((await fetchIt(60))?.outcome.added, 1);
    assert.equal(network.asked.length, 2, 'and nothing is read again where the list goes on');
    show('L2', 1, 9);
    show('L3', 2, 8.5);
    assert.equal((await fetchIt(80))?.outcome.added, 2, 'with a late one in the middle of the chain');
    await isWhole();
  });

  it('of a day that is over counts in that of the last line, with a pointer to its own', async () => {
    show('R2', 500, 10 + 2 * DAY);
    await fetchIt(20 + 2 * DAY);
    show('L', 70, 9);
    assert.equal((await fetchIt(40 + 2 * DAY))?.outcome.added, 1);
    assert.deepEqual((await lines()).at(-1), {
      receipt: 'L',
      running: 162_000,
      day: dayIn(10 + 2 * DAY),
      late: dayIn(9),
    });
    await isWhole();
  });

  it('is one that ended after more than a day', async () => {
    show('P', 400, 30, 'pending');
    show('R2', 500, 40);
    assert.equal(await fetchIt(60).then((one) => one?.outcome.added), 0, 'it holds the others back');
    assert.equal((await fetchIt(60 + DAY))?.outcome.classes.pending, 1);
    network.entries = network.entries.map((one) =>
      one.receipt === 'P' ? { ...one, status: 'completed' } : one,
    );
    assert.equal((await fetchIt(80 + DAY))?.outcome.added, 1);
    assert.equal((await lines()).at(-1)?.receipt, 'P');
    await isWhole();
  });

  it('that does not explain the balance is refused, and so is a list that lacks what it showed', async () => {
    const digest = await digestOf(test.database);
    show('L', 70, 8);
    const { balance } = Network.prototype;
    network.balance = async () => `${Number(await balance.call(network)) + 1}.00`;
    await assert.rejects(
      fetchIt(40),
      /its opening is 1,121\.00, but the statement before it leaves 1,050\.00/,
    );
    network.balance = balance;
    network.entries = network.entries.filter(({ receipt }) => receipt !== 'R1');
    await assert.rejects(fetchIt(40), /its opening is 120\.00, but .* leaves 1,050\.00/);
    // What never was leaves the balance as it was, too.
    network.entries = [{ receipt: 'R9', amount: 1_070, minutes: -10 }];
    await assert.rejects(fetchIt(40), /its opening is/);
    assert.equal(await digestOf(test.database), digest);
  });

  it('is not looked for among the lines of a file', async () => {
    await importOf(
      test.database,
      account,
      {
        ...statementOf(account, 1_050, [{ receipt: 'F', amount: 10, minutes: 0 }]),
        period: { from: new Date(Date.now() + 14 * MINUTE), to: new Date(Date.now() + 25 * MINUTE) },
        lines: [],
        closing: null,
      },
      { now: new Date(Date.now() + 30 * MINUTE) },
    );
    show('L', 70, 8);
    await assert.rejects(fetchIt(60), /its opening is 1,120\.00/);
    assert.ok(network.asked.every(({ from }) => from.getTime() > Date.now() + 20 * MINUTE));
  });

  it('is all there or not there at all, wherever the connection breaks', async function () {
    this.timeout(120_000);
    show('L', 70, 8);
    const before = await digestOf(test.database);
    // From the second import on: the first one is refused, and nothing depends on the answer to its rollback.
    let at = places.first(12);
    for (; (await digestOf(test.database)) === before; at += places.step) {
      const failing = failingDatabase(database, { at, answerLost: at % 2 === 0 });
      await fetchIt(40, failing.database).catch((error) =>
        assert.ok(error instanceof ConnectionLost, String(error)),
      );
    }
    assert.ok(at > 24, `${at} statements`);
    await isWhole();
    const after = await digestOf(test.database);
    await fetchIt(41);
    assert.equal(await digestOf(test.database), after);
  });
});
