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
  await moveBooked(database, await transfersAt(database, merchant.accountId), midnight - 8 * 86_400_000);
  for (const [at, moment] of moments.entries()) {
    const id = await plantPaidPush(database, merchant, {
      msisdn: `25575400${1_000 + at}`,
      amount: 5_000 + 2_000 * at,
    });
    await moveBooked(database, await transfersOf(database, id), moment);
  }
  return merchant.accountId;
}

async function transfersAt(database: pg.Pool, account: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT e.transfer_id AS id FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id
     WHERE a.code LIKE 'available:' || $1 || ':%'`,
    [account],
  );
  return rows.map(({ id }) => id);
}

async function transfersOf(database: pg.Pool, transaction: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM transfers WHERE transaction_id = $1',
    [transaction],
  );
  return rows.map(({ id }) => id);
}

/** A picture reads a balance in the order of its moments: what was booked first must be the earliest. */
async function moveBooked(database: pg.Pool, transfers: readonly string[], moment: number) {
  const session = await database.connect();
  try {
    await session.query("SET session_replication_role = 'replica'");
    const moved = [transfers, new Date(moment).toISOString()];
    await session.query('UPDATE entries SET at = $2 WHERE transfer_id = ANY ($1)', moved);
    await session.query('UPDATE transfers SET created_at = $2 WHERE id = ANY ($1)', moved);
  } finally {
    await session.query("SET session_replication_role = 'origin'");
    session.release();
  }
}
