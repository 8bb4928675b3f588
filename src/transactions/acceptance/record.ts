import { BrokenInvariant, InsufficientFunds } from '../../domain/errors.ts';
import { kinds } from '../../domain/kinds.ts';
import { minor } from '../../domain/money.ts';
import type {
  Accepted,
  BilledRequest,
  KeptRefusal,
  StoredAnswer,
  Submission,
} from '../../domain/operation.ts';
import { type Balance, balanceOf } from '../../ledger/accounts.ts';
import { type HoldSubject, placeHold } from '../../ledger/hold.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { naming, prepared } from '../../platform/db/prepared.ts';
import { macOfParty } from '../rows/row-mac.ts';
import { refusalAnswer } from './answers.ts';
import { findStored, identityOf, insertAnswer } from './idempotency.ts';
import type { Origins } from './origin.ts';
import { overdueAfterMs, type PendingRow, paysOf, type Rows } from './submissions.ts';
import type { Acceptance, Refused } from './verdict.ts';

/** What an accepting transaction writes, and a restore again: its rows, their money, and the answer under its key. */

/** `short`: the balance does not cover it, or less than `keep` would stay. The caller takes all back but what is accepted. */
type Became = 'accepted' | 'made_before' | 'batch_closed' | 'short';

export async function record(
  db: Queryable,
  { rows, keep = minor(0) }: Acceptance,
  origins: Origins,
): Promise<Became> {
  if (!(await insertRows(db, rows))) return 'made_before';
  try {
    if (!(await takeMoney(db, rows, origins))) return 'batch_closed';
  } catch (error) {
    if (error instanceof InsufficientFunds) return 'short';
    throw error;
  }
  // The holds lock the balance: what is read now stays.
  return keep === 0 || (await balanceAfter(db, rows)).current >= keep ? 'accepted' : 'short';
}

function balanceAfter(db: Queryable, [{ submission }]: Rows): Promise<Balance> {
  return balanceOf(db, submission.accountId, submission.request.currency);
}

/** False when the id exists, and nothing is written: another submission of this key committed while we waited. */
export async function insertRows(db: Queryable, [first, ...others]: Rows): Promise<boolean> {
  if (!(await insertTransaction(db, first))) return false;
  for (const row of others)
    if (!(await insertTransaction(db, row)))
      throw new BrokenInvariant(
        `${row.submission.transactionId}, a part of another transaction, is there before it`,
      );
  const { submission, reference: controlNumber } = first;
  const { request } = submission;
  if (request.mode === 'billpay' || request.mode === 'qr')
    await insertBill(db, submission, { controlNumber, request });
  return true;
}

/**
 * What each row takes, as its kind says: nothing, its hold, or a part of its batch's. False where the batch takes no more
 * items. Throws InsufficientFunds where the balance does not cover it.
 */
export async function takeMoney(db: Queryable, rows: Rows, { carve }: Origins): Promise<boolean> {
  for (const row of rows) {
    const { request, batch } = row.submission;
    if (kinds[request.mode].money !== 'hold') continue;
    if (!batch) await placeHold(db, holdOf(row));
    else if (!(await carve(db, row, batch))) return false;
  }
  return true;
}

export function holdOf({ submission, reference, amount: value, fee }: PendingRow): HoldSubject {
  const { transactionId, accountId, request } = submission;
  const { currency, channel } = request;
  return { transactionId, accountId, currency, channel, reference, value, fee };
}

/** A transaction begins without these: what becomes of it, and what only a payback or a payment of a number has. */
const INSERT_TRANSACTION = naming(
  prepared(`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee,
       fee_version, channel, reference, msisdn, full_name, bic, account_number, metadata, timing, connection,
       refund_of, refund_payment, refund_reason, mac, due_at, overdue_at, pays, batch_id, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
       coalesce($25::timestamptz, now()), coalesce($25::timestamptz, now()) + $26 * interval '1 millisecond', $27, $28, $29)
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
async function insertTransaction(db: Queryable, row: PendingRow): Promise<boolean> {
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
    submission.requestId,
  ]);
  return rowCount === 1;
}

/** Its control number is the reference of the transaction. A QR code is an exact bill that the merchant gave no number. */
async function insertBill(
  db: Queryable,
  { transactionId, accountId }: Submission,
  { controlNumber, request }: { controlNumber: string; request: BilledRequest },
): Promise<void> {
  const [paymentNumber, mode] =
    request.mode === 'qr' ? ([null, 'exact'] as const) : ([request.paymentNumber, request.billMode] as const);
  await db.query(
    naming(
      `INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, description, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      ['paid', 'payments', 'claimed_by', 'claimed_until'],
    ),
    [transactionId, accountId, controlNumber, paymentNumber, mode, request.description, request.expiresAt],
  );
}

/** The answer that is stored for the submission's key or payment number: its own, or that of another submission. */
export async function storedFor(db: Queryable, submission: Submission): Promise<Accepted | null> {
  const stored = await findStored(db, submission.accountId, identityOf(submission));
  if (!stored) return null;
  const isOwn = stored.submissionId === submission.submissionId;
  return { answer: stored, mine: isOwn && stored.refused === null };
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
  { rows, answer: answerOf }: Pick<Acceptance, 'rows' | 'answer'>,
): Promise<Accepted> {
  const [{ submission, version }] = rows;
  const answer = answerTo(submission, await answerOf(() => balanceAfter(db, rows)), null);
  if (!(await storeAnswer(db, submission, answer))) throw new Error('the key was taken meanwhile');
  const told = rows.map(({ amount, fee, reference }) => ({ amount, fee, reference }));
  return { answer, mine: true, fees: { version, own: null }, rows: told };
}

/**
 * What refuses it: under its key, where that is used up. An answer that is there by now (the same submission, at the same
 * moment, made the transaction or was refused first) goes before it.
 */
export async function storeRefused(
  db: Queryable,
  submission: Submission,
  refused: Refused,
): Promise<Accepted> {
  const body = refusalAnswer(submission, refused);
  if (!refused.keepsKey) {
    const answer = answerTo(submission, body, refused.refused);
    return (await storedFor(db, submission)) ?? { answer, mine: false };
  }
  const answer = answerTo(submission, body, refused.refused);
  return (await storeAnswer(db, submission, answer))
    ? { answer, mine: false }
    : answerOfWinner(db, submission);
}

function answerTo<R extends StoredAnswer['refused']>(submission: Submission, body: string, refused: R) {
  const { transactionId, submissionId, fingerprint, language = 'en' } = submission;
  return { transactionId, submissionId, fingerprint, refused, body, language };
}

function storeAnswer(
  db: Queryable,
  submission: Submission,
  answer: StoredAnswer & { refused: KeptRefusal | null },
): Promise<boolean> {
  const { accountId, request, language = 'en' } = submission;
  const { operation } = kinds[request.mode];
  return insertAnswer(db, { ...answer, ...identityOf(submission), accountId, operation, language });
}
