import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type GaugeOf<Reading> = {
  name: string;
  help: string;
  labelNames?: readonly string[];
  samples: (reading: Reading) => { labels?: Record<string, string>; value: number }[];
};

export type CounterOf = { name: string; help: string; label: string; values: readonly string[] };

/** Labels take values only from our tables, so that series stay few and contain no names. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let appended: (() => Promise<string>) | null = null;
  return {
    ...countersOf(registry),
    ...gaugesOf(registry),
    /** Adds another exporter's text after ours, such as the Temporal SDK's. */
    append(text: () => Promise<string>) {
      appended = text;
    },
    async text(): Promise<string> {
      const [ours, others] = await Promise.all([registry.metrics(), appended?.() ?? '']);
      return `${ours}${others}`;
    },
    contentType: registry.contentType,
  };
}

function countersOf(registry: Registry) {
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered; code is that of a refusal, else empty',
    labelNames: [...labelNames, 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer',
    labelNames,
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const activities = new Histogram({
    name: 'activity_duration_seconds',
    help: 'Time an attempt of an activity took',
    labelNames: ['activity', 'queue', 'outcome'] as const,
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const billAmounts = new Counter({
    name: 'bill_payments_accepted_tzs_total',
    help: 'Accepted payments of bills, in shillings, by the connection that notified them',
    labelNames: ['connection'] as const,
    registers,
  });
  const endings = new Counter({
    name: 'transactions_ended_total',
    help: 'Transactions that became final, by how; failure_code is empty for all but failures',
    labelNames: ['kind', 'channel', 'outcome', 'failure_code'] as const,
    registers,
  });
  return {
    countEnding(ended: { mode: string; channel: string; status: string; failureCode: string | null }) {
      const { mode: kind, channel, status: outcome, failureCode } = ended;
      endings.inc({ kind, channel, outcome, failure_code: failureCode ?? '' });
    },
    /** `amount` is in minor units. */
    countBillPayment({ connection, amount }: { connection: string; amount: number }) {
      billAmounts.inc({ connection }, amount / 100);
    },
    observeActivity(attempt: { activity: string; queue: string; outcome: string; ms: number }) {
      const { ms, ...labels } = attempt;
      activities.observe(labels, ms / 1_000);
    },
    observe(request: {
      method: string;
      route: string;
      status: number;
      code?: string | undefined;
      seconds: number;
    }) {
      const labels = { method: request.method, route: request.route, status: String(request.status) };
      requests.inc({ ...labels, code: request.code ?? '' });
      durations.observe(labels, request.seconds);
    },
    /** Every value of the label is present from the start. */
    counterOf({ name, help, label, values }: CounterOf): (value: string) => void {
      const counter = new Counter({ name, help, labelNames: [label], registers });
      for (const value of values) counter.inc({ [label]: value }, 0);
      return (value) => counter.inc({ [label]: value });
    },
  };
}

function gaugesOf(registry: Registry) {
  /** Shows gauges that share one reading; leaves them out if it fails. */
  function watchAll<Reading>(read: () => Promise<Reading>, gauges: readonly GaugeOf<Reading>[]) {
    for (const { name, help, labelNames = [], samples } of gauges)
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        async collect() {
          const reading = await read().catch(() => null);
          this.reset();
          // After a reset, a gauge without labels would report 0.
          if (labelNames.length === 0) this.remove();
          if (reading !== null)
            for (const { labels = {}, value } of samples(reading)) this.set(labels, value);
        },
      });
  }
  return {
    watchAll,
    /** Reads the number when metrics are requested; leaves it out if that fails. */
    watch({ name, help, read }: { name: string; help: string; read: () => Promise<number> }) {
      watchAll(read, [{ name, help, samples: (value) => [{ value }] }]);
    },
  };
}
