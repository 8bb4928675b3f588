import { inSpan, kinds, traceCarrier } from '../platform/trace/span.ts';
import type { CallbackSender } from './send.ts';

/** Makes each attempt a span and sends the trace's id, so the receiver can continue the trace. */
export function traceAttempts(sender: CallbackSender): CallbackSender {
  return {
    send: (message) =>
      inSpan(
        { name: 'callback', kind: kinds.client, facts: { 'http.request.method': 'POST' } },
        async (span) => {
          const sent = await sender.send({ ...message, headers: { ...message.headers, ...traceCarrier() } });
          if ('busy' in sent) span.setAttribute('malipo.result', 'busy');
          else if (sent.httpStatus !== null) span.setAttribute('http.response.status_code', sent.httpStatus);
          else span.setAttribute('malipo.result', 'unanswered');
          return sent;
        },
      ),
  };
}
