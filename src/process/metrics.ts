import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Request counts and durations by route and status, those of activities by name and outcome. Routes are the table's
 * names, so the labels stay few.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer',
    labelNames,
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const activities = new Histogram({
    name: 'activity_duration_seconds',
    help: 'Time an attempt of an activity took',
    labelNames: ['activity', 'outcome'] as const,
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const billAmounts = new Counter({
    name: 'bill_payments_accepted_tzs_total',
    help: 'Accepted payments of bills, in shillings, by the connection that notified them',
    labelNames: ['connection'] as const,
    registers: [registry],
  });
  return {
    /** `amount`: minor units. */
    countBillPayment({ connection, amount }: { connection: string; amount: number }) {
      billAmounts.inc({ connection }, amount / 100);
    },
    observeActivity({ activity, outcome, ms }: { activity: string; outcome: string; ms: number }) {
      activities.observe({ activity, outcome }, ms / 1_000);
    },
    observe(request: { method: string; route: string; status: number; seconds: number }) {
      const labels = { method: request.method, route: request.route, status: String(request.status) };
      requests.inc(labels);
      durations.observe(labels, request.seconds);
    },
    /** A number that is read when the metrics are asked for; left out while it cannot be read. */
    watch({ name, help, read }: { name: string; help: string; read: () => Promise<number> }) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await read().catch(() => null);
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
