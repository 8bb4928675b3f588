import { type FeeSchedule, feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import type { BilledRequest, BillRequest, QrRequest, Submission } from '../../domain/operation.ts';
import { nobody } from '../../domain/payout.ts';
import { buildTanqr } from '../../domain/tanqr.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import { billAnswer, qrAnswer } from './answers.ts';
import { drawControlNumber } from './control-numbers.ts';
import { drawQr } from './qr-image.ts';
import type { Moment, PendingRow } from './submissions.ts';
import type { Verdict } from './verdict.ts';

export async function acceptBill(
  db: Queryable,
  submission: Submission<BillRequest>,
  { fees }: Moment,
): Promise<Verdict> {
  const row = rowOfBill(submission, { controlNumber: await controlNumberFor(db, submission), fees });
  return { rows: [row], answer: () => billAnswer(submission, row.reference) };
}

/** A dynamic QR code is an exact bill that the customer scans. */
export async function acceptQr(
  db: Queryable,
  submission: Submission<QrRequest>,
  { fees }: Moment,
): Promise<Verdict> {
  const { accountId, request } = submission;
  const controlNumber = await controlNumberFor(db, submission);
  const merchant = await db.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
  const merchantName = only(merchant.rows).name;
  const payload = buildTanqr({ ...request.payee, amount: request.amount, merchantName, controlNumber });
  return {
    rows: [rowOfBill(submission, { controlNumber, fees })],
    answer: async () => qrAnswer(submission, { payload, image: await drawQr(payload) }),
  };
}

function controlNumberFor(db: Queryable, { accountId, request }: Submission<BilledRequest>): Promise<string> {
  return drawControlNumber(db, { accountId, prefix: request.controlNumberPrefix });
}

export function rowOfBill(
  submission: Submission<BilledRequest>,
  { controlNumber: reference, fees }: { controlNumber: string; fees: FeeSchedule },
): PendingRow {
  const { mode, amount } = submission.request;
  // Assumes one payment of the whole amount; the fees of the actual payments replace this fee.
  return { submission, amount, ...nobody, reference, ...feeFor(kinds[mode].fee, amount, fees) };
}
