import { randomUUID } from 'node:crypto';
import { frozenError } from '../../accounts/freeze.ts';
import { GatewayError } from '../../domain/errors.ts';
import { kinds, type Mode } from '../../domain/kinds.ts';
import { say } from '../../domain/messages.ts';
import { type StoredAnswer, type Submission, statusOf } from '../../domain/operation.ts';
import type { Database } from '../../platform/db/pool.ts';
import { Reply } from '../../platform/http/call.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { noteFacts } from '../../platform/process/log.ts';
import { abandonSubmission } from '../../transactions/acceptance/abandoned.ts';
import {
  addKeyToBill,
  billTransactionIdOf,
  findStored,
  fingerprintsOf,
  type Identity,
  identityOf,
  transactionIdOf,
} from '../../transactions/acceptance/idempotency.ts';
import { closeFence } from '../../transactions/care/fence.ts';
import { type ClosedBill, closedBillOf } from '../../transactions/rows/bill-store.ts';
import { type ApiRequest, callerOf, REPLAYED } from './call.ts';
import type { Flows, SubmitOutcome } from './flows.ts';

type Plan = Pick<Submission, 'request' | 'timing'>;
/** Throws if fields are wrong. Runs only if the key has no stored answer. */
type Planner = (transactionId: string) => Plan | Promise<Plan>;
export type Start = (request: ApiRequest, mode: Mode, plan: Planner) => Promise<Reply>;

type StartDeps = {
  database: Database;
  flows: Flows;
  isFenced: () => Promise<boolean>;
};

/**
 * Starts a transaction once per Idempotency-Key: returns the stored answer, or makes one update-with-start.
 * Throws `unavailable` only if nothing was sent; later errors are `outcome_unknown`, unless Postgres has the
 * answer.
 */
export function createStart({ database, flows, isFenced }: StartDeps): Start {
  const find = (submission: Submission) => findStored(database, submission.accountId, identityOf(submission));

  async function conclude(
    submission: Submission,
    outcome: SubmitOutcome,
    request: ApiRequest,
  ): Promise<Reply> {
    if (outcome.kind === 'not_sent')
      throw outcome.busy
        ? unavailable(say('service_busy'), { 'Retry-After': String(outcome.busy.afterSeconds) })
        : unavailable();
    if (outcome.kind === 'answered') return answered(submission, outcome.accepted.answer, request);
    const stored = await find(submission).catch(() => null);
    if (stored) return replayed(submission, stored, request);
    if (outcome.kind === 'closed') {
      request.log.warn('the flow ended before it answered');
      if (identityOf(submission).paymentNumber !== null) return startBillAgain(submission, request);
      await abandonSubmission(database, submission).catch(() => {});
    }
    throw outcomeUnknown(submission.transactionId);
  }

  /** If another key made the same bill at the same time, this key keeps that answer for ever. */
  async function replayed(submission: Submission, answer: StoredAnswer, request: ApiRequest): Promise<Reply> {
    const { accountId, submissionId } = submission;
    const { key, paymentNumber } = identityOf(submission);
    const reply = replyOf(askedOf(submission, request), answer);
    if (answer.submissionId !== submissionId && answer.refused === null)
      await requireStored(database, submission);
    if (key !== null && paymentNumber !== null && answer.submissionId !== submissionId)
      await addKeyToBill(database, { accountId, paymentNumber, key }).catch(() => {
        throw outcomeUnknown(submission.transactionId);
      });
    return reply;
  }

  /** A bill sends nothing, so it is made even late: a stored refusal would use up its number. */
  async function startBillAgain(submission: Submission, request: ApiRequest): Promise<Reply> {
    const again = await flows.submit(submission, { again: true });
    if (again.kind === 'answered') return replyOf(askedOf(submission, request), again.accepted.answer);
    throw outcomeUnknown(submission.transactionId);
  }

  /**
   * An answer with another fingerprint belongs to another request with this key. If Postgres lacks it, it was
   * a refusal that only Temporal has (`preview_mismatch`), so the key is free and we start anew. We also do
   * so if this request was refused for a reason that may no longer apply.
   */
  async function answered(submission: Submission, answer: StoredAnswer, request: ApiRequest): Promise<Reply> {
    const isOver = answer.submissionId !== submission.submissionId && mayBeOver(answer);
    if (isSameRequest(askedOf(submission, request), answer) && !isOver)
      return replayed(submission, answer, request);
    const stored = await find(submission).catch(() => {
      throw outcomeUnknown(submission.transactionId);
    });
    if (stored) return replyOf(askedOf(submission, request), stored);
    const again = await flows.submit(submission, { again: true });
    if (again.kind !== 'answered') return conclude(submission, again, request);
    return replyOf(askedOf(submission, request), again.accepted.answer);
  }

  return async (request, mode, plan) => {
    const { accountId, frozen } = callerOf(request);
    const key = request.idempotencyKey === '' ? null : request.idempotencyKey;
    const identity = { key, paymentNumber: paymentNumberOf(mode, request) };
    const transactionId = idOf(accountId, identity);
    noteFacts(request.log, { transaction_id: transactionId, mode });
    const { paymentNumber } = identity;
    const fingerprints = fingerprintsIn(mode, request);
    const asked = { transactionId, fingerprints, submissionId: null, paymentNumber };
    const underKey = await findStored(database, accountId, { key, paymentNumber: null });
    // A key of another request is refused first, whatever the payment number.
    if (underKey) return replyOf({ ...asked, paymentNumber: null }, underKey);
    const stored = await findStored(database, accountId, { ...identity, key: null });
    const closed = stored && (await closedBillOf(database, stored.transactionId));
    if (stored && !closed && !isTakenNumber(asked, stored)) {
      if (key !== null && paymentNumber !== null)
        await addKeyToBill(database, { accountId, paymentNumber, key });
      return replyOf(asked, stored);
    }
    if (frozen) throw frozenError(frozen);
    const planned = await plan(transactionId);
    if (stored) throw paymentNumberTaken(asked, closed);
    if (await isFenced()) throw unavailable();
    const submission = submissionOf(request, { transactionId, fingerprint: fingerprints[0], key }, planned);
    return conclude(submission, await flows.submit(submission), request);
  };
}

