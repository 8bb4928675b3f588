import { kinds } from '../../domain/kinds.ts';
import type { Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** Notes a submission whose workflow ended without an answer, so the sweep stores a refusal. */
export async function abandonSubmission(db: Queryable, submission: Submission): Promise<void> {
  // A bill may have no key: the merchant asks for it again by its payment number.
  if (submission.idempotencyKey === null) return;
  await db.query(
    `INSERT INTO abandoned_submissions (transaction_id, account_id, idempotency_key, operation,
       fingerprint, request_id)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (transaction_id) DO NOTHING`,
    [
      submission.transactionId,
      submission.accountId,
      submission.idempotencyKey,
      kinds[submission.request.mode].operation,
      submission.fingerprint,
      submission.requestId,
    ],
  );
}
