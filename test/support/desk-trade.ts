import type pg from 'pg';
import { dayOf } from '../../src/domain/day.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { seedTransactions } from './many-transactions.ts';
import { createMerchant } from './merchant.ts';
import { plantPaidPush } from './paid-push.ts';

/** What the desk's pictures have to show: a merchant of this name with hours of pushes, paid at several hours of two days. */
export async function tradeOf(database: pg.Pool, { name = 'Duka la Zuhura', pushes = 1_500 } = {}) {
  const merchant = await createMerchant(database, { balance: 250_000 });
  await database.query('UPDATE accounts SET name = $2 WHERE id = $1', [merchant.accountId, name]);
  await seedTransactions(database, merchant, pushes);
  const midnight = Date.parse(`${dayOf(new Date())}T00:00:00+03:00`);
  const moments = [0, 1, 2, 3, 0, 2, 3].map(
    (hour, at) => midnight + hour * 3_600_000 + 60_000 - (at < 4 ? 7 * 86_400_000 : 0),
  );
  const move = (id: string, moment: number) => moveBooked(database, id, moment);
  await move(merchant.accountId, midnight - 8 * 86_400_000);
  for (const [at, moment] of moments.entries()) {
    const paid = { msisdn: `25575400${1_000 + at}`, amount: 5_000 + 2_000 * at };
    await move(await plantPaidPush(database, merchant, paid), moment);
  }
  return merchant.accountId;
}

/**
 * Moves what was booked for a transaction, or at an account. A picture reads a balance in the order of its moments: what was
 * booked first must be the earliest.
 */
async function moveBooked(database: pg.Pool, id: string, moment: number) {
  await inTransaction(database, async (db) => {
    await db.query("SET LOCAL session_replication_role = 'replica'");
    await db.query(
      `WITH booked AS (SELECT t.id FROM transfers t JOIN entries e ON e.transfer_id = t.id
           JOIN ledger_accounts a ON a.id = e.ledger_account_id
           WHERE t.transaction_id::text = $1 OR a.code LIKE 'available:' || $1 || ':%'),
         moved AS (UPDATE entries SET at = $2 WHERE transfer_id IN (SELECT id FROM booked))
       UPDATE transfers SET created_at = $2 WHERE id IN (SELECT id FROM booked)`,
      [id, new Date(moment).toISOString()],
    );
  });
}
