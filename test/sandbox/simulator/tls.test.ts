import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Agent, request } from 'undici';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { assertXml, bodyOf, readFixture } from '../../support/fixtures.ts';
import { openSimulator } from '../../support/simulator.ts';

/** HaloPesa and the M-Pesa broker are reached in plain over a leased line, or over TLS with a certificate of ours. */
describe('the simulator over TLS', function () {
  this.timeout(30_000);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-simulator-'));
  const pem = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  let simulator: Simulator;
  let port: number;

  before(async () => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    for (const name of ['network', 'client', 'stranger'])
      openssl(
        'req',
        '-x509',
        ...newKey,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.pem`,
        '-subj',
        `/CN=${name}`,
        '-addext',
        'subjectAltName=DNS:network.test',
      );
    simulator = await openSimulator({
      tls: { key: pem('network.key'), cert: pem('network.pem'), ca: pem('client.pem') },
      halopesa: { clockSkewMsMax: Number.MAX_SAFE_INTEGER },
      mpesaBroker: { spId: '888000', password: 'test_password' },
      gateway: { url: 'http://127.0.0.1:1', tokens: {} },
    });
    port = await simulator.listenTls(0);
  });
  after(async () => {
    await simulator.close();
    rmSync(folder, { recursive: true });
  });

  async function post(origin: string, at: string, body: string, client?: string) {
    const identity = client ? { key: pem(`${client}.key`), cert: pem(`${client}.pem`) } : {};
    const connect = { ca: pem('network.pem'), servername: 'network.test', ...identity };
    const dispatcher = new Agent({ connect });
    try {
      const answer = await request(`${origin}${at}`, { method: 'POST', body, dispatcher });
      return { status: answer.statusCode, text: await answer.body.text() };
    } finally {
      await dispatcher.destroy();
    }
  }

  const halopesa = readFixture('halopesa').conversations[1]?.exchanges[0];
  const result = (readFixture('bills') as unknown as Record<string, { results: { result: string } }>)[
    'mpesa-broker'
  ]?.results.result;

  it('takes a push of HaloPesa and a result of the broker from who has a certificate, and in plain', async () => {
    for (const origin of [`https://127.0.0.1:${port}`, simulator.url]) {
      const pushed = await post(
        origin,
        halopesa?.request.path ?? '',
        bodyOf(halopesa?.request ?? {}) ?? '',
        'client',
      );
      assert.equal(pushed.status, 200);
      const expected = (halopesa?.answer.xml ?? '').replace('<response_code>0<', '<response_code>*<');
      assertXml(pushed.text, expected, { texts: {} });
      assert.equal((await post(origin, '/broker/results', result ?? '', 'client')).status, 200);
    }
  });

  it('lets nobody else in: no certificate, or one of another CA', async () => {
    for (const client of [undefined, 'stranger'])
      await assert.rejects(post(`https://127.0.0.1:${port}`, '/broker/results', result ?? '', client));
  });
});
