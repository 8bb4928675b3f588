import type { Minor } from '../domain/money.ts';
import type { Database } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';

/** ISO 8601 UTC: `from` inclusive, `to` exclusive. */
export type Range = { from: string; to: string };

/** This is shorter than the request's timeout, so a longer range must be requested in parts. */
const READ_TIMEOUT = "SET LOCAL statement_timeout = '18s'";

/** Movements between us and a network or bank. Months are of Dar es Salaam; `value` is minor units. */
export type Volume = {
  month: string;
  kind: string;
  channel: string;
  direction: 'in' | 'out';
  number: number;
  value: number;
};

/** Sums a range's movements by month, kind, channel and direction. Returned money counts as incoming. */
export async function volumesIn(database: Database, { from, to }: Range): Promise<Volume[]> {
  return inTransaction(database, async (db) => {
    await db.query(READ_TIMEOUT);
    const { rows } = await db.query(
      `SELECT to_char(m.created_at AT TIME ZONE 'Africa/Dar_es_Salaam', 'YYYY-MM') AS month,
         CASE WHEN m.kind IN ('suspense', 'void') THEN m.kind
           ELSE coalesce(t.mode, m.kind) END AS kind, l.channel,
         CASE WHEN e.amount < 0 THEN 'in' ELSE 'out' END AS direction, count(*) AS number,
         sum(abs(e.amount))::bigint AS value
       FROM transfers m JOIN entries e ON e.transfer_id = m.id
         JOIN ledger_accounts l ON l.id = e.ledger_account_id AND l.kind = 'clearing'
         LEFT JOIN transactions t ON t.id = m.transaction_id
       WHERE m.created_at >= $1 AND m.created_at < $2
       GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
       /* never null: month, kind, channel, direction, number, value */`,
      [from, to],
    );
    return rows as Volume[];
  });
}

export type LargeMovement = {
  /** place in the ledger, where the next page begins */
  entry: number;
  at: string;
  transactionId: string | null;
  merchant: string | null;
  kind: string;
  channel: string;
  direction: 'in' | 'out';
  amount: number;
  receipt: string | null;
  /** phone number (255…) or bank account number */
  party: string | null;
  fullName: string | null;
  bic: string | null;
};

/** Returns at most `count` movements of `least` minor units or more, in ledger order, after entry `after`. */
export async function largeMovements(
  database: Database,
  { from, to, least, after, count }: Range & { least: Minor; after: number; count: number },
): Promise<LargeMovement[]> {
  return inTransaction(database, async (db) => {
    await db.query(READ_TIMEOUT);
    const { rows } = await db.query(
      `SELECT e.id AS entry, m.created_at AS at, t.id AS "transactionId", a.name AS merchant,
         CASE WHEN m.kind IN ('suspense', 'void') THEN m.kind
           ELSE coalesce(t.mode, m.kind) END AS kind, l.channel,
         CASE WHEN e.amount < 0 THEN 'in' ELSE 'out' END AS direction, abs(e.amount) AS amount,
         coalesce(m.reference, t.channel_reference) AS receipt,
         coalesce(r.msisdn, t.msisdn, t.account_number) AS party,
         coalesce(r.full_name, t.full_name) AS "fullName", t.bic
       FROM transfers m JOIN entries e ON e.transfer_id = m.id AND abs(e.amount) >= $3 AND e.id > $4
         JOIN ledger_accounts l ON l.id = e.ledger_account_id AND l.kind = 'clearing'
         LEFT JOIN transactions t ON t.id = m.transaction_id
         LEFT JOIN accounts a ON a.id = t.account_id
         LEFT JOIN LATERAL (SELECT msisdn, full_name FROM bill_receipts b
           WHERE b.transaction_id = t.id AND b.receipt = m.reference AND b.outcome = 'accepted'
             AND m.dedupe_key = 'collection:' || t.id || ':' || b.space || ':' || b.receipt) r ON true
       WHERE m.created_at >= $1 AND m.created_at < $2
       ORDER BY e.id LIMIT $5 /* never null: entry, at, kind, channel, direction, amount */`,
      [from, to, least, after, count],
    );
    return rows as LargeMovement[];
  });
}
