// tests: generated
import assert from 'node:assert/strict';
import { createStatementFetches } from '../../src/app/fetch-statements.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { fetchStatement } from '../../src/reconciliation/fetch.ts';
import { voidStatement } from '../../src/reconciliation/void.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { places } from '../support/generated.ts';
import { idleTemporal } from '../support/idle-temporal.ts';
import { createMerchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import { digestOf, driftOf, keys, walletAccount } from '../support/statements-of-accounts.ts';
import { Network } from './network.ts';

const MINUTE = 60_000;
describe('a statement that is fetched', () => {
  const test = useTestDatabase({ each: true });
  let database: Database;
  let network: Network;
  const account = walletAccount({ format: 'gsma' });
  beforeEach(async () => {
    database = asRole(test.database, 'worker');
    await createMerchant(test.database);
    network = new Network();
  });

  /** `minutes` from now; what is younger than five minutes is left to the next one. */
  const fetchIt = (minutes: number, also: { database?: Database } = {}) =>
    fetchStatement(also.database ?? database, {
      account,
      source: network,
      keys,
      settleMs: 5 * MINUTE,
      now: new Date(Date.now() + minutes * MINUTE),
    });
  /** The first begins with today, whatever the clock says: what was before it is no line. */
  async function begun() {
    await fetchIt(6);
    network.asked = [];
  }
  const lines = async () =>
    (
      await test.sql`SELECT receipt, running FROM statement_lines WHERE status = 'done' AND kind <> 'opening'
        ORDER BY position`
    ).map(({ receipt, running }) => [receipt, running]);

  it('goes on from the last one that is not void, and reads again what only void ones said', async () => {
    const voided = async (id: string) => {
      const proposalId = await plantProposal(test.database, 'statements.void');
      await inTransaction(test.database, (db) => voidStatement(db, id, { proposalId, note: 'a test' }));
    };
    await begun();
    network.entries = [{ receipt: 'R1', amount: 1_000, minutes: -2 }];
    const second = await fetchIt(10);
    assert.ok(second);
    await voided(second.id);
    assert.deepEqual((await fetchIt(20))?.outcome.classes, { theirs_only: 1 });
    const rows = await test.sql`SELECT id FROM statements WHERE voided_by IS NULL ORDER BY imported_at DESC`;
    for (const { id } of rows) await voided(id);
    // Days later: today alone has none of it.
    assert.deepEqual((await fetchIt(3 * 24 * 60))?.outcome.classes, { opening: 1, theirs_only: 1 });
    assert.equal(await driftOf(test.database, account), 0);
  });

  it('is read page by page and proven by the balance of now, without what came later', async () => {
    await begun();
    network.entries = [
      { receipt: 'R1', amount: 1_000, minutes: -2 },
      { receipt: 'R2', amount: -300, minutes: -3 },
      { receipt: 'R3', amount: 2_000, minutes: -4 },
      { receipt: 'R4', amount: 70, minutes: -9 },
    ];
    const imported = await fetchIt(10);
    assert.deepEqual([imported?.outcome.added, imported?.outcome.classes], [3, { theirs_only: 3 }]);
    assert.deepEqual(
      await lines(),
      [
        ['R1', 105_000],
        ['R2', 75_000],
        ['R3', 275_000],
      ],
      'R4 is younger than five minutes',
    );
    assert.deepEqual(pick(network.asked, 'offset'), [0, 2, 0]);
    assert.equal(await driftOf(test.database, account), 0);
    const next = await fetchIt(20);
    assert.equal(next?.outcome.added, 1);
    assert.equal(await driftOf(test.database, account), 0);
    const rows = await test.sql`SELECT count(*)::int AS unproven FROM statements WHERE closing IS NULL`;
    assert.equal(rows[0].unproven, 0);
  });

  it('reads to the end of a list that does not count', async () => {
    await begun();
    network.counts = false;
    network.entries = [1, 2, 3].map((n) => ({ receipt: `R${n}`, amount: n, minutes: -n }));
    assert.equal((await fetchIt(10))?.outcome.added, 3);
  });

  it('is unproven where the network tells no balance', async () => {
    network.telling = false;
    await begun();
    network.entries = [{ receipt: 'R1', amount: 1_000, minutes: -2 }];
    await fetchIt(10);
    assert.deepEqual(await lines(), [['R1', null]]);
    const rows = await test.sql`SELECT closing FROM statements`;
    assert.deepEqual(pick(rows, 'closing'), [null, null]);
  });

  it('asks for balance and list again until nothing moves between them', async () => {
    await begun();
    network.entries = [{ receipt: 'R1', amount: 1_000, minutes: -2 }];
    let balances = 0;
    network.before = (asked) => {
      if (asked === 'balance') balances += 1;
      if (balances === 2 && asked === 'balance')
        network.entries.push({ receipt: 'R2', amount: 500, minutes: -9 });
    };
    assert.equal((await fetchIt(10))?.outcome.added, 1);
    assert.equal(balances, 3);
    assert.deepEqual(await lines(), [['R1', 105_000]]);
    assert.equal((await fetchIt(20))?.outcome.added, 1);
  });

  it('ends before what is still pending, and shows it when it has ended', async () => {
    await begun();
    network.entries = [
      { receipt: 'R1', amount: 1_000, minutes: -1 },
      { receipt: 'R2', amount: 500, minutes: -2, status: 'pending' },
      { receipt: 'R3', amount: 200, minutes: -3 },
    ];
    assert.equal((await fetchIt(10))?.outcome.added, 1);
    assert.equal(await fetchIt(11), null, 'there is nothing before it');
    network.entries[1] = { receipt: 'R2', amount: 500, minutes: -2 };
    assert.equal((await fetchIt(12))?.outcome.added, 2);
    assert.deepEqual(await lines(), [
      ['R1', 105_000],
      ['R2', 155_000],
      ['R3', 175_000],
    ]);
  });

  it('stores nothing where the network does not answer, or its list changes, and all of it the next time', async () => {
    await begun();
    network.entries = [1, 2, 3].map((n) => ({ receipt: `R${n}`, amount: n, minutes: -n }));
    const digest = await digestOf(test.database);
    let pages = 0;
    network.before = (asked) => {
      if (asked === 'page' && ++pages === 2) throw new Error('HTTP 503');
    };
    await assert.rejects(fetchIt(10), /HTTP 503/);
    pages = 0;
    network.before = (asked) => {
      if (asked === 'page' && ++pages === 2)
        network.entries.push({ receipt: 'R4', amount: 4, minutes: -3.5 });
    };
    await assert.rejects(fetchIt(10), /had 3 entries, and now 4/);
    network.before = () => {};
    network.entries = network.entries.slice(0, 2);
    network.uncounted = 1;
    await assert.rejects(fetchIt(10), /its list has 1 entries, and 2 came/);
    network.uncounted = 0;
    network.entries = [1, 2, 3].map((n) => ({ receipt: `R${n}`, amount: n, minutes: -n }));
    network.entries.push({ receipt: 'R4', amount: 4, minutes: -3.5 });
    // A network that leaves one out: what it has does not lead to its balance.
    network.balance = async () => '61.00';
    await assert.rejects(fetchIt(10), /its opening is .*, but the statement before it leaves 50\.00/);
    assert.equal(await digestOf(test.database), digest);
    network.balance = Network.prototype.balance;
    assert.equal((await fetchIt(10))?.outcome.added, 4);
  });

  it('is all there or not there at all, wherever the connection breaks', async function () {
    this.timeout(120_000);
    await begun();
    network.entries = [1, 2, 3].map((n) => ({ receipt: `R${n}`, amount: n, minutes: -n }));
    const before = await digestOf(test.database);
    let at = places.first(1);
    for (; (await digestOf(test.database)) === before; at += places.step) {
      const failing = failingDatabase(database, { at, answerLost: at % 2 === 0 });
      await fetchIt(10, { database: failing.database }).catch((error) =>
        assert.ok(error instanceof ConnectionLost, String(error)),
      );
    }
    assert.ok(at > 12, `${at} statements`);
    assert.equal((await lines()).length, 3);
    const after = await digestOf(test.database);
    assert.equal((await fetchIt(11))?.outcome.added, 0, 'the next one begins where this one ended');
    assert.equal(await digestOf(test.database), after);
    assert.equal(await driftOf(test.database, account), 0);
  });

  it('is not asked for while the fence is closed, and one account that fails stops no other', async () => {
    const other = walletAccount({
      ...account,
      id: 'other',
      group: 'other',
      proves: ['clearing:halopesa:TZS'],
    });
    const broken = new Network();
    broken.before = () => {
      throw new Error('HTTP 500');
    };
    const fetches = createStatementFetches({
      longDatabase: database,
      client: idleTemporal(),
      accounts: new Map([
        ['m-pesa', account],
        ['other', other],
      ]),
      sources: new Map([
        ['m-pesa', broken],
        ['other', network],
      ]),
      keys,
      settleMs: 0,
    });
    await assert.rejects(fetches.fetch(), (error: Error) => {
      assert.match(error.message, /1 statements could not be fetched/);
      assert.match(String(error.cause), /of m-pesa could not be fetched/);
      return true;
    });
    const imported = async () => (await test.sql`SELECT account FROM statements`).map((row) => row.account);
    assert.deepEqual(await imported(), ['other']);
    network.asked = [];
    await closeFence(test.database, 'a test');
    assert.deepEqual(await fetches.fetch(), { accounts: 0, lines: 0, fenced: true });
    assert.deepEqual([network.asked, await imported()], [[], ['other']]);
  });
});
