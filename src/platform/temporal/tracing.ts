import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CompleteAsyncError,
  defaultPayloadConverter,
  type Headers,
} from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { factsOfWorkflow } from '../../domain/ids.ts';
import { TRACE_HEADER } from '../../domain/names.ts';
import { inSpan, inTraceOf, kinds, traceCarrier } from '../trace/span.ts';

function traced(headers: Headers): Headers {
  const carrier = traceCarrier();
  if (Object.keys(carrier).length === 0) return headers;
  return { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/** Gives a started workflow the current trace, which it passes on (workflows/tracing.ts). */
export const traceStarts: WorkflowClientInterceptor = {
  start: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startUpdateWithStart: (input, next) =>
    next({ ...input, workflowStartHeaders: traced(input.workflowStartHeaders) }),
};

/** Makes each attempt a span in its workflow's trace. The span gets only cleaned errors. */
export const traceActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const payload = input.headers[TRACE_HEADER];
      if (!payload) return next(input);
      const carrier = defaultPayloadConverter.fromPayload<Record<string, string>>(payload);
      const { transaction_id: id } = factsOfWorkflow(info.workflowExecution?.workflowId);
      const facts = {
        'malipo.queue': info.taskQueue,
        'malipo.attempt': info.attempt,
        ...(info.workflowType ? { 'malipo.workflow': info.workflowType } : {}),
        ...(id ? { 'malipo.transaction_id': id } : {}),
      };
      return inTraceOf(carrier, () =>
        inSpan({ name: `activity ${info.activityType}`, kind: kinds.step, facts }, async (span) => {
          const result = await next(input).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          );
          if ('value' in result) return result;
          if (!isExpected(result.error)) throw result.error;
          span.setAttribute('malipo.result', 'again');
          return result;
        }),
      ).then((result) => {
        if ('error' in result) throw result.error;
        return result.value;
      });
    },
  },
});

/** These errors are expected: a poll goes on, or a notification will complete the send. */
function isExpected(error: unknown): boolean {
  if (error instanceof CompleteAsyncError) return true;
  return error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
}
