const SEND_EVERY_MS = 2_000;
const STOP_WITHIN_MS = 2_000;

/**
 * Sends spans to a collector by OTLP over HTTP. The packages are loaded here and only now: who does not trace pays
 * nothing. `endpoint`: the base address of the collector, as OTEL_EXPORTER_OTLP_ENDPOINT names it; without it, null.
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
  // The global ones: that spans find their parent, and that `traceparent` is what carries them.
  provider.register();
  return { stop: () => provider.shutdown().catch(() => {}) };
}
