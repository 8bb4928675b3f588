import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { block, vector } from '../callbacks/support/documented.ts';

const guide = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
type Asked = { key: string | undefined; body: string };

/** The one file that docs/clients.md tells a merchant to make: its POST, and the signature check of docs/callbacks.md. */
describe('the PHP file of the guide', function () {
  this.timeout(60_000);
  let folder: string;
  let server: Server;
  let asked: Asked[];
  let answers: { status: number; headers?: Record<string, string>; body?: object }[];

  before(async function () {
    if (spawnSync('php', ['--version']).error) {
      console.error('\n  NOT TESTED: the PHP file of docs/clients.md, because PHP is not installed here\n');
      this.skip();
    }
    folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-php-'));
    const [, post = assert.fail('no PHP')] = /```php\n(<\?php[\s\S]*?)\n```/.exec(guide) ?? [];
    writeFileSync(path.join(folder, 'malipo.php'), `${post}\n\n${block('php', 'is_ours')}\n`);
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const key = request.headers['idempotency-key'];
      asked.push({ key: typeof key === 'string' ? key : undefined, body: Buffer.concat(chunks).toString() });
      const answer = answers.shift();
      if (!answer) return request.socket.destroy();
      response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = [];
    answers = [];
  });
  after(async () => {
    if (!server) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(code: string): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/v1/payments/ussd`;
    writeFileSync(path.join(folder, 'run.php'), `<?php require 'malipo.php'; $url = '${url}';\n${code}`);
    return (await promisify(execFile)('php', ['run.php'], { cwd: folder })).stdout;
  }
  const post = (more = '') =>
    run(`try { echo json_encode(malipo_post($url, 'sk_test_1', ['amount' => 5000], 'key-1'${more})); }
      catch (RuntimeException $unknown) { echo $unknown->getMessage(); }`);

  it('asks again with the same key and bytes until the outcome is known, and not before Retry-After', async () => {
    answers = [
      { status: 503 },
      { status: 429, headers: { 'Retry-After': '1' } },
      { status: 202, body: { success: true, transaction_id: 't' } },
    ];
    const began = process.hrtime.bigint();
    assert.deepEqual(JSON.parse(await post(', [0, 0]')), {
      http_status: 202,
      success: true,
      transaction_id: 't',
    });
    assert.ok(process.hrtime.bigint() - began >= 1_000_000_000n);
    assert.deepEqual(asked, Array(3).fill({ key: 'key-1', body: '{"amount":5000}' }));
  });

  it('takes a refusal for what it is, and asks once', async () => {
    answers = [{ status: 422, body: { success: false, code: 'validation_failed' } }];
    assert.deepEqual(JSON.parse(await post()), {
      http_status: 422,
      success: false,
      code: 'validation_failed',
    });
    assert.equal(asked.length, 1);
  });

  it('says that it does not know where nobody answered, and with which key to ask again', async () => {
    assert.match(await post(', [0]'), /outcome of key-1 is not known/);
    assert.equal(asked.length, 2);
  });

  it('checks the callback of the vector, and refuses another body', async () => {
    const { body, passphrase, service } = vector;
    const check = (text: string) =>
      run(`var_export(has_service_signature('${text}', '${service}', '${passphrase}'));`);
    assert.equal(await check(body), 'true');
    assert.equal(await check(`${body} `), 'false');
  });
});
