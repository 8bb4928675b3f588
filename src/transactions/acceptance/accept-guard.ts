import { FREEZES, type Frozen, frozenOf } from '../../accounts/freeze.ts';
import { UntrustedSubmission } from '../../domain/errors.ts';
import { kinds } from '../../domain/kinds.ts';
import { isInRange } from '../../domain/network.ts';
import type { MoneyRequest, SettlementRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { requireOpen } from '../care/fence.ts';
import { frozenNow, submissionExpired } from './refusals.ts';
import { paysOf } from './submissions.ts';
import type { Refused } from './verdict.ts';

/** Reads the facts on which every submission depends. Throws if the fence is closed. */
export async function readFacts(db: Queryable, submission: Submission) {
  const { rows } = await db.query(
    prepared(`SELECT (SELECT reason FROM fence) AS fence, now() AS now,
       now() - $1::timestamptz > $2 * interval '1 millisecond' AS expired, k.id IS NOT NULL AS allowed,
       ${FREEZES} AS freezes, own.*
     FROM (VALUES (1)) one (row)
     LEFT JOIN api_keys k ON k.id = $4 AND k.account_id = $3 AND ($6 OR k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now()) AND $5 = ANY(k.scopes))
     LEFT JOIN LATERAL (
       SELECT version, rows, effective_from FROM account_fees
       WHERE account_id = $3 AND effective_from <= now()
       ORDER BY effective_from DESC, set_at DESC LIMIT 1) own ON true /* never null: now, allowed */`),
    [
      submission.receivedAt,
      submission.timing.submissionMaxAgeMs,
      submission.accountId,
      submission.apiKeyId,
      scopeToMake(submission),
      isAskedByNoKey(submission),
    ],
  );
  const facts = only(rows);
  requireOpen(facts.fence);
  return { ...facts, frozen: await frozenOf(db, facts.freezes) };
}

/** Returns a refusal that applies to every kind; null: the acceptor decides. Throws UntrustedSubmission. */
export function refusedBefore(
  submission: Submission,
  facts: Awaited<ReturnType<typeof readFacts>>,
): Refused | null {
  // A batch item does not expire: its money is held, and the merchant knows that the batch runs. A daily
  // settlement keeps its key free for the next hour's attempt.
  if (facts.expired && !submission.batch)
    return isDaily(submission.request) ? { ...submissionExpired, keepsKey: false } : submissionExpired;
  const frozen = requireAllowed(submission, facts);
  return frozen && frozenNow(frozen);
}

/**
 * Repeats the API's checks in the accepting transaction: the amount is in range, the key is live and has the
 * scope. Pushes from a page, daily settlements and started batches need no live key. Returns what is frozen,
 * or null; throws UntrustedSubmission. Do not call it for an accepted submission, whose key may be revoked by
 * now.
 */
function requireAllowed(
  submission: Submission,
  key: { allowed: boolean; frozen: string | null },
): Frozen | null {
  const { request } = submission;
  if (!isInRange(request.mode, request.channel, amountsOf(request)))
    throw new UntrustedSubmission(`no ${request.mode} of this amount is ever accepted`);
  if (!key.allowed)
    throw new UntrustedSubmission(`the API key ${submission.apiKeyId} may not do this any more`);
  const frozen = key.frozen as Frozen | null;
  // A settlement rule's key only decides where callbacks go.
  return isDaily(request) && frozen === 'key' ? null : frozen;
}

function isAskedByNoKey({ request, batch }: Submission): boolean {
  return paysOf(request) !== null || isDaily(request) || batch !== undefined;
}

export function isDaily(request: MoneyRequest): request is SettlementRequest & { day: string } {
  return 'day' in request && request.day !== null;
}

/** One payout's limits apply to each part of a settlement. */
function amountsOf(request: MoneyRequest): (number | null)[] {
  return 'partMin' in request ? [request.partMin, request.partMax] : [request.amount];
}

function scopeToMake({ request }: Submission): string {
  return kinds[request.mode].type === 'payout' ? 'payouts:write' : 'payments:write';
}
