import { randomUUID } from 'node:crypto';
import type { Database } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { ensureMerchantAccounts } from '../ledger/accounts.ts';

export type Account = { id: string; name: string; createdAt: string };

const CURRENCY = 'TZS';

/** Makes a merchant with its two ledger accounts, so that no later step has to wonder whether they exist. Audited. */
export function createAccount(
  database: Database,
  options: { name: string; actor: string },
): Promise<{ id: string }> {
  const id = randomUUID();
  return inTransaction(database, async (db) => {
    await db.query('INSERT INTO accounts (id, name) VALUES ($1, $2)', [id, options.name]);
    await ensureMerchantAccounts(db, id, CURRENCY);
    await db.query('INSERT INTO audit_log (actor, action, subject, detail) VALUES ($1, $2, $3, $4)', [
      options.actor,
      'accounts.create',
      id,
      { name: options.name },
    ]);
    return { id };
  });
}

/** All merchants, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const { rows } = await database.query('SELECT id, name, created_at FROM accounts ORDER BY created_at, id');
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }));
}
