const SEND_EVERY_MS = 2_000;
const STOP_WITHIN_MS = 2_000;

/**
 * Sends spans to a collector by OTLP over HTTP. Loads the packages only here, so processes without tracing
 * pay nothing. `endpoint`: the collector's base address (OTEL_EXPORTER_OTLP_ENDPOINT), or null.
 */
export async function startTracing(settings: {
  endpoint: string | undefined;
  service: string;
}): Promise<{ stop(): Promise<void> } | null> {
  const { endpoint } = settings;
  if (endpoint === undefined) return null;
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: STOP_WITHIN_MS,
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.service }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS })],
  });
  // Registers the global context and propagator, so spans find their parent and `traceparent` is sent.
  provider.register();
  return { stop: () => provider.shutdown().catch(() => {}) };
}
