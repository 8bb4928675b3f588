import { type Fee, feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import type { PayoutRequest, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { payoutAnswer } from './answers.ts';
import { countPayout, refusedByLimits } from './limits.ts';
import { type PreviewMismatch, previewableOf, usePreview } from './previews.ts';
import { previewUnusable } from './refusals.ts';
import { type Moment, type PendingRow, rowOfNamedPayout } from './submissions.ts';
import type { Verdict } from './verdict.ts';

/** Accepts payouts to recipients whom the merchant names, alone or in a batch. */
export async function acceptPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  { now, fees }: Moment,
): Promise<Verdict> {
  const { request, batch } = submission;
  // The start of the batch checked limits and duplicates, and fixed the fee.
  if (batch) {
    const fee = { fee: batch.fee, version: batch.feeVersion };
    return accepted(submission, rowOfNamedPayout(submission, fee));
  }
  const preview = await previewOf(db, submission);
  if (preview && 'mismatch' in preview) return previewUnusable(preview.mismatch);
  const refusal = await countPayout(db, submission, now);
  if (refusal) return refusedByLimits(submission, refusal);
  const fee = preview?.fee ?? feeFor(kinds[request.mode].fee, request.amount, fees);
  return accepted(submission, rowOfNamedPayout(submission, fee, preview?.fullName));
}

function accepted(submission: Submission<PayoutRequest>, row: PendingRow): Verdict {
  return {
    rows: [row],
    answer: async (after) => payoutAnswer(submission, { fee: row.fee, ...(await after()) }),
  };
}

type Preview = { fee: Fee; fullName: string | null } | { mismatch: PreviewMismatch } | null;

async function previewOf(db: Queryable, submission: Submission<PayoutRequest>): Promise<Preview> {
  const { request } = submission;
  if (request.previewId === null) return null;
  const used = await usePreview(db, {
    previewId: request.previewId,
    accountId: submission.accountId,
    transactionId: submission.transactionId,
    ...previewableOf(request),
  });
  if ('mismatch' in used) return used;
  return { fee: { fee: used.fee, version: used.feeVersion }, fullName: used.fullName };
}
