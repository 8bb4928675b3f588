import { CompleteAsyncError } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  defaultPayloadConverter,
  type Headers,
} from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { describeError, mask } from '../../base/redact.ts';
import { factsOfWorkflow } from '../../domain/ids.ts';
import { REQUEST_ID_HEADER } from '../../domain/names.ts';

export type LinesLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** Writes one line per activity, and cleans its errors, which Temporal's history shows in plain text. */
export function createActivityLog(
  log: LinesLog,
  observe: (attempt: { activity: string; queue: string; outcome: string; ms: number }) => void = () => {},
): ActivityInterceptorsFactory {
  return ({ info }) => {
    const facts: Record<string, unknown> = {
      activity: info.activityType,
      task_queue: info.taskQueue,
      attempt: info.attempt,
      ...factsOfWorkflow(info.workflowExecution?.workflowId),
    };
    return {
      inbound: {
        async execute(input, next) {
          const started = performance.now();
          Object.assign(facts, requestOf(input.headers));
          const done = (outcome: string) => {
            const ms = Math.round(performance.now() - started);
            observe({ activity: info.activityType, queue: info.taskQueue, outcome, ms });
            return { ...facts, ms, outcome };
          };
          try {
            const result = await next(input);
            log.info({ ...done('completed'), ...kindOf(result) }, 'activity');
            return result;
          } catch (error) {
            if (error instanceof CompleteAsyncError) {
              log.info(done('open'), 'activity');
              throw error;
            }
            if (isWait(error)) log.info(done('again'), 'activity');
            else log.warn({ ...done('failed'), err: error }, 'activity');
            throw cleanFailure(error);
          }
        },
      },
      outbound: { getLogAttributes: (attributes, next) => next({ ...attributes, ...facts }) },
    };
  };
}

function requestOf(headers: Headers): { request_id?: string } {
  const payload = headers[REQUEST_ID_HEADER];
  return payload ? { [REQUEST_ID_HEADER]: defaultPayloadConverter.fromPayload<string>(payload) } : {};
}

/** Reads a report's result, which is one word of a closed list. */
function kindOf(result: unknown): { result?: string } {
  if (typeof result !== 'object' || result === null) return {};
  const { kind, status } = result as { kind?: unknown; status?: unknown };
  const word = kind ?? status;
  return typeof word === 'string' ? { result: word } : {};
}

function isWait(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}

const CAUSES_MAX = 4;

/** Keeps a failure's type, retries and cancellation, and replaces its text by one that a log may hold. */
function cleanFailure(thrown: unknown, causesLeft = CAUSES_MAX): unknown {
  if (thrown instanceof CancelledFailure) return thrown;
  const { type, message, stack } = describeError(thrown);
  if (type === 'AbortError') return thrown;
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  const given = thrown instanceof Error ? thrown.cause : undefined;
  const cause = given instanceof Error && causesLeft > 0 ? cleanFailure(given, causesLeft - 1) : undefined;
  const clean = ApplicationFailure.create({
    message: own ? mask(own.message) : message,
    type: own?.type ?? type,
    nonRetryable: own?.nonRetryable ?? false,
    ...(own?.details ? { details: own.details } : {}),
    ...(own?.nextRetryDelay === undefined ? {} : { nextRetryDelay: own.nextRetryDelay }),
    ...(own?.category ? { category: own.category } : {}),
    ...(cause instanceof Error ? { cause } : {}),
  });
  clean.stack = `${clean.name}: ${clean.message}\n${stack ?? ''}`;
  return clean;
}
