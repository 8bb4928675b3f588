import type { Frozen } from '../../accounts/freeze.ts';
import { UntrustedSubmission } from '../../domain/errors.ts';
import { kinds } from '../../domain/kinds.ts';
import { widestLimitsOf } from '../../domain/network.ts';
import type { MoneyRequest, SettlementRequest, Submission } from '../../domain/operation.ts';
import { paysOf } from './submissions.ts';

/**
 * What the API checked before it signed is checked once more where the money moves: the amount's range, and that the
 * key is the account's, lives and may do this (no key asks for a push of a page, which has that of what it pays, nor for a
 * daily settlement; a batch was started, whatever became of the key that made it). Returns what is frozen by now; null when nothing is. Not asked of what
 * was accepted before: a key may be revoked between a commit and its workflow's re-run. Throws UntrustedSubmission.
 */
export function requireAllowed(
  submission: Submission,
  key: { allowed: boolean; frozen: string | null },
): Frozen | null {
  const { request } = submission;
  if (!isInRange(request))
    throw new UntrustedSubmission(`no ${request.mode} of this amount is ever accepted`);
  if (!key.allowed)
    throw new UntrustedSubmission(`the API key ${submission.apiKeyId} may not do this any more`);
  const frozen = key.frozen as Frozen | null;
  // The key of a rule only says where callbacks go.
  return isDaily(request) && frozen === 'key' ? null : frozen;
}

export function isAskedByNoKey({ request, batch }: Submission): boolean {
  return paysOf(request) !== null || isDaily(request) || batch !== undefined;
}

export function isDaily(request: MoneyRequest): request is SettlementRequest & { day: string } {
  return request.mode === 'settlement' && request.day !== null;
}

/** The bounds of a refund depend on its payment, those of a settlement on its rule: both are read where they are accepted. */
function isInRange(request: MoneyRequest): boolean {
  if (request.mode === 'refund') return true;
  const { mode, channel } = request;
  const amounts = mode === 'settlement' ? [request.partMin, request.partMax] : [request.amount];
  const limits = widestLimitsOf(mode, channel);
  return amounts.every((amount) =>
    Boolean(limits && Number.isInteger(amount) && amount >= limits.minimum && amount <= limits.maximum),
  );
}

export function scopeToMake({ request }: Submission): string {
  return kinds[request.mode].type === 'payout' ? 'payouts:write' : 'payments:write';
}
