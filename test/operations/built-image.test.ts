// tests: long
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newKey, pushBody, requestTo } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { buildRealImage, noBuilder, processInside } from './built-image.ts';
import { type Container, type Containers, openShop, startContainers } from './containers.ts';

const STOP_WITHIN_MS = 25_000;

/** The Dockerfile, really built, on a stand-in for its base: what only an image can show. */
describe('the image', function () {
  this.timeout(900_000);
  let containers: Containers;
  const running: Container[] = [];

  before(async function () {
    const problem = noBuilder();
    if (problem !== null) {
      console.error(`\n  NOT TESTED: the image is not built here, because ${problem}\n`);
      this.skip();
    }
    containers = await startContainers(buildRealImage);
  });
  after(async () => {
    for (const { server } of running) await stop(server.pid);
    await containers?.stop();
  });

  async function stop(pid: number): Promise<void> {
    const inside = processInside(pid);
    if (inside.pid !== 0) process.kill(inside.pid, 'SIGTERM');
  }

  it('takes a payment with its API and its worker, which run as uid 1000', async () => {
    await containers.finish('prepare');
    running.push(await containers.start('simulator'));
    const [api, worker] = await Promise.all([containers.start('api'), containers.start('worker')]);
    running.push(api, worker);
    for (const { server } of running) assert.equal(processInside(server.pid).uid, 1000);
    await containers.finish('current');
    const request = requestTo(containers.apiUrl, await openShop(containers, api));
    const { json, text } = await request('POST', 'payments/ussd', { key: newKey(), body: pushBody() });
    assert.ok(json.success, text);
    const final = await until(async () => {
      const { status } = (await request('GET', `payments/${json.transaction_id}`)).json;
      return status === 'pending' ? null : status;
    }, 'the payment is final');
    assert.equal(final, 'completed');
  });

  it('stops within 25 s when it is asked to, with exit code 0', async () => {
    const started = performance.now();
    const ended = running.splice(0).map(async ({ server }) => {
      await stop(server.pid);
      return (await server.exited).code;
    });
    assert.deepEqual(await Promise.all(ended), [0, 0, 0]);
    assert.ok(performance.now() - started < STOP_WITHIN_MS);
  });

  it('has the native client of this platform alone, nothing of development, and a list of what is in it', () => {
    const packages = path.join(containers.folder, 'node_modules');
    assert.equal(readdirSync(path.join(packages, '@temporalio/core-bridge/releases')).length, 1);
    const sbom = JSON.parse(readFileSync(path.join(containers.folder, 'sbom.json'), 'utf8'));
    const listed: string[] = sbom.components.map(({ group, name }: { group?: string; name: string }) =>
      group ? `${group}/${name}` : name,
    );
    for (const name of ['koa', 'pg', '@temporalio/core-bridge']) assert.ok(listed.includes(name), name);
    for (const name of ['mocha', 'typescript']) {
      assert.equal(listed.includes(name), false, name);
      assert.equal(readdirSync(packages).includes(name), false, name);
    }
  });
});
