import { ownFeesIn, readOwnFees } from '../../accounts/fees.ts';
import { FROZEN } from '../../accounts/freeze.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { type Fee, feeFor, feesAt, type OwnFees, ownPartOf } from '../../domain/fees.ts';
import { channelReferenceOf } from '../../domain/ids.ts';
import { kinds, type Mode } from '../../domain/kinds.ts';
import type {
  Accepted,
  MoneyRequest,
  PayoutRequest,
  PushRequest,
  Submission,
} from '../../domain/operation.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { only } from '../../platform/db/rows.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { requireOpen } from '../care/fence.ts';
import { acceptBill, acceptQr } from './accept-bill.ts';
import { isAskedByNoKey, isDaily, requireAllowed, scopeToMake } from './accept-guard.ts';
import { acceptHeld, setSavepoint } from './accept-held.ts';
import { acceptRefund } from './accept-refund.ts';
import {
  frozenAnswer,
  limitAnswer,
  payoutAnswer,
  previewMismatchAnswer,
  pushAnswer,
  submissionExpiredAnswer,
} from './answers.ts';
import { checkTwin, countPayout, refuseByLimits } from './limits.ts';
import type { Origins } from './origin.ts';
import { type PreviewMismatch, previewableOf, usePreview } from './previews.ts';
import { admitPrompt, isPrompt } from './prompts.ts';
import {
  answerOfWinner,
  columnsOfParty,
  insertTransaction,
  type Moment,
  notStored,
  pendingRowOf,
  refuse,
  rowOfPush,
  storeAccepted,
  storedFor,
} from './submissions.ts';

/**
 * The accepting transaction: idempotency row, transaction, for a payout the hold, and the very bytes of the answer,
 * together or not at all. Run again by its own workflow it finds its row and changes nothing (`mine`); run for a key
 * that another submission took, it returns that one's answer. Everything that depends on state is decided here, but for what
 * `origins` decide.
 */
export function accept(database: Database, submission: Submission, origins: Origins): Promise<Accepted> {
  return inTransaction(database, async (db) => {
    const known = await storedFor(db, submission);
    if (known) return known.mine ? withOwnFees(db, await feesOfRow(db, known)) : known;
    const facts = await readFacts(db, submission);
    requireOpen(facts.fence);
    const own = readOwnFees(facts);
    const accepted = await decide(db, submission, { facts, own, origins });
    await origins.settlement.note(db, submission, accepted);
    return withOwnFees(db, accepted.mine ? { ...accepted, at: facts.now } : accepted, own);
  });
}

async function decide(
  db: Queryable,
  submission: Submission,
  {
    facts,
    own,
    origins,
  }: { facts: Awaited<ReturnType<typeof readFacts>>; own: OwnFees | null; origins: Origins },
): Promise<Accepted> {
  // The money of an item is held, and its merchant was told that the batch runs. The key of a day is that of its next hour, too.
  if (facts.expired && !submission.batch) {
    const answer = submissionExpiredAnswer(submission);
    return isDaily(submission.request) ? notStored(submission, answer) : refuse(db, submission, answer);
  }
  const frozen = requireAllowed(submission, facts);
  if (frozen) return notStored(submission, frozenAnswer(submission, frozen), 403);
  const { now } = facts;
  return acceptAs(db, submission, { now, fees: feesAt(now, own) }, origins);
}

/**
 * What an acceptance rests on, as one statement sees it: the fence, what of its key may do this and is frozen, and, for
 * this clock to say, what is too late and which fees hold.
 */
async function readFacts(db: Queryable, submission: Submission) {
  const { rows } = await db.query(
    prepared(`SELECT (SELECT reason FROM fence) AS fence, now() AS now,
       now() - $1::timestamptz > $2 * interval '1 millisecond' AS expired, k.id IS NOT NULL AS allowed, ${FROZEN} AS frozen, own.*
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
  return only(rows);
}

type Accept<M extends Mode> = (
  db: Queryable,
  submission: Submission<MoneyRequest<M>>,
  moment: Moment,
  origins: Origins,
) => Promise<Accepted>;

const acceptors: { [M in Mode]: Accept<M> } = {
  ussd: acceptPush,
  billpay: acceptBill,
  qr: acceptQr,
  number: () => Promise.reject(new BrokenInvariant('nobody submits a payment of a number')),
  mobile: acceptPayout,
  bank: acceptPayout,
  refund: acceptRefund,
  settlement: (db, submission, moment, { settlement }) => settlement.accept(db, submission, moment),
  payback: () => Promise.reject(new BrokenInvariant('nobody submits a payback')),
};

function acceptAs<M extends Mode>(
  db: Queryable,
  submission: Submission<MoneyRequest<M>>,
  moment: Moment,
  origins: Origins,
): Promise<Accepted> {
  // The compiler does not see that a request's mode is the M of its type.
  const mode = submission.request.mode as M;
  return acceptors[mode](db, submission, moment, origins);
}

async function feesOfRow(db: Queryable, known: Accepted): Promise<Accepted> {
  const { rows } = await db.query('SELECT fee_version, created_at FROM transactions WHERE id = $1', [
    known.answer.transactionId,
  ]);
  const { fee_version: version, created_at: at } = only(rows);
  return { ...known, at, fees: { version, own: null } };
}

/** With the account's own fees that it was accepted by, if it was by any: `own` are those that hold now. */
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
): Promise<Accepted> {
  if (isPrompt(submission)) {
    const message = await admitPrompt(db, submission);
    if (message) return notStored(submission, limitAnswer(submission, { code: 'limit_exceeded', message }));
  } else {
    const twin = await checkTwin(db, submission);
    if (twin) return refuseByLimits(db, submission, twin);
  }
  const row = rowOfPush(submission, fees);
  if (!(await insertTransaction(db, row))) return answerOfWinner(db, submission);
  return storeAccepted(db, row, pushAnswer(submission));
}

async function acceptPayout(
  db: Queryable,
  submission: Submission<PayoutRequest>,
  { now, fees }: Moment,
  origins: Origins,
): Promise<Accepted> {
  if (submission.batch) return origins.item.accept(db, submission, submission.batch);
  const { request } = submission;
  // The use of a preview and what a payout counts for are taken back, too, when a limit or the balance refuses it.
  await setSavepoint(db);
  const preview = await previewOf(db, submission);
  if (preview && 'mismatch' in preview)
    return notStored(submission, previewMismatchAnswer(submission, preview.mismatch));
  const fee = preview?.fee ?? feeFor(kinds[request.mode].fee, request.amount, fees);
  const row = pendingRowOf(submission, {
    amount: request.amount,
    reference: channelReferenceOf('payout', submission.transactionId),
    ...columnsOfParty(request, preview?.fullName ?? null),
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
