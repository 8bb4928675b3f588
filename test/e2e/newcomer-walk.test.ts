import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../sandbox/local/ports.ts';
import type { Json } from '../support/gateway.ts';
import { sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const page = readFileSync(new URL('../../docs/quickstart.md', import.meta.url), 'utf8');
const program = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code).join('\n');

/** With the demo key that everybody has: what the quickstart changed must not be in the way of the phone page. */
describe("a newcomer's walk", function () {
  this.timeout(240_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-newcomer-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const time of ['once', 'and again'])
    it(`through the quickstart and then the phone page ends in a verified callback, ${time}`, async () => {
      const gateway = await sharedGateway();
      const { api_url, api_key, simulator_url, passphrase } = gateway.local;
      const env = {
        ...process.env,
        API_URL: `${api_url}/api/v1`,
        API_KEY: api_key,
        SIMULATOR_URL: simulator_url,
        PASSPHRASE: passphrase,
        RECEIVER_PORT: String(await freePort()),
      };
      writeFileSync(path.join(folder, 'quickstart.mjs'), program);
      const { stdout } = await promisify(execFile)('node', ['quickstart.mjs'], { cwd: folder, env });
      assert.match(stdout, /^callback: payment.received$/m);

      const asked = await fetch(`${simulator_url}/merchant/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 5_000, currency: 'TZS', phone_number: '0754300001' }),
      });
      const { transaction_id } = (await asked.json()) as Json;
      const callback = await until(
        async () =>
          (await gateway.simulator('merchant/activity')).callbacks.find(
            (one: Json) => one.transaction_id === transaction_id,
          ),
        'the page shows the callback',
      );
      assert.deepEqual(
        [callback.event, callback.service_signature_verified, callback.standard_webhooks_verified],
        ['payment.received', true, true],
      );
    });
});
