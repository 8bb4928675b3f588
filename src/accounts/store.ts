import { randomUUID } from 'node:crypto';
import { audit } from '../db/audit.ts';
import type { Database } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Limits } from '../domain/limits.ts';
import { CURRENCY } from '../domain/money.ts';
import { ensureMerchantAccounts } from '../ledger/accounts.ts';
import { setLimits } from './limits.ts';

export type Account = { id: string; name: string; createdAt: string };

/**
 * Makes a merchant with its two ledger accounts and its limits, so that no later step has to wonder whether they exist.
 * Audited.
 */
export function createAccount(
  database: Database,
  options: { name: string; limits: Limits; actor: string },
): Promise<{ id: string }> {
  const id = randomUUID();
  return inTransaction(database, async (db) => {
    await db.query('INSERT INTO accounts (id, name) VALUES ($1, $2)', [id, options.name]);
    await ensureMerchantAccounts(db, id, CURRENCY);
    const { actor, name, limits } = options;
    await audit(db, { actor, action: 'accounts.create', subject: id, detail: { name } });
    await setLimits(db, { accountId: id, apiKeyId: null, limits, actor }, { mayRaise: false });
    return { id };
  });
}

/** All merchants, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const { rows } = await database.query('SELECT id, name, created_at FROM accounts ORDER BY created_at, id');
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }));
}
