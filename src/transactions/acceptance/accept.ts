import { ownFeesIn, readOwnFees } from '../../accounts/fees.ts';
import { FREEZES, frozenOf } from '../../accounts/freeze.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type Fee, feeFor, feesAt, type OwnFees, ownPartOf } from '../../domain/fees.ts';
import { kinds, type Mode, type NamedPayoutMode } from '../../domain/kinds.ts';
import { minor } from '../../domain/money.ts';
import {
  type Accepted,
  isPayoutRequest,
  type MoneyRequest,
  type PayoutRequest,
  type PushRequest,
  type Submission,
} from '../../domain/operation.ts';
import { PARTS_MAX } from '../../domain/settle-parts.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { requireOpen } from '../care/fence.ts';
import { acceptBill, acceptQr } from './accept-bill.ts';
import { isAskedByNoKey, isDaily, requireAllowed, scopeToMake } from './accept-guard.ts';
import { acceptRefund } from './accept-refund.ts';
import { payoutAnswer, pushAnswer } from './answers.ts';
import { settlementPartIdOf } from './idempotency.ts';
import { checkTwin, countPayout, refusedByLimits } from './limits.ts';
import type { Origins } from './origin.ts';
import { type PreviewMismatch, previewableOf, usePreview } from './previews.ts';
import { admitPrompt, isPrompt } from './prompts.ts';
import { answerOfWinner, record, storeAccepted, storedFor, storeRefused } from './record.ts';
import { balanceTooSmall, frozenNow, notKept, previewUnusable, submissionExpired } from './refusals.ts';
import { type Moment, type PendingRow, rowOfNamedPayout, rowOfPush } from './submissions.ts';
import type { Acceptance, Refused, Verdict } from './verdict.ts';

/** Another payout may lower the balance between an acceptor's decision and its hold. */
const ATTEMPTS_MAX = 5;

/**
 * Writes the idempotency row, the transaction, a payout's hold and the answer's bytes, all or nothing. The
 * same workflow's re-run finds its row and changes nothing (`mine`). If another submission took the key,
 * returns its answer. Everything that depends on state is decided here; an acceptor decides again if the
 * balance has changed.
 */
export function accept(database: Database, submission: Submission, origins: Origins): Promise<Accepted> {
  return inTransaction(database, async (db) => {
    const accepted = (await storedFor(db, submission)) ?? (await carryOut(db, submission, origins));
    return accepted.mine && !accepted.fees
      ? withOwnFees(db, await withRows(db, submission, accepted))
      : accepted;
  });
}

async function carryOut(db: Queryable, submission: Submission, origins: Origins): Promise<Accepted> {
  const facts = await readFacts(db, submission);
  requireOpen(facts.fence);
  const own = readOwnFees(facts);
  // A refusal rolls back the acceptor's counts and holds.
  const holds = kinds[submission.request.mode].money === 'hold';
  if (holds) await db.query('SAVEPOINT before_hold');
  const refuse = async (refused: Refused) => {
    if (holds) await db.query('ROLLBACK TO SAVEPOINT before_hold');
    return keepRefusal(db, submission, { refused, origins });
  };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const verdict = await decide(db, submission, { facts, own, origins });
    if ('refused' in verdict) return refuse(verdict);
    const became = await record(db, verdict, origins);
    if (became === 'accepted') {
      const accepted = await storeAccepted(db, verdict);
      await origins.settlement.note(db, submission, null);
      return withOwnFees(db, { ...accepted, at: facts.now }, own);
    }
    if (became === 'batch_closed') return refuse({ ...submissionExpired, keepsKey: false });
    if (holds) await db.query('ROLLBACK TO SAVEPOINT before_hold');
    if (became === 'made_before') return answerOfWinner(db, submission);
    if (verdict.keep === undefined) return refuse(await tooLittleFor(db, verdict));
  }
  throw new Error('the balance changes faster than it can be settled');
}

