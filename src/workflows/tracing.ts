import {
  defaultPayloadConverter,
  type Headers,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { REQUEST_ID_HEADER, TRACE_HEADER } from '../domain/names.ts';
import type { FlowInput } from '../domain/operation.ts';

/**
 * The merchant's request id goes to the flow's activities and log lines; the trace that started the flow goes
 * to its activities. The id is in the flow's input, except after a restart by the sweep. A replay ignores
 * headers, so they may differ. An interceptor that awaits would lose buffered signals.
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
