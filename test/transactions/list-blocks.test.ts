import assert from 'node:assert/strict';
import { settle } from '../../src/activities/settle.ts';
import type { Database } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { accept } from '../../src/transactions/accept.ts';
import { listTransactions } from '../../src/transactions/list.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { assertListed, closeBlocks } from '../support/listed.ts';
import { seedTransactions } from '../support/many-transactions.ts';
import { createMerchant, type Merchant, pushRequest, submissionFor } from '../support/merchant.ts';
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
