import { type Fee, type FeeSchedule, feeFor } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { kinds } from '../../domain/kinds.ts';
import { type Minor, minor } from '../../domain/money.ts';
import type {
  Accepted,
  MoneyRequest,
  PayoutRequest,
  PushRequest,
  SettlementRequest,
  StoredAnswer,
  Submission,
} from '../../domain/operation.ts';
import { partyOf } from '../../domain/party.ts';
import type { FlowTiming } from '../../domain/timing.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { naming, prepared } from '../../platform/db/prepared.ts';
import { macOfParty } from '../rows/row-mac.ts';
import { findStored, identityOf, insertAnswer } from './idempotency.ts';

/** The rows that every accepting transaction writes: the transaction, and the answer under its key. */

/** What Postgres says when it accepts: its time, and the fees that hold then. */
export type Moment = { now: string; fees: FeeSchedule };

type Particular = Fee & {
  amount: Minor;
  reference: string;
  /** of a refund: which payment of a bill it gives back */
  refundPayment?: number | null;
  msisdn?: string;
  fullName?: string | null;
  bic?: string;
  accountNumber?: string;
};
export type PendingRow = Particular & { submission: Submission };

/** The row that is inserted for a submission; amounts are minor units. */
export function pendingRowOf(submission: Submission, particular: Particular): PendingRow {
  return { submission, ...particular };
}

/**
 * `known`: the name that a preview showed, which is the network's own. A bank compares the name that it is sent with its own, so
 * it gets the merchant's: with the bank's name a wrong one would pass.
 */
export function columnsOfParty(request: PayoutRequest | SettlementRequest, known: string | null) {
  const party = partyOf(request);
  if (party.kind === 'wallet') return { msisdn: party.msisdn, fullName: known };
  const { bic, accountNumber, fullName } = party;
  return { bic, accountNumber, fullName };
}

/** A transaction begins without these: what becomes of it, and what only a payback or a payment of a number has. */
const INSERT_TRANSACTION = naming(
  prepared(`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee,
       fee_version, channel, reference, msisdn, full_name, bic, account_number, metadata, timing, connection,
       refund_of, refund_payment, refund_reason, mac, due_at, overdue_at, pays, batch_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
       coalesce($25::timestamptz, now()), coalesce($25::timestamptz, now()) + $26 * interval '1 millisecond', $27, $28)
     ON CONFLICT DO NOTHING`),
  [
    ...([
      'status',
      'status_at',
      'created_at',
      'updated_at',
      'suspense_item',
      'number_id',
      'settled',
      'failure_code',
    ] as const),
    ...([
      'channel_reference',
      'is_receipt',
      'handed_over_at',
      'prompt_expires_at',
      'next_enquiry_at',
    ] as const),
    ...(['waits_until', 'not_found_since', 'hinted_at', 'paid_at', 'returned_at', 'return_reason'] as const),
  ],
);

/** False when the id exists: another submission of this key committed while we waited. */
export async function insertTransaction(db: Queryable, row: PendingRow): Promise<boolean> {
  const { submission } = row;
  const { request } = submission;
  const { type, events } = kinds[request.mode];
  const connection = 'connection' in request ? request.connection : null;
  const bankAccount = row.bic === undefined ? null : `${row.bic}:${row.accountNumber}`;
  const mac = macOfParty(db, {
    id: submission.transactionId,
    of: submission.accountId,
    connection,
    to: row.msisdn ?? bankAccount,
    amount: row.amount,
    currency: request.currency,
  });
  const { rowCount } = await db.query(INSERT_TRANSACTION, [
    submission.transactionId,
    submission.accountId,
    submission.apiKeyId,
    submission.submissionId,
    type,
    request.mode,
    events.pending,
    row.amount,
    request.currency,
    row.fee,
    row.version,
    request.channel,
    row.reference,
    row.msisdn ?? null,
    row.fullName ?? null,
    row.bic ?? null,
    row.accountNumber ?? null,
    submission.metadata,
    submission.timing,
    connection,
    'refundOf' in request ? request.refundOf : null,
    row.refundPayment ?? null,
    'reason' in request ? request.reason : null,
    mac,
    'expiresAt' in request ? request.expiresAt : null,
    overdueAfterMs(submission),
    paysOf(request),
    submission.batch?.id ?? null,
  ]);
  return rowCount === 1;
}

