import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** Records OpenTelemetry spans after `startTracing`. They hold only ids, codes and routes. */
export type SpanFacts = Attributes;
export const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, step: SpanKind.INTERNAL };

type Work<T> = (span: Span) => Promise<T>;
type Named = { name: string; kind: SpanKind; facts?: SpanFacts };

const tracer = () => trace.getTracer('malipo');

export function inFirstSpan<T>(named: Named, work: Work<T>): Promise<T> {
  return inSpanOf(ROOT_CONTEXT, named, work);
}

/** Records a span for the work if it runs inside a trace. */
export function inSpan<T>(named: Named, work: Work<T>): Promise<T> {
  const active = trace.getActiveSpan();
  return active ? inSpanOf(context.active(), named, work) : work(trace.wrapSpanContext(NOWHERE));
}

const NOWHERE = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 };

function inSpanOf<T>(parent: Context, { name, kind, facts }: Named, work: Work<T>): Promise<T> {
  return tracer().startActiveSpan(
    name,
    { kind, ...(facts ? { attributes: facts } : {}) },
    parent,
    async (span) => {
      try {
        return await work(span);
      } catch (error) {
        noteError(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

function noteError(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
}

/** Returns the header `traceparent` for another process, or none. */
export function traceCarrier(): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

export function inTraceOf<T>(carrier: Record<string, string>, work: () => Promise<T>): Promise<T> {
  return context.with(propagation.extract(ROOT_CONTEXT, carrier), work);
}
