import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { CONNECTION } from './merchant.ts';
import type { Database } from './queryable.ts';

/** Money in suspense: 500 TZS that came in over M-Pesa for no transaction, unless said otherwise. */
export async function suspend(database: Database, changes: Partial<Parameters<typeof postSuspense>[1]> = {}) {
  const receipt = changes.receipt ?? randomUUID();
  await inTransaction(database, (db) =>
    postSuspense(db, {
      channel: 'm-pesa',
      connection: CONNECTION,
      transactionId: null,
      direction: 'collection',
      amount: minor(500_00),
      currency: 'TZS',
      note: 'a test',
      ...changes,
      receipt,
    }),
  );
  const { rows } = await database.query('SELECT id FROM suspense_items WHERE receipt = $1', [receipt]);
  return (await getSuspenseItem(database, rows[0]?.id)) ?? assert.fail('the item is there');
}
