import { createDatabase } from '../src/platform/db/pool.ts';
import { seedTransactions } from '../test/support/many-transactions.ts';
import type { Merchant } from '../test/support/merchant.ts';

/** Pictures look back seven whole days, and at today. */
const BOOKED_DAYS = 8;
const SUSPENSE_ITEMS = 2_000;
/** minor units that each merchant had before: payouts leave something */
const OPENING = 1_000_000_000;

/**
 * Stores `each` transactions of every merchant, and books those of the last days with movements, transfers and entries: all in
 * the order of their time, as they would have come. The triggers of the ledger would take hours: here they are off.
 */
export async function plantTrade(url: string, merchants: readonly Merchant[], each: number): Promise<void> {
  const limits = { poolMax: 1, queryTimeoutMs: 3_600_000 };
  const database = createDatabase({ url, applicationName: 'malipo bench', ...limits });
  await database.query('SET statement_timeout = 0; SET session_replication_role = replica');
  for (const [at, merchant] of merchants.entries())
    await seedTransactions(database, merchant, each, { took: at * each });
  const ids = merchants.map(({ accountId }) => accountId);
  await database.query(PLANTED, [ids, OPENING, BOOKED_DAYS]);
  for (const statement of BOOKED) await database.query(statement);
  await database.query(SUSPENSE, [SUSPENSE_ITEMS]);
  await database.query(SAID);
  await database.query(
    'VACUUM ANALYZE transactions, transfers, movements, entries, suspense_items, statements',
  );
  await database.end();
}

const PLANTED = `CREATE TEMP TABLE planted AS
  SELECT t.id, t.created_at AS at, a.id AS available, c.id AS clearing, t.direction * t.amount AS amount,
    1 + row_number() OVER its AS line, $2::bigint + sum(t.direction * t.amount) OVER its AS balance
  FROM (SELECT *, CASE type WHEN 'payment' THEN 1 ELSE -1 END AS direction FROM transactions) t
  JOIN ledger_accounts a ON a.code = 'available:' || t.account_id || ':TZS'
  JOIN ledger_accounts c ON c.code = 'clearing:' || t.channel || ':TZS'
  WHERE t.account_id = ANY ($1::uuid[]) AND t.status IN ('completed', 'paid') AND t.created_at > now() - make_interval(days => $3)
  WINDOW its AS (PARTITION BY t.account_id ORDER BY t.created_at, t.id) ORDER BY t.created_at`;

const BOOKED = [
  `INSERT INTO movements (id, ledger_account_id, space, connection, kind, amount, currency, transaction_id, told_by, created_at)
   SELECT md5('movement' || id)::uuid, clearing, 'test', 'test', 'itself', amount, 'TZS', id, 'channel', at FROM planted ORDER BY at`,
  `INSERT INTO transfers (id, kind, transaction_id, dedupe_key, created_at)
   SELECT id, CASE WHEN amount > 0 THEN 'collection' ELSE 'payout' END, id, 'planted:' || id, at FROM planted ORDER BY at`,
  `INSERT INTO entries (id, transfer_id, ledger_account_id, amount, line, balance, at, movement_id)
   SELECT nextval('entries_id'), p.id, e.account, e.amount, e.line, e.balance, p.at, e.movement
   FROM (SELECT * FROM planted ORDER BY at) p CROSS JOIN LATERAL (VALUES
     (p.clearing, -p.amount, NULL, NULL, md5('movement' || p.id)::uuid), (p.available, p.amount, p.line, p.balance::bigint, NULL))
     AS e (account, amount, line, balance, movement)`,
  // The opening is the first line of each.
  `UPDATE entries SET at = '2000-01-01', balance = amount WHERE line = 1`,
  `UPDATE ledger_accounts a SET lines = p.line, balance = p.balance, moved_at = p.at
   FROM (SELECT DISTINCT ON (available) * FROM planted ORDER BY available, line DESC) p WHERE a.id = p.available`,
];

const SUSPENSE = `INSERT INTO suspense_items (channel, space, receipt, amount, currency, detail, transfer_id, created_at)
  SELECT 'm-pesa', 'test', 'planted' || n, 500000, 'TZS', 'a late success', gen_random_uuid(), now() - n * interval '10 minutes'
  FROM generate_series(1, $1::int) n`;

/** M-Pesa's statement ends with yesterday, as in the morning. */
const SAID = `INSERT INTO statements (id, account, sha256, from_at, to_at, currency, opening, closing, is_first, outcome, data_key, imported_by)
  SELECT 'planted', 'm-pesa', '\\x00', today - interval '1 day', today, 'TZS', 0, 100000000000, true, '{}', '\\x00', 'bench'
  FROM (SELECT date_trunc('day', now() AT TIME ZONE 'Africa/Dar_es_Salaam') AT TIME ZONE 'Africa/Dar_es_Salaam' AS today) day`;
