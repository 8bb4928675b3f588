import type { Database, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import {
  insufficientBalanceAnswer,
  payoutAnswer,
  previewMismatchAnswer,
  pushAnswer,
  submissionExpiredAnswer,
} from '../domain/answers.ts';
import { type Fee, feeFor } from '../domain/fees.ts';
import { channelReferenceOf } from '../domain/ids.ts';
import type { Accepted, MoneyRequest, PayoutRequest, PushRequest, Submission } from '../domain/operation.ts';
import { balanceOf } from '../ledger/accounts.ts';
import { placeHold } from '../ledger/hold.ts';
import { InsufficientFunds } from '../ledger/transfer.ts';
import { findStoredAnswer } from './idempotency.ts';
import { usePreview } from './previews.ts';

/**
 * The accepting transaction: idempotency row, transaction, for a payout the hold, and the very bytes of the answer,
 * together or not at all. Run again by its own workflow it finds its row and changes nothing (`mine`); run for a key
 * that another submission took, it returns that one's answer. Everything that depends on state is decided here.
 */
export function accept(database: Database, submission: Submission): Promise<Accepted> {
  return inTransaction(database, async (db) => {
    const known = await storedFor(db, submission);
    if (known) return known;
    const clock = await db.query(
      `SELECT now() AS now, now() - $1::timestamptz > $2 * interval '1 millisecond' AS expired`,
      [submission.receivedAt, submission.timing.submissionMaxAgeMs],
    );
    if (clock.rows[0].expired) return refuse(db, submission, submissionExpiredAnswer(submission));
    const { request } = submission;
    const now: string = clock.rows[0].now;
    return request.operation === 'payments/ussd'
      ? acceptPush(db, { ...submission, request }, now)
      : acceptPayout(db, { ...submission, request }, now);
  });
}

async function acceptPush(
  db: Queryable,
  submission: Submission<PushRequest>,
  now: string,
): Promise<Accepted> {
  const fee = feeFor('ussd', submission.request.amount, now);
  if (!(await insertTransaction(db, submission, { ...fee, fullName: null }))) return lostRace(db, submission);
  return storeAccepted(db, submission, pushAnswer(submission));
}

async function acceptPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  now: string,
): Promise<Accepted> {
  const { request } = submission;
  // A payout that the balance does not cover is no transaction: its row and its use of a preview are taken back.
  await db.query('SAVEPOINT before_hold');
  const preview = await previewOf(db, submission);
  if (preview === 'mismatch') return notStored(submission, previewMismatchAnswer(submission));
  const fee =
    preview ?? feeFor(request.operation === 'payouts/bank' ? 'bank' : 'mobile', request.amount, now);
  // The name a preview showed is the one the channel knows; a bank is told the merchant's only where it is silent.
  const named = request.operation === 'payouts/bank' ? request.fullName : null;
  const fullName = preview?.fullName ?? named;

  if (!(await insertTransaction(db, submission, { ...fee, fullName }))) return lostRace(db, submission);
  try {
    await placeHold(db, {
      transactionId: submission.transactionId,
      accountId: submission.accountId,
      currency: request.currency,
      channel: request.channel,
      value: request.amount,
      fee: fee.fee,
    });
  } catch (error) {
    if (!(error instanceof InsufficientFunds)) throw error;
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
    const { current } = await balanceOf(db, submission.accountId, request.currency);
    const answer = insufficientBalanceAnswer(submission, {
      available: current,
      amount: request.amount,
      fee: fee.fee,
    });
    return refuse(db, submission, answer);
  }
  const balance = await balanceOf(db, submission.accountId, request.currency);
  return storeAccepted(db, submission, payoutAnswer(submission, { fee: fee.fee, ...balance }));
}

type PreviewUse = (Fee & { fullName: string | null }) | 'mismatch' | null;

async function previewOf(db: Queryable, submission: Submission<PayoutRequest>): Promise<PreviewUse> {
  const { request } = submission;
  if (request.previewId === null) return null;
  const used = await usePreview(db, {
    previewId: request.previewId,
    accountId: submission.accountId,
    operation: request.operation,
    fingerprint: request.previewFingerprint ?? '',
    transactionId: submission.transactionId,
  });
  return used ? { fee: used.fee, version: used.feeVersion, fullName: used.fullName } : 'mismatch';
}

/** False when the id exists: another submission of this key committed while we waited. */
async function insertTransaction(
  db: Queryable,
  submission: Submission,
  frozen: Fee & { fullName: string | null },
): Promise<boolean> {
  const { request } = submission;
  const kind = kindOf(request);
  const { rowCount } = await db.query(
    `INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee,
       fee_version, channel, reference, msisdn, full_name, bic, account_number, metadata, timing)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
     ON CONFLICT DO NOTHING`,
    [
      submission.transactionId,
      submission.accountId,
      submission.apiKeyId,
      submission.submissionId,
      kind.type,
      kind.mode,
      `${kind.type}.pending`,
      request.amount,
      request.currency,
      frozen.fee,
      frozen.version,
      request.channel,
      channelReferenceOf(kind.type === 'payment' ? 'push' : 'payout', submission.transactionId),
      'msisdn' in request ? request.msisdn : null,
      frozen.fullName,
      'bic' in request ? request.bic : null,
      'accountNumber' in request ? request.accountNumber : null,
      submission.metadata,
      submission.timing,
    ],
  );
  return rowCount === 1;
}

function kindOf(request: MoneyRequest) {
  switch (request.operation) {
    case 'payments/ussd':
      return { type: 'payment', mode: 'ussd' } as const;
    case 'payouts/mobile':
      return { type: 'payout', mode: 'mobile' } as const;
    case 'payouts/bank':
      return { type: 'payout', mode: 'bank' } as const;
  }
}

async function storedFor(db: Queryable, submission: Submission): Promise<Accepted | null> {
  const stored = await findStoredAnswer(db, submission.accountId, submission.idempotencyKey);
  if (!stored) return null;
  const isOwn = stored.submissionId === submission.submissionId;
  return { answer: stored, mine: isOwn && stored.httpStatus === 200 };
}

async function lostRace(db: Queryable, submission: Submission): Promise<Accepted> {
  const stored = await storedFor(db, submission);
  if (!stored) throw new Error(`transaction ${submission.transactionId} exists without its idempotency row`);
  return stored;
}

async function storeAccepted(db: Queryable, submission: Submission, body: string): Promise<Accepted> {
  if (!(await storeAnswer(db, submission, 200, body)))
    throw new Error('the key was taken by a refusal meanwhile');
  return { answer: { ...notStored(submission, body).answer, httpStatus: 200 }, mine: true };
}

/** Keeps a refusal under its key: the same request gets it again; a new attempt needs a new key. */
async function refuse(db: Queryable, submission: Submission, body: string): Promise<Accepted> {
  const stored = await storeAnswer(db, submission, 409, body);
  return stored ? notStored(submission, body) : lostRace(db, submission);
}

/** A refusal that leaves the key free. */
function notStored(submission: Submission, body: string): Accepted {
  const { transactionId, submissionId, fingerprint } = submission;
  return { answer: { transactionId, submissionId, fingerprint, httpStatus: 409, body }, mine: false };
}

async function storeAnswer(
  db: Queryable,
  submission: Submission,
  status: number,
  body: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO idempotency_keys (account_id, key, transaction_id, submission_id, operation, fingerprint, http_status, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [
      submission.accountId,
      submission.idempotencyKey,
      submission.transactionId,
      submission.submissionId,
      submission.request.operation,
      submission.fingerprint,
      status,
      body,
    ],
  );
  return rowCount === 1;
}
