import type { BillMode } from '../../domain/bill.ts';
import { type FeeSchedule, feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import type { Accepted, BilledRequest, BillRequest, QrRequest, Submission } from '../../domain/operation.ts';
import { buildTanqr } from '../../domain/tanqr.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { naming } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { billAnswer, qrAnswer } from './answers.ts';
import { drawControlNumber } from './control-numbers.ts';
import { drawQr } from './qr-image.ts';
import {
  answerOfWinner,
  insertTransaction,
  type Moment,
  pendingRowOf,
  storeAccepted,
} from './submissions.ts';

/** A bill: its control number is drawn here, so that no two can have the same one. */
export function acceptBill(
  db: Queryable,
  submission: Submission<BillRequest>,
  moment: Moment,
): Promise<Accepted> {
  return acceptBilled(db, submission, moment, (number) => billAnswer(submission, number));
}

/** A dynamic QR code: an exact bill whose number the customer scans. */
export function acceptQr(
  db: Queryable,
  submission: Submission<QrRequest>,
  moment: Moment,
): Promise<Accepted> {
  return acceptBilled(db, submission, moment, async (controlNumber) => {
    const { accountId, request } = submission;
    const merchant = await db.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
    const merchantName = only(merchant.rows).name;
    const payload = buildTanqr({ ...request.payee, amount: request.amount, merchantName, controlNumber });
    return qrAnswer(submission, { payload, image: await drawQr(payload) });
  });
}

async function acceptBilled(
  db: Queryable,
  submission: Submission<BilledRequest>,
  { fees }: Moment,
  answerOf: (controlNumber: string) => string | Promise<string>,
): Promise<Accepted> {
  const { accountId, request } = submission;
  const controlNumber = await drawControlNumber(db, { accountId, prefix: request.controlNumberPrefix });
  if (!(await insertBillRows(db, submission, { controlNumber, fees }))) return answerOfWinner(db, submission);
  return storeAccepted(db, { submission, version: fees.version }, await answerOf(controlNumber));
}

/** The rows of a bill whose number is decided; false when another submission made them. */
export async function insertBillRows(
  db: Queryable,
  submission: Submission<BilledRequest>,
  { controlNumber, fees }: { controlNumber: string; fees: FeeSchedule },
): Promise<boolean> {
  const { request } = submission;
  const row = pendingRowOf(submission, {
    amount: request.amount,
    reference: controlNumber,
    // The fee if the whole were paid at once; the fees of its payments replace it.
    ...feeFor(kinds[request.mode].fee, request.amount, fees),
  });
  if (!(await insertTransaction(db, row))) return false;
  await db.query(
    naming(
      `INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, description, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      ['paid', 'payments', 'claimed_by', 'claimed_until'],
    ),
    [
      submission.transactionId,
      submission.accountId,
      controlNumber,
      ...numberAndModeOf(request),
      request.description,
      request.expiresAt,
    ],
  );
  return true;
}

/** A QR code is an exact bill that the merchant gave no number. */
function numberAndModeOf(request: BilledRequest): [paymentNumber: string | null, mode: BillMode] {
  switch (request.mode) {
    case 'billpay':
      return [request.paymentNumber, request.billMode];
    case 'qr':
      return [null, 'exact'];
  }
}
