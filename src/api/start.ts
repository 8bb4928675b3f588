import { randomUUID } from 'node:crypto';
import type { Database } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import type { MoneyRequest, StoredAnswer, Submission } from '../domain/operation.ts';
import { abandonSubmission } from '../transactions/abandoned.ts';
import { findStoredAnswer, fingerprintOf, transactionIdOf } from '../transactions/idempotency.ts';
import { type ApiRequest, callerOf, type Reply } from './endpoint.ts';
import type { Flows, SubmitOutcome } from './flows.ts';
import { unavailable } from './middleware/envelope.ts';

/** What a handler knows of its request once the fields are right. */
export type Plan = Pick<Submission, 'request' | 'timing'>;
/** Reads the fields and throws when they are wrong. Runs only when the key has no stored answer. */
export type Planner = (transactionId: string) => Plan | Promise<Plan>;
export type Start = (
  request: ApiRequest,
  operation: MoneyRequest['operation'],
  plan: Planner,
) => Promise<Reply>;

/**
 * Starts a transaction once per Idempotency-Key: the key's stored answer if there is one, else one update-with-start.
 * `unavailable` only while nothing was sent; after that an error is `outcome_unknown`, unless Postgres has the answer.
 */
export function createStart(deps: { database: Database; flows: Flows }): Start {
  const { database, flows } = deps;

  async function conclude(
    submission: Submission,
    outcome: SubmitOutcome,
    request: ApiRequest,
  ): Promise<Reply> {
    if (outcome.kind === 'not_sent') throw unavailable();
    if (outcome.kind === 'answered') return answered(submission, outcome.accepted.answer, request);
    const stored = await findStoredAnswer(database, submission.accountId, submission.idempotencyKey).catch(
      () => null,
    );
    if (stored) return replyOf(submission, stored);
    if (outcome.kind === 'closed') {
      request.log.warn({ transaction_id: submission.transactionId }, 'the flow ended before it answered');
      await abandonSubmission(database, submission).catch(() => {});
    }
    throw outcomeUnknown(submission.transactionId);
  }

  /**
   * An answer with another fingerprint belongs to another request under this key. Where Postgres does not hold it, it
   * was a refusal that is not kept (`preview_mismatch`), which Temporal still remembers: the key is free, start anew.
   */
  async function answered(submission: Submission, answer: StoredAnswer, request: ApiRequest): Promise<Reply> {
    if (answer.fingerprint === submission.fingerprint) return replyOf(submission, answer);
    const stored = await findStoredAnswer(database, submission.accountId, submission.idempotencyKey).catch(
      () => {
        throw outcomeUnknown(submission.transactionId);
      },
    );
    if (stored) return replyOf(submission, stored);
    const again = await flows.submit(submission, { again: true });
    if (again.kind !== 'answered') return conclude(submission, again, request);
    return replyOf(submission, again.accepted.answer);
  }

  return async (request, operation, plan) => {
    const { accountId, keyId } = callerOf(request);
    const key = request.idempotencyKey;
    const fingerprint = fingerprintOf(operation, request.known);
    const stored = await findStoredAnswer(database, accountId, key);
    if (stored) return replyOf({ fingerprint, submissionId: null }, stored);
    const transactionId = transactionIdOf(accountId, key);
    const submission: Submission = {
      transactionId,
      accountId,
      apiKeyId: keyId,
      idempotencyKey: key,
      fingerprint,
      submissionId: randomUUID(),
      requestId: request.requestId,
      receivedAt: request.receivedAt,
      metadata: metadataOf(request),
      ...(await plan(transactionId)),
    };
    const reply = await conclude(submission, await flows.submit(submission), request);
    request.log.info({ transaction_id: transactionId, operation }, 'submitted');
    return reply;
  };
}

/** The metadata as JSON text, exactly as it was sent. */
export function metadataOf(request: ApiRequest): string {
  return request.known.metadata === undefined ? '{}' : (request.body?.textOf('metadata') ?? '{}');
}

/** An answer that another submission got first is a replay, also when this one waited for it beside that one. */
function replyOf(
  submission: { fingerprint: string; submissionId: string | null },
  answer: StoredAnswer,
): Reply {
  if (answer.fingerprint !== submission.fingerprint) {
    throw new GatewayError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used for a different request. Nothing was done; use a new key for a new payment',
    );
  }
  return {
    status: answer.httpStatus,
    body: answer.body,
    ...(answer.submissionId === submission.submissionId
      ? {}
      : { headers: { 'Idempotent-Replayed': 'true' } }),
  };
}

/** 503: it was sent and may still happen. */
export function outcomeUnknown(transactionId: string): GatewayError {
  return new GatewayError(
    'outcome_unknown',
    'The outcome is not known yet. Send the same request with the same Idempotency-Key: it will not be done twice. A new key could pay twice',
    { transactionId },
  );
}
