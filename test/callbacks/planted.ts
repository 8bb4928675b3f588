import { randomUUID } from 'node:crypto';
import { insertCallbackEvent, type TransactionEvent } from '../../src/callbacks/event.ts';
import type { LoggedAttempt } from '../../src/callbacks/list.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { MerchantTransaction } from '../../src/domain/transaction.ts';
import { findTransaction } from '../../src/transactions/rows/store.ts';
import type { Merchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';

/** A completed push straight in the database: what settle leaves behind. */
export async function plantCompletedPush(
  database: Database,
  merchant: Merchant,
): Promise<MerchantTransaction> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency,
       fee, fee_version, settled, channel, reference, channel_reference, msisdn, metadata, timing, connection)
     VALUES ($1, $2, $3, $4, 'payment', 'ussd', 'completed', 'payment.received', 500000, 'TZS', 10000, '2025-01',
       490000, 'm-pesa', $5, 'CKL5T8Q2WX', '255754123456', '{"n":1.50,"jina":"Zuhura ✓"}', '{}', 'test')`,
    [id, merchant.accountId, merchant.apiKeyId, randomUUID(), channelReferenceOf('collection', id)],
  );
  const transaction = await findTransaction(database, { id, accountId: merchant.accountId });
  if (!transaction) throw new Error('the planted transaction is not there');
  return transaction;
}

/** The same with its event; returns the event's id. */
export async function plantEvent(
  database: Database,
  merchant: Merchant,
  event: TransactionEvent = 'payment.received',
): Promise<string> {
  return insertCallbackEvent(database, await plantCompletedPush(database, merchant), event);
}

/** An event as the database holds it; `attempts` counts those of all rounds. */
export async function loadEvent(database: Database, eventId: string) {
  const { rows } = await database.query(
    `SELECT e.body, e.state, e.round, e.next_attempt_at, e.api_key_id, e.sequence,
       (SELECT count(*) FROM callback_attempts a WHERE a.event_id = e.id) AS attempts
     FROM callback_events e WHERE e.id = $1`,
    [eventId],
  );
  const [row] = rows;
  if (!row) return null;
  return {
    body: row.body as string,
    state: row.state as string,
    round: row.round as number,
    nextAttemptAt: row.next_attempt_at as string | null,
    attempts: row.attempts as number,
    apiKeyId: row.api_key_id as string,
    sequence: row.sequence as number | null,
  };
}

export async function listAttempts(database: Database, eventId: string): Promise<LoggedAttempt[]> {
  const { rows } = await database.query(
    `SELECT number, sent_at AS "sentAt", http_status AS "httpStatus", error, duration_ms AS "durationMs"
     FROM callback_attempts WHERE event_id = $1 ORDER BY number`,
    [eventId],
  );
  return rows as LoggedAttempt[];
}

/** What a process leaves behind that was killed long enough ago for its attempt to count as interrupted. */
export async function forgetLeases(database: Database): Promise<void> {
  await database.query(
    "UPDATE callback_attempts SET sent_at = sent_at - interval '1 minute' WHERE duration_ms IS NULL",
  );
}
