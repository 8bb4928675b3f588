// tests: long
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadConfig } from '../../src/config/config.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { type Gateway, mobilePayoutBody, newKey, pushBody, requestTo } from '../support/gateway.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import { type Container, type Containers, openShop, startContainers } from './containers.ts';

/** What the operator of containers waits before it kills: a process must be gone by itself sooner. */
const STOP_WITHIN_MS = 25_000;

/** docker-compose.yml from an empty database to a payment and back, without Docker. */
describe('the containers', function () {
  this.timeout(300_000);
  let containers: Containers;
  let api: Container;
  let simulator: Container;
  let workers: Container[];
  let request: Gateway['request'];
  let database: Database;

  before(async () => {
    containers = await startContainers();
  });
  after(async () => {
    await database?.end();
    await containers?.stop();
  });

  async function outcomeOf(kind: 'payments' | 'payouts', id: string) {
    return until(async () => {
      const { json } = await request('GET', `${kind}/${id}`);
      return json.status !== undefined && json.status !== 'pending' ? json : null;
    }, `${id} is final`);
  }

  /** Asks it to stop; its exit code and how long it took. */
  async function stop({ server }: Container): Promise<{ code: number | null; ms: number }> {
    const started = performance.now();
    server.child.kill('SIGTERM');
    const { code } = await server.exited;
    return { code, ms: performance.now() - started };
  }

  const sendsOf = async (id: string) =>
    (await database.query('SELECT outcome FROM sends WHERE transaction_id = $1', [id])).rows;

  it('prepare an empty database and Temporal, and may do it again', async () => {
    assert.match(await containers.finish('prepare'), /^applied 0001\S+.*\nTemporal at \S+ is prepared$/);
    assert.match(await containers.finish('prepare'), /^nothing to apply\n/);
    database = createDatabase({ url: containers.databaseUrl, poolMax: 2, applicationName: 'test' });
  });

  it('are healthy with one API, two workers and the simulator', async () => {
    simulator = await containers.start('simulator');
    [api, ...workers] = await Promise.all([
      containers.start('api'),
      containers.start('worker'),
      containers.start('worker'),
    ]);
    assert.match(await containers.finish('current'), /^0 open flows can be continued\ncompose is current$/);
    const metrics = await (await fetch(`${workers[0]?.managementUrl}/metrics`)).text();
    assert.match(metrics, /activity_duration_seconds/);
  });

  it('take a payment for an account that the command line made', async () => {
    const key = await openShop(containers, api);
    request = requestTo(containers.apiUrl, key);
    const callback_url = `${containers.simulatorUrl}/receiver`;
    assert.equal((await request('PUT', 'callbacks/settings', { body: { callback_url } })).status, 200);
    const { json, text } = await request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
    assert.ok(json.success, text);
    assert.equal((await outcomeOf('payments', json.transaction_id)).status, 'completed');
  });

  it('say what they do in JSON lines that name the request and the transaction, in API and worker', async () => {
    const { json, headers } = await request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
    const id = json.transaction_id;
    await outcomeOf('payments', id);
    const about = (container: Container) =>
      container.lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.transaction_id === id && line.msg !== 'channel call');
    const [accepted] = about(api);
    assert.equal(accepted.request_id, headers.get('x-request-id'));
    assert.deepEqual([accepted.route, accepted.status], ['initiateUssdPush', 200]);
    const wanted = ['accept', 'requestPush', 'endAndNotify'];
    const lines = await until(() => {
      const found = workers.flatMap(about);
      return wanted.every((name) => found.some((line) => line.activity === name)) ? found : null;
    }, 'every activity wrote its line');
    for (const line of lines) {
      assert.equal(line.request_id, headers.get('x-request-id'), JSON.stringify(line));
      assert.equal(typeof line.ms, 'number');
      assert.equal(line.attempt, 1);
      // The send stays open until its notification comes in.
      assert.equal(line.outcome, line.activity === 'requestPush' ? 'open' : 'completed');
    }
  });

  it('let a worker that is told to stop end its activity, so that nothing about it is unclear', async () => {
    // 219: the network takes 10 s to answer.
    const { json } = await request('POST', 'payouts/mobile', {
      key: newKey(),
      body: mobilePayoutBody('219'),
    });
    const id = json.transaction_id;
    await until(async () => (await sendsOf(id)).length === 1, 'it is being sent');
    assert.equal((await sendsOf(id))[0].outcome, null, 'it is still running');
    const stopped = await Promise.all(workers.map(stop));
    assert.deepEqual(pick(stopped, 'code'), [0, 0]);
    for (const { ms } of stopped) assert.ok(ms < STOP_WITHIN_MS, `${ms} ms`);
    assert.notEqual((await sendsOf(id))[0].outcome, null, 'its outcome was noted before the worker left');
    workers = await Promise.all([containers.start('worker'), containers.start('worker')]);
    assert.equal((await outcomeOf('payouts', id)).status, 'paid');
    assert.equal((await sendsOf(id)).length, 1);
  });

  it('start a worker from the bundle of the build, so that none has to bundle the workflows', async () => {
    const bundle = path.join(containers.folder, 'dist/src/workflow-bundle.js');
    await rename(bundle, `${bundle}.away`);
    await writeFile(bundle, 'this is no bundle');
    try {
      await assert.rejects(containers.finish('worker'), /Workflow Bundle/);
    } finally {
      await rename(`${bundle}.away`, bundle);
    }
  });

  it('stop the API readyz first, answering what is in flight', async () => {
    // Nobody works, so that the request waits for its answer.
    await Promise.all(workers.map(stop));
    const inFlight = request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
    const temporal = createTemporalClient(
      loadConfig({
        ...containers.env,
        MALIPO_ENV: 'development',
        DATABASE_URL: 'postgres://x',
        TEMPORAL_ADDRESS: containers.temporalAddress,
      }),
    );
    await until(async () => {
      for await (const _ of temporal.client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
        return true;
      return false;
    }, 'the request is in flight');
    await temporal.close();
    const stopping = stop(api);
    await until(async () => (await fetch(`${api.managementUrl}/readyz`)).status === 503, 'readyz says no');
    assert.equal((await fetch(`${api.managementUrl}/livez`)).status, 200);
    assert.equal(
      (await fetch(`${containers.apiUrl}/api/v1/status`)).status,
      200,
      'who has not noticed is served',
    );
    workers = [await containers.start('worker')];
    const answer = await inFlight;
    assert.ok([200, 503].includes(answer.status), answer.text);
    assert.ok(answer.json.transaction_id, answer.text);
    const { code, ms } = await stopping;
    assert.equal(code, 0);
    assert.ok(ms < STOP_WITHIN_MS, `${ms} ms`);
    assert.deepEqual([(await stop(simulator)).code, (await stop(workers[0] as Container)).code], [0, 0]);
  });
});
