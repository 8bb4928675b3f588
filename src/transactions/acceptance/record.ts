import { ownFeesIn } from '../../accounts/fees.ts';
import { BrokenInvariant, InsufficientFunds } from '../../domain/errors.ts';
import { type OwnFees, ownPartOf } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import { minor } from '../../domain/money.ts';
import type {
  Accepted,
  BilledRequest,
  KeptRefusal,
  StoredAnswer,
  Submission,
} from '../../domain/operation.ts';
import { PARTS_MAX } from '../../domain/settle-parts.ts';
import { type Balance, balanceOf } from '../../ledger/accounts.ts';
import { type HoldSubject, placeHold } from '../../ledger/hold.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { after, DEFAULT, insert } from '../../platform/db/write.ts';
import { macOfParty } from '../rows/row-mac.ts';
import { refusalAnswer } from './answers.ts';
import { findStored, identityOf, insertAnswer, settlementPartIdOf } from './idempotency.ts';
import type { Origins } from './origin.ts';
import { balanceTooSmall } from './refusals.ts';
import { overdueAfterMs, type PendingRow, paysOf, type Rows } from './submissions.ts';
import type { Acceptance, Refused } from './verdict.ts';

/** `short`: the balance does not cover the holds, or less than `keep` would stay. The caller rolls back. */
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
  // The holds have locked the balance, so it cannot change after this read.
  return keep === 0 || (await balanceAfter(db, rows)).current >= keep ? 'accepted' : 'short';
}

function balanceAfter(db: Queryable, [{ submission }]: Rows): Promise<Balance> {
  return balanceOf(db, submission.accountId, submission.request.currency);
}

/** Returns false if another submission of this key committed first. */
export async function insertRows(db: Queryable, [first, ...others]: Rows): Promise<boolean> {
  if (!(await insertTransaction(db, first))) return false;
  for (const row of others)
    if (!(await insertTransaction(db, row)))
      throw new BrokenInvariant(
        `${row.submission.transactionId}, a part of another transaction, is there before it`,
      );
  const { submission, reference: controlNumber } = first;
  const { request } = submission;
  if ('expiresAt' in request) await insertBill(db, submission, { controlNumber, request });
  return true;
}

/** Takes each row's money by its kind. False if the batch is closed. Throws InsufficientFunds. */
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

async function insertTransaction(db: Queryable, row: PendingRow): Promise<boolean> {
  const { submission, amount } = row;
  const { transactionId: id, accountId, request } = submission;
  const { type, events } = kinds[request.mode];
  const { currency } = request;
  const connection = 'connection' in request ? request.connection : null;
  const bankAccount = row.bic === null ? null : `${row.bic}:${row.accountNumber}`;
  const to = row.msisdn ?? bankAccount;
  const dueAt = 'expiresAt' in request ? request.expiresAt : null;
  const { rowCount } = await insert(
    db,
    'transactions',
    {
      id,
      account_id: accountId,
      api_key_id: submission.apiKeyId,
      submission_id: submission.submissionId,
      type,
      mode: request.mode,
      status: DEFAULT,
      event: events.pending,
      amount,
      currency,
      fee: row.fee,
      fee_version: row.version,
      settled: null,
      channel: request.channel,
      connection,
      reference: row.reference,
      channel_reference: null,
      is_receipt: DEFAULT,
      msisdn: row.msisdn,
      full_name: row.fullName,
      bic: row.bic,
      account_number: row.accountNumber,
      mac: macOfParty(db, { id, of: accountId, connection, to, amount, currency }),
      metadata: submission.metadata,
      request_id: submission.requestId,
      failure_code: null,
      refund_of: 'refundOf' in request ? request.refundOf : null,
      refund_payment: row.refundPayment ?? null,
      refund_reason: 'reason' in request ? request.reason : null,
      suspense_item: null,
      timing: submission.timing,
      handed_over_at: null,
      prompt_expires_at: null,
      next_enquiry_at: null,
      waits_until: null,
      not_found_since: null,
      hinted_at: null,
      due_at: after(dueAt, 0),
      overdue_at: after(dueAt, overdueAfterMs(submission)),
      paid_at: null,
      returned_at: null,
      return_reason: null,
      created_at: DEFAULT,
      updated_at: DEFAULT,
      status_at: DEFAULT,
      number_id: null,
      pays: paysOf(request),
      batch_id: submission.batch?.id ?? null,
    },
    { onConflict: 'DO NOTHING' },
  );
  return rowCount === 1;
}

