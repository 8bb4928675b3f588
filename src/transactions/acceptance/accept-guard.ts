import { FROZEN, type Frozen } from '../../accounts/freeze.ts';
import type { Queryable } from '../../db/pool.ts';
import { prepared } from '../../db/prepared.ts';
import { UntrustedSubmission } from '../../domain/errors.ts';
import { kinds } from '../../domain/kinds.ts';
import { widestLimitsOf } from '../../domain/network.ts';
import type { MoneyRequest, RefundRequest, Submission } from '../../domain/operation.ts';
import { paysOf } from './submissions.ts';

/**
 * What the API checked before it signed is checked once more where the money moves: the amount's range, and that the
 * key is the account's, lives and may do this (a push of a page is asked for by no key: it has that of what it
 * pays; a batch was started, whatever became of the key that made it). Returns what is frozen by now; null when nothing is. Not asked of what
 * was accepted before: a key may be revoked between a commit and its workflow's re-run. Throws UntrustedSubmission.
 */
export async function requireAllowed(db: Queryable, submission: Submission): Promise<Frozen | null> {
  const { request } = submission;
  // The bounds of a refund depend on its payment, and are read under that one's lock.
  if (request.mode !== 'refund' && !isInRange(request))
    throw new UntrustedSubmission(`no ${request.mode} of this amount is ever accepted`);
  const { rows } = await db.query(
    prepared(`SELECT ${FROZEN} AS frozen FROM api_keys k
     WHERE k.id = $1 AND k.account_id = $2 AND ($4 OR k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now()) AND $3 = ANY(k.scopes))`),
    [
      submission.apiKeyId,
      submission.accountId,
      scopeToMake(submission),
      paysOf(request) !== null || submission.batch !== undefined,
    ],
  );
  if (!rows[0]) throw new UntrustedSubmission(`the API key ${submission.apiKeyId} may not do this any more`);
  return rows[0].frozen as Frozen | null;
}

function isInRange({ mode, channel, amount }: Exclude<MoneyRequest, RefundRequest>): boolean {
  const limits = widestLimitsOf(mode, channel);
  return Boolean(limits && Number.isInteger(amount) && amount >= limits.minimum && amount <= limits.maximum);
}

function scopeToMake({ request }: Submission): string {
  return kinds[request.mode].type === 'payout' ? 'payouts:write' : 'payments:write';
}