/** The bill or number that a push pays; null for all that stands for itself. */
export function paysOf(request: MoneyRequest): string | null {
  return 'pays' in request ? (request.pays ?? null) : null;
}

/** The row of a push, as it is inserted the first time and after a restore. */
export function rowOfPush(submission: Submission<PushRequest>, fees: FeeSchedule): PendingRow {
  const { request, transactionId } = submission;
  const { amount, msisdn } = request;
  // What it pays bears the fee of a push that was asked for on a page.
  const isFree = paysOf(request) !== null;
  const fee = isFree ? { fee: minor(0), version: fees.version } : feeFor('ussd', amount, fees);
  const reference = channelReferenceOf('collection', transactionId);
  return pendingRowOf(submission, { amount, msisdn, reference, ...fee });
}

/** A hand-over that takes longer is looked at, however long it may wait in its queue. */
const HAND_OVER_MS = 15 * 60_000;
/** How long something may be late before a person is notified. */
const LATE_MS = 5 * 60_000;

/**
 * A person looks at a transaction that was not sent within the time of its queue and its tries, and at a bill after its
 * expiry.
 */
function overdueAfterMs({ timing }: Submission): number {
  return 'sendQueueMs' in timing ? handOverWithinMs(timing) : LATE_MS;
}

/** How long a hand-over may take before a person looks. */
export function handOverWithinMs({ sendQueueMs, notSentRetryMs }: FlowTiming): number {
  return Math.min(sendQueueMs, HAND_OVER_MS) + notSentRetryMs + LATE_MS;
}

/** The answer that is stored for the submission's key or payment number: its own, or that of another submission. */
export async function storedFor(db: Queryable, submission: Submission): Promise<Accepted | null> {
  const stored = await findStored(db, submission.accountId, identityOf(submission));
  if (!stored) return null;
  const isOwn = stored.submissionId === submission.submissionId;
  return { answer: stored, mine: isOwn && stored.httpStatus === 200 };
}

/** The answer of the submission that made the transaction first. Throws where it has stored none. */
export async function answerOfWinner(db: Queryable, submission: Submission): Promise<Accepted> {
  const stored = await storedFor(db, submission);
  if (!stored) throw new Error(`transaction ${submission.transactionId} exists without its idempotency row`);
  return stored;
}

/**
 * Keeps the answer under its key: this submission made the transaction. Throws when another one took the key, so that
 * all is rolled back; run again, it finds that answer.
 */
export async function storeAccepted(
  db: Queryable,
  { submission, version }: Pick<PendingRow, 'submission' | 'version'>,
  body: string,
): Promise<Accepted> {
  if (!(await storeAnswer(db, submission, 200, body))) throw new Error('the key was taken meanwhile');
  return { answer: ownAnswer(submission, body, 200), mine: true, fees: { version, own: null } };
}

/** Keeps a refusal under its key: the same request gets it again; a new attempt needs a new key. */
export async function refuse(db: Queryable, submission: Submission, body: string): Promise<Accepted> {
  const stored = await storeAnswer(db, submission, 409, body);
  return stored ? { answer: ownAnswer(submission, body, 409), mine: false } : answerOfWinner(db, submission);
}

/** A refusal that leaves the key free. */
export function notStored(submission: Submission, body: string, httpStatus = 409): Accepted {
  return { answer: ownAnswer(submission, body, httpStatus), mine: false };
}

function ownAnswer(submission: Submission, body: string, httpStatus: number): StoredAnswer {
  const { transactionId, submissionId, fingerprint, language = 'en' } = submission;
  return { transactionId, submissionId, fingerprint, httpStatus, body, language };
}

function storeAnswer(
  db: Queryable,
  submission: Submission,
  httpStatus: StoredAnswer['httpStatus'],
  body: string,
): Promise<boolean> {
  const { accountId, transactionId, submissionId, fingerprint } = submission;
  return insertAnswer(db, {
    accountId,
    ...identityOf(submission),
    transactionId,
    submissionId,
    operation: kinds[submission.request.mode].operation,
    fingerprint,
    httpStatus,
    body,
    language: submission.language ?? 'en',
  });
}
