import {
  defaultPayloadConverter,
  type Headers,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { REQUEST_ID_HEADER, TRACE_HEADER } from '../domain/names.ts';
import type { FlowInput } from '../domain/operation.ts';

/**
 * Gives every activity and log line of a flow the id of the merchant's request, and every activity the trace that the
 * flow was started in. The id is in the flow's input; one that the sweep started again has none. Headers are not
 * compared when a history is replayed. Nothing here waits: an interceptor that does loses buffered signals.
 */
export const interceptors: WorkflowInterceptorsFactory = (): WorkflowInterceptors => {
  let requestId = '';
  let trace: Headers = {};
  const traced = (headers: Headers): Headers =>
    requestId === ''
      ? { ...headers, ...trace }
      : { ...headers, ...trace, [REQUEST_ID_HEADER]: defaultPayloadConverter.toPayload(requestId) };
  return {
    inbound: [
      {
        execute(input, next) {
          const [flow] = input.args as [Partial<FlowInput> | undefined];
          requestId = flow?.submission?.requestId ?? '';
          const carried = input.headers[TRACE_HEADER];
          trace = carried ? { [TRACE_HEADER]: carried } : {};
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: traced(input.headers) }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: traced(input.headers) }),
        getLogAttributes: (attributes, next) =>
          next(requestId === '' ? attributes : { ...attributes, [REQUEST_ID_HEADER]: requestId }),
      },
    ],
  };
};
