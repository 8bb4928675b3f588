import assert from 'node:assert/strict';
import { settle } from '../../src/activities/settle.ts';
import type { Database } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { accept } from '../../src/transactions/accept.ts';
import { listTransactions } from '../../src/transactions/list.ts';
import { controlNumberOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { assertListed, closeBlocks } from '../support/listed.ts';
import { seedTransactions } from '../support/many-transactions.ts';
import {
  billRequest,
  createMerchant,
  type Merchant,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('the blocks of the transaction list', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  before(async () => {
    test = await createTestDatabase({ poolMax: 14 });
  });
  beforeEach(async () => {
    merchant = await createMerchant(test.database);
  });
  after(() => test.drop());

  async function blocks(): Promise<{ blocks: number; recent: number }> {
    const { rows } = await test.database.query(
      `SELECT (SELECT count(*) FROM list_blocks WHERE account_id = $1) AS blocks,
         (SELECT count(*) FROM list_recent WHERE account_id = $1) AS recent`,
      [merchant.accountId],
    );
    return rows[0];
  }

  it('show every transaction once while they are made, and made anew, beside those who accept and settle', async () => {
    const { accountId } = merchant;
    const flows = Array.from({ length: 6 }, async (_, flow) => {
      const waiting: string[] = [];
      for (let count = 0; count < 12; count += 1) {
        const submission = submissionFor(merchant, pushRequest(), { metadata: '{"order":"INV-1"}' });
        await accept(test.database, submission);
        waiting.push(submission.transactionId);
        await makeOrAbandon(test.database, (flow + count) % 3);
        // Settled when others have been accepted since, so that it is in a block by then.
        const due = waiting.length > 2 ? waiting.shift() : undefined;
        if (due) await settle(test.database, due, { kind: 'answer', result: succeeded(5_000) });
      }
      for (const id of waiting) await settle(test.database, id, { kind: 'answer', result: succeeded(5_000) });
    });
    const settled = Promise.all(flows);
    let isOver = false;
    const over = settled.finally(() => {
      isOver = true;
    });
    const reading = (async () => {
      for (let look = 0; !isOver; look += 1) {
        const filter =
          look % 2 ? { status: 'completed' } : { metadata: [['order', 'INV-1']] as [string, string][] };
        const { items, total } = await listTransactions(test.database, {
          accountId,
          filter,
          page: 1,
          perPage: 100,
        });
        assert.equal(new Set(items.map(({ id }) => id)).size, total);
      }
    })();
    await over;
    await reading;
    assert.ok((await blocks()).blocks > 1);
    await assertListed(test.database, merchant.accountId);
  });

  /** Makes blocks, or begins to: the work is rolled back, or its connection breaks. */
  async function makeOrAbandon(database: Database, way: number): Promise<void> {
    if (way === 0) return inTransaction(database, (db) => closeBlocks(db, merchant.accountId));
    const client = await database.connect();
    await client.query('BEGIN');
    await closeBlocks(client, merchant.accountId);
    if (way === 1) await client.query('ROLLBACK');
    client.release(way === 2);
  }

  it('take up what is stored later in between, and what is settled in them', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const submission = submissionFor(merchant, pushRequest(), { metadata: '{"order":"INV-1"}' });
      await accept(test.database, submission);
      ids.push(submission.transactionId);
    }
    await closeBlocks(test.database, merchant.accountId);
    const { blocks: made } = await blocks();
    assert.ok(made >= 4);
    for (const id of ids.slice(0, 30))
      await settle(test.database, id, { kind: 'answer', result: succeeded(5_000) });
    await assertListed(test.database, merchant.accountId);
    // Moved among what is in the middle of a block.
    await test.database.query(
      `UPDATE transactions SET created_at = (SELECT created_at - interval '1 microsecond' FROM transactions WHERE id = $2)
       WHERE id = ANY($1)`,
      [ids.slice(20, 40), ids[3]],
    );
    await assertListed(test.database, merchant.accountId);
    await closeBlocks(test.database, merchant.accountId);
    assert.ok((await blocks()).recent < 20);
    await assertListed(test.database, merchant.accountId);
  });

  it('are full, and have room where one was stored later in between', async () => {
    const acceptMany = async (count: number) => {
      for (let round = 0; round < count; round += 1)
        await accept(test.database, submissionFor(merchant, pushRequest()));
      await closeBlocks(test.database, merchant.accountId);
    };
    const sizes = async () => {
      const { rows } = await test.database.query(
        'SELECT cardinality(ids) AS size FROM list_blocks WHERE account_id = $1 ORDER BY newest_at DESC',
        [merchant.accountId],
      );
      return rows.map(({ size }) => size);
    };
    await acceptMany(30);
    assert.deepEqual(await sizes(), [8, 8, 8]);
    await test.database.query(
      `UPDATE transactions SET created_at = (SELECT times[4] - interval '1 microsecond' FROM list_blocks
         WHERE account_id = $1 ORDER BY newest_at LIMIT 1 OFFSET 1)
       WHERE id = (SELECT transaction_id FROM list_recent WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1)`,
      [merchant.accountId],
    );
    await acceptMany(8);
    assert.deepEqual(await sizes(), [8, 8, 5, 4, 8]);
    await assertListed(test.database, merchant.accountId);
  });

  it('take up a payment of a bill by its receipt alone: a bill may have 500', async () => {
    const { accountId } = merchant;
    const submission = submissionFor(merchant, billRequest(15_000, { mode: 'flexible' }));
    await accept(test.database, submission);
    for (let round = 0; round < 12; round += 1)
      await accept(test.database, submissionFor(merchant, pushRequest()));
    await closeBlocks(test.database, accountId);
    assert.equal((await blocks()).blocks, 1);
    const written = async () => {
      const { rows } = await test.database.query(
        'SELECT facet, xmin::text AS by FROM list_bits WHERE account_id = $1',
        [accountId],
      );
      return new Map<string, string>(rows.map(({ facet, by }) => [facet, by]));
    };
    const number = await controlNumberOf(test.database, submission.transactionId);
    await payBill(test.database, paymentOf(number, 2_000));
    const before = await written();
    const second = paymentOf(number, 2_000);
    await payBill(test.database, second);
    const changed = [...(await written())].filter(([facet, by]) => before.get(facet) !== by);
    assert.deepEqual(
      changed.map(([facet]) => facet),
      [`reference:${second.receipt}`],
    );
    await assertListed(test.database, accountId);
  });

  it('are made by storing: few transactions stay without', async () => {
    await seedTransactions(test.database, merchant, 10_000);
    const { blocks: made, recent } = await blocks();
    assert.ok(made >= 2);
    assert.ok(recent < 4_608);
    const list = {
      accountId: merchant.accountId,
      filter: { metadata: [['till', '0'] as [string, string]] },
      page: 250,
      perPage: 20,
    };
    const { items, total } = await listTransactions(test.database, list);
    assert.equal(total, 5_000);
    assert.deepEqual(
      items.map(({ reference }) => reference),
      Array.from({ length: 20 }, (_, at) => `PYMANY${9_962 + 2 * at}`),
    );
  });
});
