import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { minor } from '../../src/domain/money.ts';
import { accountsInUse } from '../../src/reconciliation/explain.ts';
import { fetchStatement } from '../../src/reconciliation/fetch.ts';
import { readPlan } from '../support/channels-file.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { ringOf } from '../support/key-rings.ts';
import type { Database } from '../support/queryable.ts';
import { openSimulator } from '../support/simulator.ts';
import { keys } from '../support/statements-of-accounts.ts';
import { until } from '../support/wait.ts';

const MINUTE = 60_000;

describe('a statement that is fetched from the simulator', () => {
  const test = useTestDatabase({ each: true });
  let database: Database;

  let simulator: Simulator;
  beforeEach(async () => {
    database = asRole(test.database, 'worker');
    simulator = await openSimulator({ timing: { customerMs: 0 } });
  });
  afterEach(() => simulator.close());
  const lines = async () =>
    (
      await test.sql`SELECT receipt, running FROM statement_lines WHERE status = 'done' AND kind <> 'opening'
        ORDER BY position`
    ).map(({ receipt, running }) => [receipt, running]);

  function fetchesOf(statementAccounts: object) {
    const plan = readPlan({
      connections: {
        gsma: { protocol: 'gsma-mm-1.2', settings: { url: simulator.url } },
        airtel: {
          protocol: 'airtel-openapi',
          settings: { url: simulator.url, clientId: 'id', clientSecret: 'secret', pin: '1234' },
        },
      },
      networks: {
        'm-pesa': { payments: 'gsma', payouts: 'gsma' },
        'airtel-money': { payments: 'airtel', payouts: 'airtel' },
      },
      statementAccounts,
    });
    const silent = { info: () => {}, warn: () => {}, error: () => {} };
    const world = { publicUrl: 'http://127.0.0.1:1', notificationSecrets: ringOf(), log: silent };
    const channels = createChannels(plan, world);
    const fetchAll = (minutes: number) =>
      Promise.all(
        [...accountsInUse(channels).values()].map((one) =>
          fetchStatement(database, {
            account: one,
            source: channels.statementSources.get(one.id) ?? assert.fail(),
            keys,
            settleMs: 0,
            now: new Date(Date.now() + minutes * MINUTE),
          }),
        ),
      );
    return { channels, fetchAll };
  }

  it('comes over GSMA, with its receipts and its balance', async () => {
    const { fetchAll } = fetchesOf({
      wallet: { theirs: '600100', currency: 'TZS', proves: ['clearing:m-pesa'], format: 'gsma' },
    });
    const move = (receipt: string, direction: 'in' | 'out', amount: number) =>
      simulator.book.move({
        direction,
        network: 'm-pesa',
        party: '255754000001',
        amount,
        receipt,
        reference: `PO${receipt}`,
      });
    await move('R1', 'in', 5_000);
    await move('R2', 'out', 1_000);
    const [imported] = await fetchAll(1);
    assert.equal(imported?.outcome.added, 2);
    const shown = await lines();
    assert.deepEqual(shown.map(([receipt]) => receipt).sort(), ['R1', 'R2']);
    assert.equal(shown.at(-1)?.[1], 400_000, 'whichever of one second comes first');
  });

  it("comes from Airtel's list, with both wallets in one balance", async () => {
    const airtel = {
      theirs: '780000000',
      currency: 'TZS',
      proves: ['clearing:airtel-money'],
      format: 'airtel',
    };
    const { channels, fetchAll } = fetchesOf({ airtel });
    const channel = channels.routeOf('airtel-money', 'collection')?.channel ?? assert.fail();
    const order = (n: number) => ({
      transactionId: `00000000-0000-4000-8000-00000000000${n}`,
      reference: `PY000000000000000${n}`,
      amount: minor(500_000),
      currency: 'TZS',
      description: 'a test',
      party: { kind: 'wallet', msisdn: '255780000001' } as const,
    });
    for (const n of [1, 2])
      assert.equal((await channel.requestPush?.(order(n), { timeoutMs: 5_000 }))?.kind, 'accepted');
    await until(() => simulator.book.movements().length === 2, 'both are paid');
    const [imported] = await fetchAll(1);
    assert.equal(imported?.outcome.added, 2);
    assert.deepEqual(await test.sql`SELECT opening, closing FROM statements`, [
      { opening: 200_000_000, closing: 201_000_000 },
    ]);
  });

  it('stops the start where no connection of the account has such a list', () => {
    const account = { theirs: '1', currency: 'TZS', proves: ['clearing:m-pesa'], format: 'airtel' };
    assert.throws(
      () => fetchesOf({ x: account }),
      /statementAccounts\.x\.format: none of its connections has a list of the format airtel/,
    );
  });
});
