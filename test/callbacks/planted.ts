import { randomUUID } from 'node:crypto';
import { insertCallbackEvent, type TransactionEvent } from '../../src/callbacks/event.ts';
import type { Database } from '../../src/db/pool.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Transaction } from '../../src/domain/transaction.ts';
import { getTransaction } from '../../src/transactions/store.ts';
import type { Merchant } from '../support/merchant.ts';

/** A completed push straight in the database: what settle leaves behind. */
export async function plantCompletedPush(database: Database, merchant: Merchant): Promise<Transaction> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency,
       fee, fee_version, settled, channel, reference, channel_reference, msisdn, metadata, timing)
     VALUES ($1, $2, $3, $4, 'payment', 'ussd', 'completed', 'payment.received', 500000, 'TZS', 10000, '2025-01',
       490000, 'm-pesa', $5, 'CKL5T8Q2WX', '255754123456', '{"n":1.50,"jina":"Zuhura ✓"}', '{}')`,
    [id, merchant.accountId, merchant.apiKeyId, randomUUID(), channelReferenceOf('push', id)],
  );
  const transaction = await getTransaction(database, id);
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
