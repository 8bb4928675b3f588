import { kinds } from '../../domain/kinds.ts';
import type { Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { DEFAULT, insert } from '../../platform/db/write.ts';

/** Notes a submission whose workflow ended without an answer, so the sweep stores a refusal. */
export async function abandonSubmission(db: Queryable, submission: Submission): Promise<void> {
  // A bill may have no key: the merchant asks for it again by its payment number.
  if (submission.idempotencyKey === null) return;
  await insert(
    db,
    'abandoned_submissions',
    {
      transaction_id: submission.transactionId,
      account_id: submission.accountId,
      idempotency_key: submission.idempotencyKey,
      operation: kinds[submission.request.mode].operation,
      fingerprint: submission.fingerprint,
      request_id: submission.requestId,
      noticed_at: DEFAULT,
      resolved_at: null,
    },
    { onConflict: '(transaction_id) DO NOTHING' },
  );
}
