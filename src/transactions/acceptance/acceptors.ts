import { BrokenInvariant } from '../../domain/errors.ts';
import type { Mode, NamedPayoutMode } from '../../domain/kinds.ts';
import {
  isPayoutRequest,
  type MoneyRequest,
  type PayoutRequest,
  type PushRequest,
  type Submission,
} from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { acceptBill, acceptQr } from './accept-bill.ts';
import { acceptPayout } from './accept-payout.ts';
import { acceptRefund } from './accept-refund.ts';
import { pushAnswer } from './answers.ts';
import { checkTwin, refusedByLimits } from './limits.ts';
import type { Origins } from './origin.ts';
import { admitPrompt, isPrompt } from './prompts.ts';
import { notKept } from './refusals.ts';
import { type Moment, rowOfPush } from './submissions.ts';
import type { Verdict } from './verdict.ts';

type Accept<M extends Mode> = (
  db: Queryable,
  submission: Submission<MoneyRequest<M>>,
  moment: Moment,
  origins: Origins,
) => Verdict | Promise<Verdict>;

const acceptors: { [M in Exclude<Mode, NamedPayoutMode>]: Accept<M> } = {
  ussd: acceptPush,
  billpay: acceptBill,
  qr: acceptQr,
  number: () => Promise.reject(new BrokenInvariant('nobody submits a payment of a number')),
  refund: acceptRefund,
  settlement: (db, submission, moment, origins) => origins.settlement.accept(db, submission, moment),
  payback: () => Promise.reject(new BrokenInvariant('nobody submits a payback')),
};

export function decide<M extends Exclude<Mode, NamedPayoutMode>>(
  db: Queryable,
  submission: Submission,
  moment: Moment,
  origins: Origins,
): Verdict | Promise<Verdict> {
  const { request } = submission;
  if (isPayoutRequest(request)) return acceptPayout(db, submission as Submission<PayoutRequest>, moment);
  // TypeScript cannot link the submission's type to its request's mode.
  const mode = request.mode as M;
  return acceptors[mode](db, submission as Submission<MoneyRequest<M>>, moment, origins);
}

async function acceptPush(
  db: Queryable,
  submission: Submission<PushRequest>,
  { fees }: Moment,
): Promise<Verdict> {
  if (isPrompt(submission)) {
    const message = await admitPrompt(db, submission);
    if (message) return notKept('limit_exceeded', message);
  } else {
    const twin = await checkTwin(db, submission);
    if (twin) return refusedByLimits(submission, twin);
  }
  return { rows: [rowOfPush(submission, fees)], answer: () => pushAnswer(submission) };
}
