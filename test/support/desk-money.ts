import type pg from 'pg';
import { minor } from '../../src/domain/money.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { postOdd } from '../../src/transactions/odd-money/suspense.ts';
import { handedOver } from './handed-over.ts';
import { pushRequest } from './merchant.ts';

/** What the desk has to show on a morning: a merchant whose push brought money that fits no state of it. */
export async function moneyInSuspense(
  database: pg.Pool,
  { name = 'Duka la Asha', receipt = 'QK71H2ZP9X', detail = 'a late success' } = {},
): Promise<{ transactionId: string; accountId: string; apiKeyId: string; item: string }> {
  const { id, merchant } = await handedOver(database, pushRequest(5_229, '255754000149'));
  await database.query('UPDATE accounts SET name = $2 WHERE id = $1', [merchant.accountId, name]);
  await inTransaction(database, (db) =>
    postOdd(
      db,
      {
        channel: 'm-pesa',
        connection: 'test',
        receipt,
        transactionId: id,
        direction: 'collection',
        amount: minor(5_229_00),
        currency: 'TZS',
        note: detail,
      },
      'late_success',
    ),
  );
  await raiseAttention(database, {
    transactionId: id,
    reason: 'unknown_outcome',
    detail: 'a day without an answer',
  });
  const { rows } = await database.query('SELECT id FROM suspense_items WHERE receipt = $1', [receipt]);
  return { transactionId: id, ...merchant, item: rows[0].id };
}
