import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { voidStatement } from '../../src/reconciliation/void.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import { answered, handedOver, type Started } from '../support/handed-over.ts';
import { bankPayoutRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { bankAccount, digestOf, importMoves, type Move } from '../support/statements-of-accounts.ts';

const AMOUNTS = [100_000, 100_001, 100_002];
const SUM = 300_003;

describe("a bank's one entry for several payouts", () => {
  const test = useTestDatabase({ each: true, poolMax: 12 });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const [api, worker] = [() => asRole(test.database, 'api'), () => asRole(test.database, 'worker')];
  const [patient, over] = [bankAccount({ graceMs: 86_400_000 }), bankAccount({ graceMs: 1 })];

  let payouts: Started[] = [];
  beforeEach(async () => {
    payouts = [];
    for (const amount of AMOUNTS) payouts.push(await handedOver(test.database, bankPayoutRequest(amount)));
  });
  const moveOf = (also: Partial<Move> = {}): Move => ({
    receipt: 'BATCH1',
    amount: -SUM,
    kind: 'unknown',
    names: payouts.map(({ reference }) => reference),
    at: new Date(Date.now() - 60_000),
    ...also,
  });
  const line = (account = over, also: Partial<Move> = {}) => importMoves(api(), account, [moveOf(also)], SUM);

  /** It dies before its commit, then it runs, then it runs again. */
  async function settled(n: number, cause: Cause) {
    const id = payouts[n]?.id ?? '';
    const before = await digestOf(test.database);
    const dies = tryToEnd(worker(), id, cause, () => Promise.reject(new Error('it dies')));
    await assert.rejects(dies, /it dies/);
    assert.equal(await digestOf(test.database), before);
    await tryToEnd(worker(), id, cause);
    const after = await digestOf(test.database);
    await tryToEnd(worker(), id, cause);
    assert.equal(await digestOf(test.database), after, 'run twice it changes nothing');
  }
  const paid = (n: number) => settled(n, { kind: 'answer', result: succeeded(AMOUNTS[n] ?? 0, `B${n}`) });
  const failed = (n: number) => settled(n, { kind: 'answer', result: failure('network_error') });
  const allPaid = async () => {
    for (const n of AMOUNTS.keys()) await paid(n);
  };

  /** Whole shillings of items of the line, with the payout that each is of. */
  async function open(): Promise<[number, number][]> {
    const rows = await test.sql`SELECT amount, transaction_id FROM suspense_items
        WHERE is_open AND receipt NOT LIKE 'opening:%'`;
    return rows
      .map(({ amount, transaction_id: of }): [number, number] => [
        payouts.findIndex(({ id }) => id === of),
        amount / 100,
      ])
      .sort(([a], [b]) => a - b);
  }

  /** How often each pass matched, and what left us by our books, in whole shillings. */
  async function booked() {
    const rows =
      await test.sql`SELECT m.pass, count(*)::int AS count FROM line_matches m JOIN statement_lines l ON l.id = m.line_id
       WHERE l.receipt = 'BATCH1' AND NOT m.is_freed GROUP BY 1 ORDER BY 1`;
    const sums =
      await test.sql`SELECT coalesce(sum(e.amount), 0)::bigint AS sum FROM entries e JOIN movements m ON m.id = e.movement_id
       JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE m.kind <> 'opening' AND a.kind = 'clearing'`;
    return { ...Object.fromEntries(rows.map(({ pass, count }) => [pass, count])), left: sums[0].sum / 100 };
  }
  const statuses = () =>
    Promise.all(payouts.map(async ({ id }) => (await getTransaction(test.database, id))?.status));
  const holds = async () => {
    for (const day of await daysOf(test.database, [over])) assert.ok(day.holds, day.day);
  };

  it('that comes first waits for all of them, and has them asked', async () => {
    const { hinted, outcome } = await line(patient);
    assert.deepEqual(outcome.classes, { opening: 1, waiting: 1 });
    assert.deepEqual(hinted.sort(), payouts.map(({ id }) => id).sort());
    assert.deepEqual(await booked(), { left: 0 });
    await paid(0);
    await paid(2);
    assert.deepEqual(await matchAgain(worker(), patient), { explained: 0, hinted: [] });
    // "Not found" does not end one whose money a line shows.
    await settled(1, { kind: 'never_arrived' });
    assert.equal((await statuses())[1], 'pending');
    await paid(1);
    assert.equal((await matchAgain(worker(), patient)).explained, 1);
    assert.deepEqual(await booked(), { batch: 3, left: SUM });
    assert.deepEqual(await open(), []);
    const before = await digestOf(test.database);
    await matchAgain(worker(), patient);
    assert.equal(await digestOf(test.database), before);
    await holds();
  });

  it('whose grace is over is an item for each of them, which its success takes', async () => {
    const { hinted } = await line();
    assert.deepEqual(hinted.sort(), payouts.map(({ id }) => id).sort());
    assert.deepEqual(await open(), [
      [0, -100_000],
      [1, -100_001],
      [2, -100_002],
    ]);
    await settled(1, { kind: 'never_arrived' });
    await paid(0);
    assert.deepEqual(await open(), [
      [1, -100_001],
      [2, -100_002],
    ]);
    const shown = await itemsOf(test.database, [over], { states: ['open'], account: 'bank', limit: 9 });
    const its = shown.filter(({ receipt }) => receipt === 'BATCH1').map(({ itemAmount }) => itemAmount);
    assert.equal(its.length, 1, 'it is open as long as one of its items is');
    assert.ok([-10_000_100, -10_000_200].includes(its[0] ?? 0), 'and shows that one');
    await paid(1);
    await paid(2);
    assert.deepEqual(await open(), []);
    assert.deepEqual(await booked(), { theirs_only: 3, left: SUM });
    assert.deepEqual(await statuses(), ['paid', 'paid', 'paid']);
    await holds();
  });

  it('is those that were paid within its grace, and items for the others: what fails then was paid all the same', async () => {
    await line(patient);
    await paid(1);
    const { explained, hinted } = await matchAgain(worker(), over);
    assert.equal(explained, 1);
    assert.deepEqual(hinted, [], 'they were asked a moment ago');
    assert.deepEqual(await booked(), { batch: 1, theirs_only: 2, left: SUM });
    await failed(0);
    await paid(2);
    assert.deepEqual(await open(), [[0, -100_000]]);
    assert.deepEqual(await statuses(), ['failed', 'paid', 'paid']);
    // Its channel says after all that it was paid: that is the item.
    await paid(0);
    assert.deepEqual(await open(), [[0, -100_000]]);
    assert.deepEqual(await booked(), { batch: 1, theirs_only: 2, left: SUM });
    await holds();
  });

  it('that comes last is all of them', async () => {
    await allPaid();
    await line();
    assert.deepEqual(await booked(), { batch: 3, left: SUM });
    await holds();
  });

  for (const taken of [[], [1]])
    it(`in a statement that is made void and imported again counts once (${taken.length} of them paid between)`, async () => {
      const { id } = await line();
      for (const n of taken) await paid(n);
      const proposalId = await plantProposal(test.database, 'statements.void');
      await inTransaction(api(), (db) => voidStatement(db, id, { proposalId, note: 'a test' }));
      assert.deepEqual(await open(), []);
      await line();
      assert.equal((await open()).length, 3 - taken.length);
      await allPaid();
      assert.deepEqual(await open(), []);
      assert.deepEqual((await booked()).left, SUM);
      await holds();
    });

  it('that is imported while they end counts each of them once', async () => {
    for (let round = 0; round < 6; round += 1) {
      if (round > 0) {
        payouts = [];
        for (const amount of AMOUNTS)
          payouts.push(await handedOver(test.database, bankPayoutRequest(amount)));
      }
      const own = bankAccount({ graceMs: 1, id: `bank-${round}`, group: `bank-${round}` });
      await Promise.all([
        line(own),
        ...payouts.map(async ({ id }, n) => {
          const result = succeeded(AMOUNTS[n] ?? 0, `B${round}-${n}`);
          await answered(worker(), id, result);
        }),
      ]);
      await matchAgain(worker(), own);
      assert.deepEqual(await open(), [], `round ${round}`);
      assert.equal((await booked()).left, (round + 1) * SUM, `round ${round}`);
    }
  });

  it('that is not exactly their sum, or names what is not ours, is one item', async () => {
    const names = payouts.map(({ reference }) => reference);
    await line(over, { amount: -SUM - 1 });
    assert.deepEqual(await open(), [[-1, -SUM - 1]]);
    await importMoves(
      api(),
      bankAccount({ graceMs: 1, id: 'other' }),
      [moveOf({ names: [...names, 'SOMEBODY'] })],
      SUM,
    );
    assert.equal((await open()).length, 2);
  });
});
