import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../sandbox/local/ports.ts';
import { block } from '../callbacks/support/documented.ts';
import { newKey, pushBody } from '../support/gateway.ts';
import { nodeArguments } from '../support/node-entry.ts';
import { openAccount, sharedGateway } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PASSPHRASE = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** The code of docs/callbacks.md. */
const check = block('js', 'readCallback(body');
const receiver = block('js', 'createServer');

describe('callbacks forward', function () {
  this.timeout(120_000);
  const started: ChildProcess[] = [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-forward-'));
  after(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a program prints, as it grows. */
  function start(args: string[], cwd: string, env: Record<string, string>) {
    const { DATABASE_URL: _, ...environment } = process.env;
    const child = spawn(process.execPath, args, { cwd, env: { ...environment, ...env } });
    started.push(child);
    const printed = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed.text += chunk;
      });
    return printed;
  }
  const waitFor = (printed: { text: string }, line: RegExp) =>
    until(async () => line.exec(printed.text), String(line)).catch((error) =>
      assert.fail(`${error.message}\n${printed.text}`),
    );

  it('hands a real event to a receiver that Malipo cannot reach, where the documented check accepts it', async () => {
    const gateway = await sharedGateway();
    const { apiKey } = await openAccount(gateway);
    // There is no callback address: nothing but the command could bring the event.
    await gateway.request('PUT', 'callbacks/settings', { apiKey, body: { passphrase: PASSPHRASE } });

    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, 'check.mjs'), check);
    writeFileSync(path.join(folder, 'receiver.mjs'), receiver);
    const port = String(await freePort());
    const laptop = start(['receiver.mjs'], folder, { PASSPHRASE, PORT: port });

    const merchant = { MALIPO_API_URL: gateway.local.api_url, MALIPO_API_KEY: apiKey };
    const to = ['--to', `http://127.0.0.1:${port}/callbacks`];
    const cli = [...nodeArguments('clients/typescript/src/bin.ts'), 'callbacks', 'forward', ...to];
    const forwarding = start(cli, root, merchant);
    await waitFor(forwarding, /Ctrl-C ends it/);

    const { json } = await gateway.request('POST', 'payments/ussd', {
      apiKey,
      key: newKey(),
      body: pushBody(),
    });
    await waitFor(laptop, new RegExp(`^payment.received ${json.transaction_id}$`, 'm'));
    const [, eventId = ''] = (await waitFor(forwarding, /^payment.received (evt_\w+) → 200$/m)) ?? [];

    const again = start([...cli, '--event', eventId], root, merchant);
    await waitFor(again, /→ 200/);
    assert.doesNotMatch(laptop.text, /refused/);
    const { json: log } = await gateway.request('GET', 'callbacks', { apiKey });
    assert.deepEqual(
      log.data.map(({ state, attempts }: { state: string; attempts: [] }) => [state, attempts.length]),
      [['no_url', 0]],
    );
  });
});