async function keepRefusal(
  db: Queryable,
  submission: Submission,
  { refused, origins }: { refused: Refused; origins: Origins },
): Promise<Accepted> {
  await refused.note?.(db);
  const accepted = await storeRefused(db, submission, refused);
  const isOwn = accepted.answer.submissionId === submission.submissionId;
  if (isOwn) await origins.settlement.note(db, submission, refused);
  return accepted;
}

async function tooLittleFor(db: Queryable, { rows: [row] }: Acceptance): Promise<Refused> {
  const { amount, fee, submission } = row;
  const { currency } = submission.request;
  const { current: available } = await balanceOf(db, submission.accountId, currency);
  return balanceTooSmall({ available, amount, fee, currency });
}

async function decide(
  db: Queryable,
  submission: Submission,
  {
    facts,
    own,
    origins,
  }: { facts: Awaited<ReturnType<typeof readFacts>>; own: OwnFees | null; origins: Origins },
): Promise<Verdict> {
  // A batch item does not expire: its money is held, and the merchant knows that the batch runs. A daily
  // settlement keeps its key free for the next hour's attempt.
  if (facts.expired && !submission.batch)
    return isDaily(submission.request) ? { ...submissionExpired, keepsKey: false } : submissionExpired;
  const frozen = requireAllowed(submission, facts);
  if (frozen) return frozenNow(frozen);
  const { now } = facts;
  return acceptAs(db, submission, { now, fees: feesAt(now, own) }, origins);
}

async function readFacts(db: Queryable, submission: Submission) {
  const { rows } = await db.query(
    prepared(`SELECT (SELECT reason FROM fence) AS fence, now() AS now,
       now() - $1::timestamptz > $2 * interval '1 millisecond' AS expired, k.id IS NOT NULL AS allowed, ${FREEZES} AS freezes, own.*
     FROM (VALUES (1)) one (row)
     LEFT JOIN api_keys k ON k.id = $4 AND k.account_id = $3 AND ($6 OR k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now()) AND $5 = ANY(k.scopes))
     LEFT JOIN LATERAL (
       SELECT version, rows, effective_from FROM account_fees WHERE account_id = $3 AND effective_from <= now()
       ORDER BY effective_from DESC, set_at DESC LIMIT 1) own ON true /* never null: now, allowed */`),
    [
      submission.receivedAt,
      submission.timing.submissionMaxAgeMs,
      submission.accountId,
      submission.apiKeyId,
      scopeToMake(submission),
      isAskedByNoKey(submission),
    ],
  );
  const facts = only(rows);
  return { ...facts, frozen: await frozenOf(db, facts.freezes) };
}

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

function acceptAs<M extends Exclude<Mode, NamedPayoutMode>>(
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

async function withRows(db: Queryable, submission: Submission, known: Accepted): Promise<Accepted> {
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
  return { ...known, at: first.created_at, fees, rows: told };
}

/** Adds the account's own fees of the acceptance, if any. `own`: the fees in force now. */
async function withOwnFees(db: Queryable, accepted: Accepted, own: OwnFees | null = null): Promise<Accepted> {
  if (!accepted.fees) return accepted;
  const { version } = accepted.fees;
  const isNow = own?.version === ownPartOf(version);
  return { ...accepted, fees: { version, own: isNow ? own : await ownFeesIn(db, version) } };
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

async function acceptPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  { now, fees }: Moment,
): Promise<Verdict> {
  const { request, batch } = submission;
  const accepted = (row: PendingRow): Verdict => ({
    rows: [row],
    answer: async (after) => payoutAnswer(submission, { fee: row.fee, ...(await after()) }),
  });
  // The start of the batch checked limits and duplicates, and fixed the fee.
  if (batch) return accepted(rowOfNamedPayout(submission, { fee: batch.fee, version: batch.feeVersion }));
  const preview = await previewOf(db, submission);
  if (preview && 'mismatch' in preview) return previewUnusable(preview.mismatch);
  const refusal = await countPayout(db, submission, now);
  if (refusal) return refusedByLimits(submission, refusal);
  const fee = preview?.fee ?? feeFor(kinds[request.mode].fee, request.amount, fees);
  return accepted(rowOfNamedPayout(submission, fee, preview?.fullName));
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
