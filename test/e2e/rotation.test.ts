import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { RunningServer } from '../../sandbox/local/server-process.ts';
import { serviceSecrets } from '../../src/base/service-secrets.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type Gateway, outcomeBy } from '../support/gateway.ts';
import { type Api, type Parts, startParts } from '../support/parts.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { assertAllDoneOnce, startStream } from './stream.ts';

/** As many are answered at each step before the next one begins. */
const BETWEEN = 9;

const newSecret = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;

describe('every secret of ours, replaced under load as docs/operations/secrets.md has it', function () {
  this.timeout(240_000);
  let parts: Parts;
  let balancer: Balancer;
  let api: Api;
  let worker: RunningServer;
  let stream: ReturnType<typeof startStream>;
  /** the APIs that take requests now */
  const apis: Gateway['request'][] = [];
  const next = Object.fromEntries(serviceSecrets.map((name) => [name, newSecret('next')]));

  before(async () => {
    balancer = await startBalancer();
    parts = await startParts({
      PUBLIC_URL: balancer.url,
      SIMULATOR_GATEWAY_URL: balancer.url,
      PAYLOAD_ENCRYPTION_KEYS: newSecret('first'),
    });
    api = { server: parts.firstApi, apiUrl: parts.local.api_url, request: parts.request };
    balancer.targets.push(api.apiUrl);
    apis.push(api.request);
    worker = await parts.startWorker();
  });
  after(async () => {
    stream?.stop();
    await parts?.stop();
    await balancer?.close();
  });

  const rings = (step: (old: string, next: string) => string) =>
    Object.fromEntries(
      serviceSecrets.map((name) => [name, step(parts.environment[name] ?? '', next[name] ?? '')]),
    );
  const bothKnown = () => rings((old, next) => `${old},${next}`);
  const nextUsed = () => rings((old, next) => `${next},${old}`);
  /** The old SUBMISSION_KEY stays: it proves the keys of merchants, which it signed. */
  const oldGone = () => ({ ...rings((_, next) => next), SUBMISSION_KEY: nextUsed().SUBMISSION_KEY });

  /** The new process joins, then the one before it leaves: first the API, then the worker. */
  async function rollOut(environment: NodeJS.ProcessEnv): Promise<void> {
    const leaving = api;
    api = await parts.startApi(environment);
    apis.push(api.request);
    balancer.targets.push(api.apiUrl);
    await stream.more(BETWEEN);
    apis.splice(apis.indexOf(leaving.request), 1);
    balancer.targets.splice(balancer.targets.indexOf(leaving.apiUrl), 1);
    await endGently(leaving.server);
    await stream.more(BETWEEN);
    const before = worker;
    worker = await parts.startWorker({ environment });
    await stream.more(BETWEEN);
    await endGently(before);
    await stream.more(BETWEEN);
  }

  async function endGently(server: RunningServer): Promise<void> {
    server.child.kill('SIGTERM');
    await server.exited;
  }

  const assertDone = async () => {
    stream.stop();
    const { request } = api;
    await assertAllDoneOnce({ ...parts, request, outcome: outcomeBy(request) }, await stream.done);
  };

  it('goes on while every process learns the new ones, and then uses them', async () => {
    stream = startStream(apis);
    await rollOut(bothKnown());
    await rollOut(nextUsed());
    await assertDone();
  });

  it('says that nothing needs the old ones once passphrases are sealed anew', async () => {
    const status = async () => (await parts.cli(['secrets', 'status'], nextUsed())).split('\n');
    const old = (await status()).filter((line) => line.includes('still accepted for old data'));
    assert.equal(old.length, serviceSecrets.length, old.join('\n'));
    assert.match(await parts.cli(['secrets', 'reseal'], nextUsed()), /^1 passphrases were encrypted again/);
    const needed = (await status()).filter((line) => / [1-9]\d* stored passphrases/.test(line));
    assert.deepEqual(
      needed.map((line) => line.split(':')[0]),
      ['ENCRYPTION_KEY next'],
    );
  });

  it('goes on when the old ones are gone, but for the one that proves rows', async () => {
    stream = startStream(apis);
    await rollOut(oldGone());
    await assertDone();
    const { failed, versions } = await parts.temporal.look();
    assert.deepEqual(failed, []);
    const sweeps = versions.filter(({ type, buildIds }) => type === 'sweep' && buildIds.length > 0);
    assert.ok(sweeps.length > 1, 'the sweep reads what the one before it left');
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});
