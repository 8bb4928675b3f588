import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../../sandbox/local/ports.ts';
import { addUpEntries } from '../../src/ledger/sums.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { familyOf, sampleOf, samplesOf } from '../app/watch/exposition.ts';
import { ADDED_LABELS, readBy } from '../app/watch/promql.ts';
import { needsPromtool, rules, runPromtool } from '../app/watch/promtool.ts';
import { type Gateway, mobilePayoutBody, pushBody, startGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/operations/metrics.md'), 'utf8');

type Documented = { name: string; from: string[]; labels: string[] };
/** A line for each kind of process: `- **API, worker**: `name{label,label}`, …`. */
const documented: Documented[] = [...page.matchAll(/^- \*\*([^*]+)\*\*: (.*)$/gm)].flatMap(
  ([, from = '', list = '']) =>
    [...list.matchAll(/`(\w+)(?:\{([\w,]+)\})?`/g)].map(([, name = '', labels]) => ({
      name,
      from: from.split(', '),
      labels: labels?.split(',') ?? [],
    })),
);
/** Nothing failed here, and no statement was imported. */
const ONLY_ONCE_IT_HAPPENED = [
  'temporal_workflow_task_execution_failed_total',
  'statement_float_tzs',
  'statement_float_low_tzs',
  'statement_float_dry_seconds',
  'statement_proven_ratio',
];
/** Prometheus's own. */
const OF_PROMETHEUS = ['up', 'ALERTS'];

type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };
const dashboard = JSON.parse(readFileSync(path.join(root, 'deploy/grafana/malipo.json'), 'utf8'));
const queries = (dashboard.panels as Panel[]).flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legend: legendFormat })),
);

describe('the metrics of a running API and worker', function () {
  this.timeout(180_000);
  let gateway: Gateway;
  let texts: Record<'API' | 'worker', string>;
  const ask = async (url: string) => (await fetch(`${url}/metrics`)).text();

  before(async () => {
    const port = await freePort();
    gateway = await startGateway({ WORKER_MANAGEMENT_PORT: String(port) });
    for (const [kind, where, body] of [
      ['payments', 'payments/ussd', pushBody()],
      ['payouts', 'payouts/mobile', mobilePayoutBody()],
      // The customer declines.
      ['payments', 'payments/ussd', pushBody('039')],
    ] as const) {
      const { json, status, text } = await gateway.request('POST', where, {
        key: `metrics-${body.phone_number}-${kind}`,
        body,
      });
      assert.equal(status, 200, text);
      await gateway.outcome(kind, json.transaction_id);
    }
    // What two sweeps do, so that the sums are there.
    const { database_url: url } = gateway.local;
    const database = createDatabase({ url, poolMax: 1, applicationName: 'metrics test' });
    await addUpEntries(database);
    await addUpEntries(database);
    await database.end();
    texts = await until(async () => {
      const [api, worker] = [await ask(gateway.local.management_url), await ask(`http://127.0.0.1:${port}`)];
      const isThere =
        sampleOf(api, 'float_tzs', { channel: 'm-pesa' }) !== undefined &&
        (sampleOf(worker, 'callback_attempts_total', { outcome: 'taken' }) ?? 0) >= 3;
      return isThere ? { API: api, worker } : null;
    }, 'both show what happened');
  });
  after(() => gateway?.stop());

  const all = () => [...samplesOf(texts.API), ...samplesOf(texts.worker)];

  it('are the documented ones, each with its labels, and no others', () => {
    for (const from of ['API', 'worker'] as const) {
      const text = texts[from];
      const families = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
      const ours = [...families].filter((name) => !/^(nodejs|process|temporal)_/.test(name));
      for (const name of ours)
        if (samplesOf(text).some((sample) => familyOf(sample.name, text) === name))
          assert.ok(
            documented.some((row) => row.name === name && row.from.includes(from)),
            `${name} of the ${from} is not in metrics.md`,
          );
      for (const { name, from: processes, labels } of documented) {
        if (!processes.includes(from) || ONLY_ONCE_IT_HAPPENED.includes(name)) continue;
        assert.ok(families.has(name), `${name} is in metrics.md and not at the ${from}`);
        const sample = samplesOf(text).find((one) => familyOf(one.name, text) === name);
        for (const label of sample ? labels : [])
          assert.ok(label in (sample?.labels ?? {}), `${name} ${label}`);
      }
    }
  });

  it('count what happened', () => {
    const ended = (labels: Record<string, string>) =>
      sampleOf(texts.worker, 'transactions_ended_total', labels);
    assert.equal(ended({ kind: 'ussd', channel: 'm-pesa', outcome: 'completed' }), 1);
    assert.equal(ended({ kind: 'mobile', channel: 'm-pesa', outcome: 'paid' }), 1);
    assert.equal(ended({ kind: 'ussd', channel: 'm-pesa', failure_code: 'customer_declined' }), 1);
    assert.equal(sampleOf(texts.API, 'transactions_pending', { kind: 'ussd', channel: 'm-pesa' }), 0);
  });

  it('name nobody: every label is short, and no number of a phone, a payment or a key is in one', () => {
    for (const { name, labels } of all())
      for (const [label, value] of Object.entries(labels)) {
        assert.ok(value.length <= 80, `${name} ${label}=${value}`);
        assert.doesNotMatch(value, /\d{7,}|754123|[0-9a-f]{8}-[0-9a-f]{4}|sk_/, `${name} ${label}`);
      }
  });

  /** Throws where a query names a metric or a label that no process has. */
  function assertThere(expr: string, legend = ''): void {
    const { metrics, grouped } = readBy(expr);
    assert.ok(metrics.length > 0, expr);
    const used = [...grouped, ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)];
    for (const { name, labels } of metrics) {
      if (OF_PROMETHEUS.includes(name) || ONLY_ONCE_IT_HAPPENED.includes(name)) continue;
      const found = all().filter((sample) => sample.name === name);
      assert.ok(found.length > 0, `no process has ${name}: ${expr}`);
      for (const label of [...labels, ...used].filter((one) => !ADDED_LABELS.has(one)))
        assert.ok(
          found.some((sample) => label in sample.labels),
          `${name} has no label ${label}: ${expr}`,
        );
    }
  }

  for (const { title, expr, legend } of queries)
    it(`has what the dashboard shows as “${title}”: ${expr}`, () => assertThere(expr, legend));
  for (const { alert, expr } of rules) it(`has what the alarm ${alert} reads`, () => assertThere(expr));

  it('promtool reads every query of the dashboard', function () {
    needsPromtool.call(this);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-dashboard-'));
    const file = path.join(folder, 'queries.yml');
    const recorded = queries.map(({ expr }, n) => ({ record: `query_${n}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    runPromtool('check', 'rules', file);
    rmSync(folder, { recursive: true });
  });

  it('show a queue that waits because no worker takes its tasks', async () => {
    const worker = await gateway.pidOf('worker');
    process.kill(worker, 'SIGSTOP');
    try {
      // Nobody answers it: the workflow waits for a worker.
      const asked = gateway.request('POST', 'payments/ussd', { key: 'while-it-stands', body: pushBody() });
      await until(async () => {
        const text = await ask(gateway.local.management_url);
        return (sampleOf(text, 'queue_age_seconds', { queue: 'money', task: 'workflow' }) ?? 0) > 5;
      }, 'the queue of workflows waits');
      assert.equal((await asked).status, 503);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
  });
});
