import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from './accept.ts';
import { type Merchant, pushRequest, submissionFor } from './merchant.ts';
import type { Database } from './queryable.ts';
import { succeeded } from './scripted-channel.ts';

/**
 * A push that this number has paid, straight in the database: a number whose ending a push cannot survive can be
 * refunded all the same. `amount`: TZS. Its callback is not sent.
 */
export async function plantPaidPush(
  database: Database,
  merchant: Merchant,
  { msisdn, channel = 'm-pesa', amount = 5_000 }: { msisdn: string; channel?: string; amount?: number },
): Promise<string> {
  const submission = submissionFor(merchant, { ...pushRequest(amount, msisdn), channel });
  const id = submission.transactionId;
  await accept(database, submission);
  await tryToEnd(database, id, { kind: 'answer', result: succeeded(amount, `R-${id}`) });
  await database.query("UPDATE callback_events SET state = 'delivered' WHERE transaction_id = $1", [id]);
  return id;
}
