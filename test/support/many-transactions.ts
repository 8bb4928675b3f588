import type { Merchant } from './merchant.ts';
import type { Database } from './queryable.ts';

/** How many rows one statement stores: none may take longer than the pool allows, on a busy machine either. */
const BATCH = 2_000;

/**
 * Stores transactions of one merchant, straight in the database, the oldest first, one for every 30 seconds, with keys and
 * metadata: mostly completed pushes over four networks, some payouts, a few failures, three cancelled ones. Half of all
 * come from one till, one phone number, and carry one receipt. The same number always gives the same transactions, which
 * a sweep leaves alone for a day; `reference` is PYMANY1, PYMANY2 … from the newest, after those that others `took`.
 */
export async function seedTransactions(
  database: Database,
  merchant: Merchant,
  count: number,
  { took = 0 } = {},
): Promise<void> {
  for (let last = count; last > 0; last -= BATCH) {
    const first = Math.max(1, last - BATCH + 1);
    await database.query(
      `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
         fee_version, settled, channel, bic, account_number, full_name, reference, channel_reference, msisdn, metadata, timing,
         failure_code, due_at, created_at, updated_at, status_at, connection)
       SELECT id, $1::uuid, $2, id, type, mode, status, type || '.pending', 500000, 'TZS', 10000, 'test',
         CASE status WHEN 'completed' THEN 490000 END, channel, bic, CASE mode WHEN 'bank' THEN '0150123456789' END,
         CASE mode WHEN 'bank' THEN 'Asha Juma' END,
         'PYMANY' || $6::int + n, 'CK' || n % 2 * n, CASE WHEN mode <> 'bank' THEN '255754' || lpad((n % 2 * n % 20000)::text, 6, '0') END,
         format('{"order":"INV-%s","shop":"%s","till":"%s"}', n, n % 400, n % 2), '{}',
         CASE status WHEN 'failed' THEN 'network_error' END, now() + interval '1 day', moment, moment, moment, 'test'
       FROM (
         SELECT n, md5($1::uuid::text || '/' || n)::uuid AS id, now() - n * interval '30 seconds' AS moment, type, mode,
           CASE WHEN n IN (7, $4::int / 2, $4::int) THEN 'cancelled' WHEN n % 200 = 1 THEN 'pending' WHEN n % 12 = 5 THEN 'failed'
             WHEN type = 'payout' THEN 'paid' ELSE 'completed' END AS status,
           CASE mode WHEN 'bank' THEN 'bank' ELSE (array['m-pesa', 'airtel-money', 'halopesa', 'tigo-pesa'])[1 + n % 4] END AS channel,
           CASE mode WHEN 'bank' THEN 'CORUTZTZ' END AS bic
         FROM generate_series($5::int, $3::int, -1) n
         CROSS JOIN LATERAL (SELECT CASE WHEN n % 10 < 8 THEN 'payment' ELSE 'payout' END AS type,
           CASE n % 10 WHEN 8 THEN 'mobile' WHEN 9 THEN 'bank' ELSE 'ussd' END AS mode) kind
       ) made`,
      [merchant.accountId, merchant.apiKeyId, first, count, last, took],
    );
    await database.query(
      `INSERT INTO idempotency_keys (account_id, key, transaction_id, submission_id, operation, fingerprint)
       SELECT account_id, 'key-' || reference, id, id, 'test', '' FROM transactions
       WHERE account_id = $1 AND reference IN (SELECT 'PYMANY' || n FROM generate_series($2::int, $3::int) n)`,
      [merchant.accountId, took + first, took + last],
    );
  }
}
