// tests: slow
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  addProviderSecrets,
  type ProviderSecrets,
  providerVariables,
  simulatedProviders,
} from '../../sandbox/local/providers.ts';
import type { Simulator, SimulatorOptions } from '../../sandbox/simulator/app.ts';
import { readChannelsFile } from '../../src/channels/kit/connections.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { protocols } from '../../src/channels/protocols.ts';
import { ringOf } from '../support/key-rings.ts';
import { openSimulator } from '../support/simulator.ts';

const GSMA_PASSWORD = 'the password of GSMA';
const BANK_SECRET = 'the secret of the bank, long enough';
const quiet = { info() {}, warn() {}, error() {} };
const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: quiet };

/** The file with every protocol, against the simulator: as it is, and with one thing broken each time. */
describe('channels check', function () {
  this.timeout(60_000);
  const secrets: ProviderSecrets = {};
  addProviderSecrets(secrets);
  let simulator: Simulator;
  let right: Record<string, string>;

  before(async () => {
    const addresses = { api_url: 'http://127.0.0.1:1' } as Parameters<typeof simulatedProviders>[1];
    const { billCredentials, ...accounts } = simulatedProviders(secrets, addresses);
    assert.ok(billCredentials);
    simulator = await openSimulator({
      gsma: { username: 'malipo', password: GSMA_PASSWORD },
      bank: { secret: BANK_SECRET },
      ...(accounts as SimulatorOptions),
    });
    const { url } = simulator;
    const gsma = { GSMA_URL: url, GSMA_USERNAME: 'malipo', GSMA_PASSWORD };
    right = { ...providerVariables(secrets, url), ...gsma, BANK_URL: url, BANK_SECRET };
  });
  after(() => simulator.close());

  async function check(variables: Record<string, string> = {}): Promise<Record<string, string>> {
    const text = readFileSync('deploy/channels/own.json', 'utf8');
    const known: Record<string, string> = { ...right, ...variables };
    const variable = (name: string) => known[name] ?? `a-token-of-${name}`.padEnd(40, 'x');
    const plan = readChannelsFile(text, { protocols, production: false, variable, file: () => '' });
    const { connections } = createChannels(plan, world);
    const asked = [...connections].map(async ([id, { check: ask }]) => {
      if (!ask) return [id, 'not asked'];
      return [id, await ask().catch((error: Error) => `failed: ${error.message}`)];
    });
    return Object.fromEntries(await Promise.all(asked));
  }

  it('gives an answer of every network that we call, and asks none that only calls us', async () => {
    const said = await check();
    const handshake = /^a connection opens; it has no harmless question/;
    const expected: Record<string, RegExp> = {
      'm-pesa': /^answers that it does not know a made-up payment$/,
      'airtel-money': /^tells the balance$/,
      'tigo-pesa': /^gives a token, and of an enquiry: .*RESULTCODE GetSOError001/,
      halopesa: handshake,
      selcom: /^tells the balance of the float$/,
      'mobile-money': /^answers the heartbeat, and accepts our credentials$/,
      bank: /^answers that it does not know a made-up payment$/,
      'm-pesa-broker': handshake,
    };
    for (const [id, answer] of Object.entries(said)) assert.match(answer, expected[id] ?? /^not asked$/, id);
    for (const id of Object.keys(expected)) assert.ok(id in said, id);
  });

  const broken: [what: string, variables: Record<string, string>, connection: string, cause: RegExp][] = [
    ['the API key of M-Pesa', { MPESA_API_KEY: 'another' }, 'm-pesa', /^failed: credentials refused \(/],
    ['Airtel’s secret', { AIRTEL_CLIENT_SECRET: 'x' }, 'airtel-money', /^failed: credentials refused \(/],
    ['the password of Mixx', { MIXX_PASSWORD: 'x' }, 'tigo-pesa', /^failed: credentials refused \(/],
    ['the PIN of Mixx', { MIXX_PIN: '0000' }, 'tigo-pesa', /RESULTCODE GetSOError002/],
    ['Selcom’s key', { SELCOM_API_KEY: 'x' }, 'selcom', /^failed: credentials refused \(/],
    ['Selcom’s secret', { SELCOM_API_SECRET: 'x' }, 'selcom', /^failed: credentials refused \(/],
    ['the GSMA password', { GSMA_PASSWORD: 'x' }, 'mobile-money', /^failed: credentials refused \(/],
    ['the bank’s secret', { BANK_SECRET: 'x'.repeat(24) }, 'bank', /^failed: it does not know our secret/],
  ];
  for (const [what, variables, connection, cause] of broken)
    it(`names the cause where ${what} is wrong`, async () => {
      assert.match((await check(variables))[connection] ?? '', cause);
    });

  it('names the cause where an address is wrong', async () => {
    const said = await check({
      MPESA_URL: 'http://channel.invalid',
      AIRTEL_URL: 'http://127.0.0.1:1',
      HALOPESA_URL: 'http://127.0.0.1:1/ServiceAPI',
      GSMA_URL: `${simulator.url}/elsewhere`,
      BROKER_RESULT_URL: simulator.url.replace('http:', 'https:'),
    });
    assert.match(said['m-pesa'] ?? '', /^failed: its name does not resolve \(/);
    assert.match(said['airtel-money'] ?? '', /^failed: nothing listens there \(/);
    assert.match(said.halopesa ?? '', /^failed: nothing listens there \(/);
    assert.match(said['mobile-money'] ?? '', /^failed: there is no such address: is the path right\? \(/);
    assert.match(said['m-pesa-broker'] ?? '', /^failed: it speaks no TLS at this port \(/);
  });
});
