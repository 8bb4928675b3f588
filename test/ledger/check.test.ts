// tests: many connections
import assert from 'node:assert/strict';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { minor } from '../../src/domain/money.ts';
import { postCollection } from '../../src/ledger/movement.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkAll, checkNew } from '../../src/reconciliation/check.ts';
import { accept } from '../support/accept.ts';
import { draftOf } from '../support/batches.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import type { Queryable } from '../support/queryable.ts';
import { untilAddedUp } from '../support/swept.ts';
import { until } from '../support/wait.ts';
import { type Healthy, insertTransaction, plantHealthy, setStatus, subjectOf } from './support.ts';

describe('the check of what is new in the ledger', () => {
  const test = useTestDatabase({ each: true });
  let healthy: Healthy;
  beforeEach(async () => {
    healthy = await plantHealthy(test.database);
  });

  const api = () => asRole(test.database, 'api');
  const post = async (db: Queryable, merchant: Merchant) => {
    const payment = subjectOf(merchant, 'payment', { value: minor(5_000_00), fee: minor(100_00) });
    await insertTransaction(db, merchant, payment);
    await setStatus(db, payment, 'completed');
    await postCollection(db, { ...payment, receipt: null });
    return payment;
  };
  const pay = (merchant: Merchant, whileOpen = async () => {}) =>
    inTransaction(test.database, async (db) => {
      const payment = await post(db, merchant);
      await whileOpen();
      return payment;
    });
  const right = { breaches: [], isNoted: true };
  /** A check that has read which entry is the last one, and waits for the transactions that began before. */
  const startCheck = async () => {
    let looks = 0;
    const watched = beforeStatements(api(), async (_on, query) => {
      if (String(query).includes('pg_snapshot_xmin')) looks += 1;
    });
    const result = checkNew(watched);
    await until(() => looks > 1, 'the check looks again');
    return { result };
  };
  const checkpoints = async () => {
    const rows = await test.sql`SELECT entry, sums FROM ledger_checkpoints ORDER BY id`;
    return rows as { entry: number; sums: Record<string, number> }[];
  };
  /** As somebody with the rights of the owner would. */
  const tamper = async (statement: string, ...tables: string[]) => {
    for (const table of tables) await test.database.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
    await test.database.query(statement);
    for (const table of tables) await test.database.query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  };

  it('reads each entry once, a few at a time, and goes on where it was', async () => {
    const first = await checkNew(api(), { batch: 4 });
    assert.deepEqual({ ...right, entries: first.entries }, first);
    assert.ok(first.entries > 12);
    assert.ok((await checkpoints()).length > 3, 'each part is noted by itself');
    assert.deepEqual(await checkNew(api()), { ...right, entries: 0 });
    await pay(healthy.merchant);
    assert.deepEqual(await checkNew(api()), { ...right, entries: 4 });
    const rows =
      await test.sql`SELECT ledger_account_id AS id, sum(amount) AS sum FROM entries WHERE line IS NULL
        GROUP BY 1`;
    const sums = Object.fromEntries(rows.map(({ id, sum }) => [id, Number(sum)]));
    assert.deepEqual((await checkpoints()).at(-1)?.sums, sums);
    assert.deepEqual((await checkAll(api())).breaches, []);
    assert.deepEqual((await checkpoints()).at(-1)?.sums, sums);
  });

  it('finds what is wrong after it, until it is right, and not what was changed before it', async () => {
    await checkNew(api());
    const { transactionId: id } = await pay(healthy.merchant);
    const wrong = `UPDATE entries SET amount = amount + 5 WHERE is_fee AND transfer_id IN (SELECT id FROM transfers WHERE transaction_id = '${id}')`;
    await tamper(wrong, 'entries');
    for (let times = 0; times < 2; times += 1) {
      const { breaches, isNoted } = await checkNew(api());
      assert.match(breaches.join(), /does not balance in TZS/);
      assert.equal(isNoted, false);
    }
    await tamper(wrong.replace('+ 5', '- 5'), 'entries');
    assert.deepEqual({ ...(await checkNew(api())), entries: 0 }, { ...right, entries: 0 });
    // What changed its state in the last minutes is looked at again.
    await test.sql`UPDATE transactions SET status_at = now() - interval '1 day'`;
    await tamper(wrong, 'entries');
    assert.deepEqual(await checkNew(api()), { ...right, entries: 0 }, 'it was proven before it was changed');
    const { breaches, isNoted } = await checkAll(api());
    assert.match(breaches.join(), /does not balance in TZS/);
    assert.equal(isNoted, false);
  });

  it('finds a state that changed without its money, whenever the transaction was made', async () => {
    await checkNew(api());
    await tamper(
      `UPDATE transactions SET status = 'paid', status_at = now() WHERE id = '${healthy.open.transactionId}'`,
      'transactions',
    );
    assert.match((await checkNew(api())).breaches.join(), /is paid but its hold is open/);
  });

  it('finds what was cut off, and what a process noted that is not true', async () => {
    await checkNew(api());
    const [last] = (await checkpoints()).slice(-1);
    const note = (entry: number, sums: object) =>
      api().query('INSERT INTO ledger_checkpoints (entry, at, sums) VALUES ($1, now(), $2)', [entry, sums]);
    await note(last?.entry ?? 0, { ...last?.sums, [Object.keys(last?.sums ?? {})[0] ?? '']: 1 });
    assert.match((await checkAll(api())).breaches.join(), /checkpoint \d+ says 1 of ledger account/);
    await note((last?.entry ?? 0) + 1_000, last?.sums ?? {});
    assert.match(
      (await checkNew(api())).breaches.join(),
      /checkpoint \d+ says entry \d+ but the last one is/,
    );
    await assert.rejects(api().query('DELETE FROM ledger_checkpoints'), /permission denied/);
    await assert.rejects(test.sql`DELETE FROM ledger_checkpoints`, /append-only/);
  });

  it('waits for entries that were numbered before and are committed after', async () => {
    const other = await createMerchant(test.database, { balance: 1_000 });
    await checkNew(api());
    let checked: Awaited<ReturnType<typeof startCheck>> | undefined;
    await pay(other, async () => {
      await pay(healthy.merchant);
      checked = await startCheck();
    });
    assert.deepEqual({ ...(await checked?.result), entries: 0 }, { ...right, entries: 0 });
    assert.deepEqual((await checkNew(api())).breaches, []);
    assert.deepEqual((await checkAll(api())).breaches, [], 'its sums have both');
  });

  it('waits for them also when what was committed has the earlier transaction number', async () => {
    const other = await createMerchant(test.database, { balance: 1_000 });
    await checkNew(api());
    const early = await test.database.connect();
    try {
      await early.query('BEGIN; SELECT pg_current_xact_id()');
      let checked: Awaited<ReturnType<typeof startCheck>> | undefined;
      await pay(other, async () => {
        await post(early, healthy.merchant);
        await early.query('COMMIT');
        checked = await startCheck();
      });
      assert.deepEqual(await checked?.result, { ...right, entries: 8 });
    } finally {
      early.release();
    }
    assert.deepEqual((await checkAll(api())).breaches, [], 'its sums have both');
  });

  it('counts all items of a batch for the day on which it started, those too that are no payouts yet', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const { run } = await draftOf(test.database, merchant, [{ amount: 11_000 }, { amount: 12_000 }]);
    await startBatch(test.database, run);
    assert.deepEqual((await checkNew(api())).breaches, []);
    const [first] = await nextSubmissions(test.database, run);
    assert.ok(first);
    await accept(test.database, first);
    assert.deepEqual({ ...(await checkNew(api())), entries: 0 }, { ...right, entries: 0 });
    await test.sql`UPDATE batches SET held = held - 1`;
    assert.match(
      (await checkNew(api())).breaches.join(),
      /batch .* held \d+, its items took \d+, 0 went back, and \d+ is left/,
    );
    await test.sql`UPDATE batches SET held = held + 1`;
    await test.sql`UPDATE payout_days SET payouts = 3 WHERE account_id = ${merchant.accountId}`;
    assert.match(
      (await checkNew(api())).breaches.join(),
      /in 3 payouts on .* but its payouts say 2300000 in 2/,
    );
  });

  it('follows the sums that the sweep adds up, and finds one that is not true', async () => {
    await checkNew(api());
    for (let times = 0; times < 2; times += 1) {
      await pay(healthy.merchant);
      await untilAddedUp(asRole(test.database, 'worker'));
      assert.deepEqual(await checkNew(api()), { ...right, entries: 4 });
    }
    await pay(healthy.merchant);
    await checkNew(api());
    assert.deepEqual(await checkNew(api()), { ...right, entries: 0 }, 'the checkpoint is ahead of the sums');
    await test.sql`UPDATE ledger_sums SET amount = amount + 7
      WHERE ledger_account_id = (SELECT max(ledger_account_id) FROM ledger_sums)`;
    const { breaches, isNoted } = await checkNew(api());
    assert.match(breaches.join(), /was added up to -?\d+, but its entries so far sum to/);
    assert.equal(isNoted, false);
  });
});