function submissionOf(
  request: ApiRequest,
  own: { transactionId: string; fingerprint: string; key: string | null },
  planned: Plan,
): Submission {
  const { accountId, keyId } = callerOf(request);
  return {
    transactionId: own.transactionId,
    fingerprint: own.fingerprint,
    accountId,
    apiKeyId: keyId,
    idempotencyKey: own.key,
    submissionId: randomUUID(),
    requestId: request.requestId,
    receivedAt: request.receivedAt,
    metadata: metadataOf(request),
    language: request.language,
    ...planned,
  };
}

/** If Postgres lacks an answer that Temporal has, commits were lost, and the merchant must not rely on it. */
async function requireStored(database: Database, submission: Submission): Promise<void> {
  const { accountId, transactionId } = submission;
  const stored = await findStored(database, accountId, identityOf(submission)).catch(() => {
    throw outcomeUnknown(transactionId);
  });
  if (stored) return;
  await closeFence(database, `Temporal has an answer for ${transactionId}, which is not there`);
  throw outcomeUnknown(transactionId);
}

/** The id in the address is part of the request, like the fields of the body. */
function askedOfAddress({ id, known }: ApiRequest): Record<string, unknown> {
  return id === '' ? known : { ...known, id: id.toLowerCase() };
}

function idOf(accountId: string, { key, paymentNumber }: Identity): string {
  if (paymentNumber !== null) return billTransactionIdOf(accountId, paymentNumber);
  // A bill without a readable number is refused before its id is used.
  return transactionIdOf(accountId, key ?? '');
}

/** A payment number identifies a bill, whatever its key. */
function paymentNumberOf(mode: Mode, request: ApiRequest): string | null {
  const { payment_number: number } = request.known;
  return kinds[mode].type === 'bill' && typeof number === 'string' ? number.trim() : null;
}

/** Returns the metadata as JSON text, exactly as sent. */
export function metadataOf(request: ApiRequest): string {
  return request.known.metadata === undefined ? '{}' : (request.body?.textOf('metadata') ?? '{}');
}

type Asked = Pick<Submission, 'transactionId'> & {
  /** the request's fingerprint in every version */
  fingerprints: readonly string[];
  submissionId: string | null;
  paymentNumber: string | null;
};

function askedOf(submission: Submission, request: ApiRequest): Asked {
  const fingerprints = fingerprintsIn(submission.request.mode, request);
  return { ...submission, fingerprints, paymentNumber: identityOf(submission).paymentNumber };
}

function fingerprintsIn(mode: Mode, request: ApiRequest): [string, ...string[]] {
  return fingerprintsOf(mode, { ...askedOfAddress(request), payment_number: paymentNumberOf(mode, request) });
}

function isSameRequest({ fingerprints }: Asked, answer: StoredAnswer): boolean {
  return fingerprints.includes(answer.fingerprint);
}

/** True for refusals that may no longer apply: a lifted freeze, a past wait, a balance that now suffices. */
function mayBeOver({ refused }: StoredAnswer): boolean {
  return refused === 'forbidden' || refused === 'unavailable' || refused === 'not_settleable';
}

/** The answer is a replay if another submission got it first. */
function replyOf(asked: Asked, answer: StoredAnswer): Reply {
  if (isTakenNumber(asked, answer)) throw paymentNumberTaken(asked);
  if (!isSameRequest(asked, answer))
    throw new GatewayError('idempotency_key_reused', say('idempotency_key_reused'));
  if (answer.body === '') throw new GatewayError('idempotency_key_reused', say('idempotency_key_forgotten'));
  return new Reply({
    status: statusOf(answer),
    refused: answer.refused,
    body: answer.body,
    language: answer.language ?? 'en',
    ...(answer.submissionId === asked.submissionId ? {} : { headers: REPLAYED }),
  });
}

/** True if another bill has this payment number, from which a bill's id is made. */
function isTakenNumber(asked: Asked, answer: StoredAnswer): boolean {
  const isSameBill = asked.paymentNumber !== null && answer.transactionId === asked.transactionId;
  return isSameBill && !isSameRequest(asked, answer);
}

function paymentNumberTaken({ paymentNumber }: Asked, closed: ClosedBill | null = null): GatewayError {
  const message = say(`payment_number_${closed ?? 'taken'}`, { number: paymentNumber ?? '' });
  return new GatewayError('payment_number_taken', message, {
    errors: [{ field: 'payment_number', message: say('must_be_unique_bill') }],
  });
}

/** Makes a 503: the request was sent and may still happen. */
function outcomeUnknown(transactionId: string): GatewayError {
  return new GatewayError('outcome_unknown', say('outcome_unknown'), { transactionId });
}
