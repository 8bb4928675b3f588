import { type AccountInUse, bookOf } from '../../src/reconciliation/explain.ts';
import { CONNECTION, createMerchant, type Merchant } from '../support/merchant.ts';
import { type Database, sqlOf } from '../support/queryable.ts';
import { nameOf, type Planted, type World } from './generator.ts';

const BATCH = 500;

/** Books the movements, straight in the database: completed pushes of wallets, top-ups of the bank. */
export async function bookMovements(database: Database, world: World, merchant?: Merchant): Promise<void> {
  const { accountId, apiKeyId } = merchant ?? (await createMerchant(database, { balance: 0 }));
  for (const account of world.accounts) {
    const all = world.movements.get(account.id) ?? [];
    const code = bookOf(account).startsWith('clearing:bank') ? 'settlement::TZS' : bookOf(account);
    if (code.startsWith('clearing:'))
      await sqlOf(
        database,
      )`INSERT INTO ledger_accounts (kind, channel, currency) VALUES ('clearing', ${account.id}, 'TZS') ON CONFLICT DO NOTHING`;
    for (let from = 0; from < all.length; from += BATCH) {
      const some = all.slice(from, from + BATCH);
      await database.query(code.startsWith('clearing:') ? PAYMENTS : TOP_UPS, [
        some.map(({ receipt }) => receipt),
        some.map(({ amount }) => amount),
        accountId,
        code,
        ...(code.startsWith('clearing:') ? [apiKeyId, account.id, CONNECTION] : []),
      ]);
    }
  }
}

const ENTRIES = `,
  moved AS (
    INSERT INTO movements (id, ledger_account_id, space, connection, kind, amount, currency, transaction_id, told_by)
    SELECT booked.id, a.id, coalesce(booked.connection, a.code), booked.connection, 'itself', booked.amount, 'TZS', booked.transaction_id, 'channel'
    FROM booked JOIN ledger_accounts a ON a.code = $4 RETURNING id, space, direction),
  named AS (
    INSERT INTO movement_names (movement_id, space, direction, name, is_receipt)
    SELECT moved.id, moved.space, moved.direction, booked.receipt, true FROM moved JOIN booked USING (id))
  INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id)
  SELECT booked.id, a.id, CASE a.code WHEN $4 THEN -booked.amount ELSE booked.amount END, CASE a.code WHEN $4 THEN booked.id END
  FROM booked JOIN ledger_accounts a ON a.code IN ($4, 'available:' || $3::uuid || ':TZS')`;

const TOP_UPS = `
  WITH given AS (SELECT * FROM unnest($1::text[], $2::bigint[]) AS g (receipt, amount)),
  added AS (
    INSERT INTO transfers (kind, dedupe_key, reference) SELECT 'top_up', 'funding:' || receipt, receipt FROM given RETURNING id, reference),
  booked AS (SELECT added.id, given.amount, given.receipt, NULL AS connection, NULL::uuid AS transaction_id
    FROM added JOIN given ON given.receipt = added.reference)
  ${ENTRIES}`;

const PAYMENTS = `
  WITH given AS (SELECT *, gen_random_uuid() AS id FROM unnest($1::text[], $2::bigint[]) AS g (receipt, amount)),
  paid AS (
    INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee, fee_version,
      settled, channel, reference, channel_reference, is_receipt, msisdn, metadata, timing, due_at, created_at, updated_at, status_at, connection)
    SELECT id, $3::uuid, $5, id, 'payment', 'ussd', 'completed', 'payment.received', amount, 'TZS', 0, 'test', amount, $6,
      'PY' || receipt, receipt, true, '255754123456', '{}', '{}', now(), now(), now(), now(), $7 FROM given RETURNING id),
  added AS (
    INSERT INTO transfers (kind, transaction_id, dedupe_key, reference)
    SELECT 'collection', paid.id, 'collection:' || paid.id, given.receipt FROM paid JOIN given USING (id) RETURNING id, transaction_id),
  booked AS (SELECT added.id, given.amount, given.receipt, $7::text AS connection, transaction_id
    FROM added JOIN given ON given.id = added.transaction_id)
  ${ENTRIES}`;

/** What came of every line, and of every movement without one, as the oracle writes it. */
export async function outcomesOf(database: Database, accounts: readonly AccountInUse[]): Promise<string[]> {
  const rows = await sqlOf(
    database,
  )`SELECT l.account, l.receipt, l.amount, coalesce((SELECT min(m.pass) FROM line_matches m WHERE m.line_id = l.id), l.finding, 'waiting') AS outcome
     FROM statement_lines l
     UNION ALL
     SELECT coalesce(nullif(split_part(m.book, ':', 2), ''), 'bank'), m.receipts[1], m.amount, 'ours_only' FROM movement_entries m
     WHERE m.book = ANY(${accounts.flatMap(({ proves }) => proves)}) AND NOT EXISTS (SELECT FROM line_matches x WHERE x.entry_id = m.entry_id)`;
  return (rows as Planted[]).map(nameOf).sort();
}

/** Members of one list that the other lacks, as often as they are there. */
export function lacking(list: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of other) left.set(one, (left.get(one) ?? 0) + 1);
  return list.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
