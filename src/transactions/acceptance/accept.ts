import type { Database, Queryable } from '../../db/pool.ts';
import { prepared } from '../../db/prepared.ts';
import { inTransaction } from '../../db/transaction.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type Fee, feeFor } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import type { Mode } from '../../domain/kinds.ts';
import type {
  Accepted,
  MoneyRequest,
  PayoutRequest,
  PushRequest,
  Submission,
} from '../../domain/operation.ts';
import { requireOpenFence } from '../care/fence.ts';
import { acceptBill, acceptQr } from './accept-bill.ts';
import { requireAllowed } from './accept-guard.ts';
import { acceptHeld, setSavepoint } from './accept-held.ts';
import { acceptRefund } from './accept-refund.ts';
import {
  frozenAnswer,
  payoutAnswer,
  previewMismatchAnswer,
  pushAnswer,
  submissionExpiredAnswer,
} from './answers.ts';
import { checkTwin, countPayout, refuseByLimits } from './limits.ts';
import { type PreviewMismatch, previewableOf, usePreview } from './previews.ts';
import {
  answerOfWinner,
  insertTransaction,
  notStored,
  partyOf,
  pendingRowOf,
  refuse,
  storeAccepted,
  storedFor,
} from './submissions.ts';

/**
 * The accepting transaction: idempotency row, transaction, for a payout the hold, and the very bytes of the answer,
 * together or not at all. Run again by its own workflow it finds its row and changes nothing (`mine`); run for a key
 * that another submission took, it returns that one's answer. Everything that depends on state is decided here.
 */
export function accept(database: Database, submission: Submission): Promise<Accepted> {
  return inTransaction(database, async (db) => {
    const known = await storedFor(db, submission);
    if (known) return known;
    await requireOpenFence(db);
    const clock = await db.query(
      prepared(`SELECT now() AS now, now() - $1::timestamptz > $2 * interval '1 millisecond' AS expired`),
      [submission.receivedAt, submission.timing.submissionMaxAgeMs],
    );
    if (clock.rows[0].expired) return refuse(db, submission, submissionExpiredAnswer(submission));
    const frozen = await requireAllowed(db, submission);
    if (frozen) return notStored(submission, frozenAnswer(submission, frozen), 403);
    return acceptAs(db, submission, clock.rows[0].now);
  });
}

type Accept<M extends Mode> = (
  db: Queryable,
  submission: Submission<MoneyRequest<M>>,
  now: string,
) => Promise<Accepted>;

const acceptors: { [M in Mode]: Accept<M> } = {
  ussd: acceptPush,
  billpay: acceptBill,
  qr: acceptQr,
  mobile: acceptPayout,
  bank: acceptPayout,
  refund: acceptRefund,
  payback: () => Promise.reject(new BrokenInvariant('nobody submits a payback')),
};

function acceptAs<M extends Mode>(
  db: Queryable,
  submission: Submission<MoneyRequest<M>>,
  now: string,
): Promise<Accepted> {
  // The compiler does not see that a request's mode is the M of its type.
  const mode = submission.request.mode as M;
  return acceptors[mode](db, submission, now);
}

async function acceptPush(
  db: Queryable,
  submission: Submission<PushRequest>,
  now: string,
): Promise<Accepted> {
  const twin = await checkTwin(db, submission);
  if (twin) return refuseByLimits(db, submission, twin);
  const fee = feeFor('ussd', submission.request.amount, now);
  const row = pendingRowOf(submission, {
    amount: submission.request.amount,
    reference: channelReferenceOf('collection', submission.transactionId),
    msisdn: submission.request.msisdn,
    ...fee,
  });
  if (!(await insertTransaction(db, row))) return answerOfWinner(db, submission);
  return storeAccepted(db, submission, pushAnswer(submission));
}

async function acceptPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  now: string,
): Promise<Accepted> {
  const { request } = submission;
  // The use of a preview and what a payout counts for are taken back, too, when a limit or the balance refuses it.
  await setSavepoint(db);
  const preview = await previewOf(db, submission);
  if (preview && 'mismatch' in preview)
    return notStored(submission, previewMismatchAnswer(submission, preview.mismatch));
  const fee = preview?.fee ?? feeFor(request.mode, request.amount, now);
  const row = pendingRowOf(submission, {
    amount: request.amount,
    reference: channelReferenceOf('payout', submission.transactionId),
    ...partyOf(request, preview?.fullName ?? null),
    ...fee,
  });
  return acceptHeld(db, row, {
    checkLimits: async () => {
      const refusal = await countPayout(db, submission, now);
      return refusal && (() => refuseByLimits(db, submission, refusal));
    },
    answerOf: (balance) => payoutAnswer(submission, { fee: fee.fee, ...balance }),
  });
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
