import {
  defaultPayloadConverter,
  type Headers,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import type { FlowInput } from '../domain/operation.ts';
import { REQUEST_ID_HEADER } from './messages.ts';

/**
 * Gives the id of the merchant's request to every activity and every log line of its flow. It is in the flow's input;
 * one that the sweep started again has none. Nothing here waits: an interceptor that does loses buffered signals.
 */
export const interceptors: WorkflowInterceptorsFactory = (): WorkflowInterceptors => {
  let requestId = '';
  const traced = (headers: Headers): Headers =>
    requestId === ''
      ? headers
      : { ...headers, [REQUEST_ID_HEADER]: defaultPayloadConverter.toPayload(requestId) };
  return {
    inbound: [
      {
        execute(input, next) {
          const [flow] = input.args as [Partial<FlowInput> | undefined];
          requestId = flow?.submission?.requestId ?? '';
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
