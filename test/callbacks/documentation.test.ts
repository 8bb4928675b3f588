import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../sandbox/local/ports.ts';
import { createUrlPolicy } from '../../src/callbacks/guard-url.ts';
import { createCallbackSender } from '../../src/callbacks/send.ts';
import { signatureHeaders } from '../../src/callbacks/sign.ts';
import { callbackDelaysMs } from '../../src/domain/timing.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/wait.ts';
import { block, page, vector } from './support/documented.ts';
import { output } from './support/other-tools.ts';

const { body, passphrase } = vector;

describe('docs/callbacks.md', () => {
  it('shows a test vector that the code makes', () => {
    const headers = signatureHeaders({
      eventId: JSON.parse(body).event_id,
      body,
      passphrases: [passphrase],
      sentAtMs: Number(vector.timestamp) * 1000,
    });
    assert.deepEqual(headers, {
      'webhook-id': vector.eventId,
      'webhook-timestamp': vector.timestamp,
      'Service-Signature': vector.service,
      'webhook-signature': vector.standard,
    });
    assert.equal(vector.service, '2a9d717cb862ef46f24dcc2fe3a019348da124fbeb1c98f4b637fc9551cfe223');
    assert.equal(vector.standard, 'v1,XiMiNzq48nXgEm1pyTgbwnBogBpdTLtKGbay4b3Ayoo=');
  });

  it('shows Node code that accepts the vector and nothing else', async () => {
    const file = fileURLToPath(new URL(`./.documented-${process.pid}.mjs`, import.meta.url));
    await writeFile(file, block('js', 'readCallback(body'));
    const { isOurs, readCallback } = await import(file).finally(() => rm(file));
    assert.equal(isOurs(body, vector.service, passphrase), true);
    assert.equal(isOurs(`${body} `, vector.service, passphrase), false);
    const now = { eventId: 'evt_1', body, sentAtMs: Date.now() };
    for (const secret of [passphrase, 'nenosiri-é', `whsec_${Buffer.alloc(24, 5).toString('base64')}`]) {
      const headers = signatureHeaders({ ...now, passphrases: [secret] });
      assert.equal(readCallback(body, headers, secret).event, 'payment.received');
      assert.throws(() => readCallback(`${body} `, headers, secret));
      const old = signatureHeaders({ ...now, passphrases: [secret], sentAtMs: Date.now() - 600_000 });
      assert.throws(() => readCallback(body, old, secret), /too old/);
    }
  });

  it('shows a shell line that prints the vector’s Service-Signature', () => {
    const line = block('sh', 'openssl dgst');
    const printed = (text: string) =>
      output('env', [`body=${text}`, `passphrase=${passphrase}`, 'sh', '-c', line]);
    assert.equal(printed(body).split(' ').at(-1), vector.service);
    assert.notEqual(printed(`${body} `).split(' ').at(-1), vector.service);
  });

  it('shows how to make a passphrase that libraries take as it is', () => {
    const [, command = ''] = /Make one with `([^`]+)`/.exec(page) ?? [];
    assert.match(output('sh', ['-c', command]), /^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('names the pauses of the schedule', () => {
    const named = callbackDelaysMs('normal').map((delayMs) => {
      const seconds = delayMs / 1000;
      if (seconds < 60) return `${seconds} s`;
      return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
    });
    assert.ok(page.includes(named.join(' · ')), named.join(' · '));
  });

  it('shows SQL that stores an event once and never goes back to an earlier one', async () => {
    const { database, drop } = await createTestDatabase();
    await database.query(block('sql', 'CREATE TABLE'));
    const insert = block('sql', 'INSERT INTO malipo_events');
    const store = (id: string, n: number) =>
      database.query(insert, [id, '09c97599-0ab0-5cb9-ad18-d6327c66ef03', n, `${n}`]);
    const both = await Promise.all([store('evt_1', 1), store('evt_1', 1)]);
    assert.deepEqual(both.map(({ rowCount }) => rowCount).sort(), [0, 1]);
    const latest = block('sql', 'INSERT INTO malipo_transactions');
    const move = async (n: number) =>
      (await database.query(latest, ['09c97599-0ab0-5cb9-ad18-d6327c66ef03', n, `${n}`])).rowCount;
    assert.deepEqual([await move(2), await move(1), await move(2), await move(3)], [1, 0, 0, 1]);
    const { rows } = await database.query('SELECT sequence, body FROM malipo_transactions');
    assert.deepEqual(rows, [{ sequence: 3, body: '3' }]);
    await drop();
  });

  it('shows a receiver that takes each of our callbacks once, and refuses the rest', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-receiver-'));
    const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
    await symlink(modules, path.join(folder, 'node_modules'));
    await writeFile(path.join(folder, 'check.mjs'), block('js', 'readCallback(body'));
    await writeFile(path.join(folder, 'receiver.mjs'), block('js', 'createServer'));
    const port = await freePort();
    const child = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { ...process.env, PORT: String(port), PASSPHRASE: passphrase },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    try {
      const sender = createCallbackSender({
        policy: createUrlPolicy({ development: true, ports: [] }),
        userAgent: 'Malipo/test',
      });
      const send = async (text: string) => {
        const headers = signatureHeaders({
          eventId: 'evt_1',
          body,
          passphrases: [passphrase],
          sentAtMs: Date.now(),
        });
        const answer = await sender.send({ url: `http://127.0.0.1:${port}/callbacks`, body: text, headers });
        return 'httpStatus' in answer ? answer.httpStatus : 'busy';
      };
      await until(async () => (await send(body)) === 200, 'it takes a callback');
      assert.equal(await send(body), 200);
      assert.equal(await send(`${body} `), 401);
      assert.equal(
        printed,
        'payment.received 09c97599-0ab0-5cb9-ad18-d6327c66ef03\nrefused: No matching signature found\n',
      );
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});