/** The reference is the control number. A QR code is an exact bill without a payment number. */
async function insertBill(
  db: Queryable,
  { transactionId, accountId }: Submission,
  { controlNumber, request }: { controlNumber: string; request: BilledRequest },
): Promise<void> {
  const isNumbered = 'paymentNumber' in request;
  await insert(db, 'bills', {
    transaction_id: transactionId,
    account_id: accountId,
    control_number: controlNumber,
    payment_number: isNumbered ? request.paymentNumber : null,
    mode: isNumbered ? request.billMode : 'exact',
    description: request.description,
    expires_at: request.expiresAt,
    paid: DEFAULT,
    payments: DEFAULT,
    claimed_by: null,
    claimed_until: null,
  });
}

/** Finds the answer under the key or payment number. It may answer another submission. */
export async function storedFor(db: Queryable, submission: Submission): Promise<Accepted | null> {
  const stored = await findStored(db, submission.accountId, identityOf(submission));
  if (!stored) return null;
  const isOwn = stored.submissionId === submission.submissionId;
  return { answer: stored, mine: isOwn && stored.refused === null };
}

/** Returns the answer of the submission that made the transaction first. Throws if there is none. */
export async function answerOfWinner(db: Queryable, submission: Submission): Promise<Accepted> {
  const stored = await storedFor(db, submission);
  if (!stored) throw new Error(`transaction ${submission.transactionId} exists without its idempotency row`);
  return stored;
}

/** Throws if another submission took the key; the re-run finds its answer. */
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

export async function withRows(db: Queryable, submission: Submission, known: Accepted): Promise<Accepted> {
  const { transactionId, request } = submission;
  const most = 'partMax' in request ? PARTS_MAX : 1;
  const ids = Array.from({ length: most }, (_, index) => settlementPartIdOf(transactionId, index));
  const { rows } = await db.query(
    `SELECT amount, fee, reference, fee_version, created_at FROM transactions WHERE id = ANY($1::uuid[])
     ORDER BY array_position($1::uuid[], id)`,
    [ids],
  );
  const [first] = rows;
  if (!first) throw new Error(`transaction ${transactionId} was accepted and is not there`);
  const fees = { version: first.fee_version, own: null };
  const told = rows.map(({ amount, fee, reference }) => ({
    amount: minor(amount),
    fee: minor(fee),
    reference,
  }));
  return withOwnFees(db, { ...known, at: first.created_at, fees, rows: told });
}

/** Adds the account's own fees at the acceptance, if any. `own`: those in force now. */
export async function withOwnFees(
  db: Queryable,
  accepted: Accepted,
  own: OwnFees | null = null,
): Promise<Accepted> {
  if (!accepted.fees) return accepted;
  const { version } = accepted.fees;
  const isNow = own?.version === ownPartOf(version);
  return { ...accepted, fees: { version, own: isNow ? own : await ownFeesIn(db, version) } };
}

export async function tooLittleFor(db: Queryable, { rows }: Acceptance): Promise<Refused> {
  const [{ amount, fee, submission }] = rows;
  const { current: available } = await balanceAfter(db, rows);
  return balanceTooSmall({ available, amount, fee, currency: submission.request.currency });
}

/** Stores a refusal if it uses up the key. An answer that was stored before wins. */
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
