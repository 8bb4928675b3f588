import { randomUUID } from 'node:crypto';
import { GatewayError } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import type { Limits } from '../domain/limits.ts';
import { CURRENCY } from '../domain/money.ts';
import { ensureMerchantAccounts } from '../ledger/accounts.ts';
import { type Actor, audit } from '../platform/db/audit.ts';
import { type Listed, type Page, readPage } from '../platform/db/listing.ts';
import type { Database, Queryable, RowOf } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { DEFAULT, insert } from '../platform/db/write.ts';
import { setLimits } from './limits.ts';

export type Account = { id: string; name: string; createdAt: string; frozenAt: string | null };

/** Makes a merchant with ledger accounts and limits. Audited. */
export function createAccount(
  database: Database,
  options: { name: string; limits: Limits; actor: Actor },
): Promise<{ id: string }> {
  const id = randomUUID();
  return inTransaction(database, async (db) => {
    const { actor, name, limits } = options;
    await insert(db, 'accounts', {
      id,
      name,
      display_name: null,
      created_at: DEFAULT,
      batches_need_another: DEFAULT,
    });
    await ensureMerchantAccounts(db, id, CURRENCY);
    await audit(db, { actor, action: 'accounts.create', subject: id, detail: { name } });
    await setLimits(db, { accountId: id, apiKeyId: null, limits, actor }, { mayRaise: false });
    return { id };
  });
}

/** Returns merchants whose name contains these letters, or all, oldest first. */
export async function listAccounts(
  database: Database,
  { name = '', ...page }: Page & { name?: string | undefined },
): Promise<Listed<Account>> {
  const { items, ...total } = await readPage(
    database,
    { text: NAMED, values: [name], order: 'a.created_at, id' },
    page,
  );
  return { items: items.map(toAccount), ...total };
}

/** Throws `not_found` if there is no such account, or if the id is no UUID. */
export async function requireAccount(db: Queryable, id: string): Promise<Account> {
  const { rows } = isUuid(id) ? await db.query(`${ACCOUNTS} WHERE id = $1`, [id]) : { rows: [] };
  if (!rows[0]) throw new GatewayError('not_found', `There is no account ${id}`);
  return toAccount(rows[0]);
}

const ACCOUNTS = `SELECT id, name, a.created_at, f.frozen_at FROM accounts a
   LEFT JOIN freezes f ON f.account_id = a.id AND f.api_key_id IS NULL AND f.lifted_by IS NULL`;

const NAMED = `${ACCOUNTS} WHERE strpos(lower(name), lower($1)) > 0` as const;

function toAccount(row: RowOf<typeof NAMED>): Account {
  return { id: row.id, name: row.name, createdAt: row.created_at, frozenAt: row.frozen_at };
}
