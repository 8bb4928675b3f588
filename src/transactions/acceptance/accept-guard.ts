import type { Frozen } from '../../accounts/freeze.ts';
import { UntrustedSubmission } from '../../domain/errors.ts';
import { kinds } from '../../domain/kinds.ts';
import { isInRange } from '../../domain/network.ts';
import type { MoneyRequest, SettlementRequest, Submission } from '../../domain/operation.ts';
import { paysOf } from './submissions.ts';

/**
 * Repeats the API's checks in the accepting transaction: the amount is in range, the key is live and has the
 * scope. Pushes from a page, daily settlements and started batches need no live key. Returns what is frozen,
 * or null; throws UntrustedSubmission. Not for a submission accepted before: its key may be revoked by now.
 */
export function requireAllowed(
  submission: Submission,
  key: { allowed: boolean; frozen: string | null },
): Frozen | null {
  const { request } = submission;
  if (!isInRange(request.mode, request.channel, amountsOf(request)))
    throw new UntrustedSubmission(`no ${request.mode} of this amount is ever accepted`);
  if (!key.allowed)
    throw new UntrustedSubmission(`the API key ${submission.apiKeyId} may not do this any more`);
  const frozen = key.frozen as Frozen | null;
  // A rule's key only decides where callbacks go.
  return isDaily(request) && frozen === 'key' ? null : frozen;
}

export function isAskedByNoKey({ request, batch }: Submission): boolean {
  return paysOf(request) !== null || isDaily(request) || batch !== undefined;
}

export function isDaily(request: MoneyRequest): request is SettlementRequest & { day: string } {
  return 'day' in request && request.day !== null;
}

/** One payout's limits apply to each part of a settlement. */
function amountsOf(request: MoneyRequest): (number | null)[] {
  return 'partMin' in request ? [request.partMin, request.partMax] : [request.amount];
}

export function scopeToMake({ request }: Submission): string {
  return kinds[request.mode].type === 'payout' ? 'payouts:write' : 'payments:write';
}
