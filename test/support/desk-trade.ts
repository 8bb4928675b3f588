import type pg from 'pg';
import { dayOf } from '../../src/domain/day.ts';
import { seedTransactions } from './many-transactions.ts';
import { createMerchant } from './merchant.ts';
import { plantPaidPush } from './paid-push.ts';

/** What the desk's pictures have to show: a merchant of this name with hours of pushes, paid at several hours of two days. */
export async function tradeOf(
  database: pg.Pool,
  { name = 'Duka la Zuhura', pushes = 1_500 } = {},
): Promise<string> {
  const merchant = await createMerchant(database, { balance: 250_000 });
  await database.query('UPDATE accounts SET name = $2 WHERE id = $1', [merchant.accountId, name]);
  await seedTransactions(database, merchant, pushes);
  const midnight = Date.parse(`${dayOf(new Date())}T00:00:00+03:00`);
  const moments = [0, 1, 2, 3, 0, 2, 3].map(
    (hour, at) => midnight + hour * 3_600_000 + 60_000 - (at < 4 ? 7 * 86_400_000 : 0),
  );
  for (const [at, moment] of moments.entries()) {
    const id = await plantPaidPush(database, merchant, {
      msisdn: `25575400${1_000 + at}`,
      amount: 5_000 + 2_000 * at,
    });
    const session = await database.connect();
    try {
      await session.query("SET session_replication_role = 'replica'");
      const when = [id, new Date(moment).toISOString()];
      await session.query(
        'UPDATE entries SET at = $2 WHERE transfer_id IN (SELECT id FROM transfers WHERE transaction_id = $1)',
        when,
      );
      await session.query('UPDATE transfers SET created_at = $2 WHERE transaction_id = $1', when);
    } finally {
      await session.query("SET session_replication_role = 'origin'");
      session.release();
    }
  }
  return merchant.accountId;
}
