import assert from 'node:assert/strict';
import { Agent, request } from 'undici';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import { createAuthorities } from '../../support/certificates.ts';
import { assertXml, bodyOf, readFixture } from '../../support/fixtures.ts';
import { openSimulator } from '../../support/simulator.ts';

/** HaloPesa and the M-Pesa broker are reached in plain over a leased line, or over TLS with a certificate of ours. */
describe('the simulator over TLS', function () {
  this.timeout(30_000);
  const made = createAuthorities();
  const [ca, clientCa] = [made.authority('network'), made.authority('client')];
  made.authority('stranger');
  const network = made.issue('network', 'network.test');
  const clients = { client: made.issue('client', 'us.test'), stranger: made.issue('stranger', 'us.test') };
  let simulator: Simulator;
  let port: number;

  before(async () => {
    simulator = await openSimulator({
      tls: { ...network, ca: clientCa },
      halopesa: { clockSkewMsMax: Number.MAX_SAFE_INTEGER },
      mpesaBroker: { spId: '888000', password: 'test_password' },
      gateway: { url: 'http://127.0.0.1:1', tokens: {} },
    });
    port = await simulator.listenTls(0);
  });
  after(async () => {
    await simulator.close();
    made.remove();
  });

  async function post(origin: string, at: string, body: string, client?: keyof typeof clients) {
    const connect = { ca, servername: 'network.test', ...(client && clients[client]) };
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
      const { path = '', ...message } = halopesa?.request ?? {};
      const pushed = await post(origin, path, bodyOf(message) ?? '', 'client');
      assert.equal(pushed.status, 200);
      const expected = (halopesa?.answer.xml ?? '').replace('<response_code>0<', '<response_code>*<');
      assertXml(pushed.text, expected, { texts: {} });
      assert.equal((await post(origin, '/broker/results', result ?? '', 'client')).status, 200);
    }
  });

  it('lets nobody else in: no certificate, or one of another CA', async () => {
    for (const client of [undefined, 'stranger'] as const)
      await assert.rejects(post(`https://127.0.0.1:${port}`, '/broker/results', result ?? '', client));
  });
});
