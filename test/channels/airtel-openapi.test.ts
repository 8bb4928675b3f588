// tests: slow
import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { createAirtelClient } from '../../src/channels/airtel-openapi/client.ts';
import { createAirtelOpenapiChannel } from '../../src/channels/airtel-openapi/index.ts';
import { airtelOpenapiSettings } from '../../src/channels/airtel-openapi/settings.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { openSimulator } from '../support/simulator.ts';
import { channelContract } from './contract.ts';
import { payerFailures, recipientFailures } from './failures.ts';

const credentials = { clientId: 'client', clientSecret: 'secret', pin: '1234', callbackKey: 'callback-key' };

function settingsOf(url: string, more: object = {}) {
  return airtelOpenapiSettings.parse({ url, ...credentials, payoutBarred: 'recipient', ...more });
}

function channelOf(url: string, more: object = {}): Channel {
  return createAirtelOpenapiChannel({ settings: settingsOf(url, more) });
}

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255784000${ending}` }) as const;

const simulatorOptions =
  (more: object = {}) =>
  ({ publicUrl }: { publicUrl: string }) => ({
    airtelOpenapi: {
      clientId: 'client',
      clientSecret: 'secret',
      pin: '1234',
      callbackKey: 'callback-key',
      callbackUrl: `${publicUrl}/channels/airtel-openapi`,
      ...more,
    },
  });

/** The same callback for another transaction: its hash is not of these bytes. */
const forge = <R extends { body: Buffer }>(genuine: R): R => ({
  ...genuine,
  body: Buffer.from(
    genuine.body
      .toString('utf8')
      .replace(/"id":\s*"PY/, '"id":"PX')
      .replace(/"id":\s*"PO/, '"id":"PX'),
  ),
});

channelContract({
  name: 'airtel v1, unsigned',
  direction: 'collection',
  partyOf,
  createChannel: ({ simulatorUrl }) => channelOf(simulatorUrl),
  simulatorOptions: simulatorOptions({ expiresIn: 'number', hashOf: 'outer', hashIn: 'header' }),
  failures: payerFailures,
  forge,
});

channelContract({
  name: 'airtel v2, signed',
  direction: 'collection',
  partyOf,
  createChannel: ({ simulatorUrl }) => channelOf(simulatorUrl, { collectVersion: 'v2' }),
  simulatorOptions: simulatorOptions({ signing: 'everything' }),
  failures: payerFailures,
  forge,
});

channelContract({
  name: 'airtel',
  direction: 'payout',
  partyOf,
  createChannel: ({ simulatorUrl }) => channelOf(simulatorUrl, { payoutVersion: 'v2', signPayouts: true }),
  simulatorOptions: simulatorOptions({ hashOf: 'spaced outer' }),
  failures: recipientFailures,
  forge,
});

describe('airtel names, balance and list', () => {
  let simulator: Simulator;

  before(async () => {
    simulator = await openSimulator({ timing: { slowAnswerMs: 1_000, customerMs: 10 } });
  });

  after(() => simulator.close());

  const lookUp = (ending: string, timeoutMs: number) =>
    channelOf(simulator.url).lookupName?.({ kind: 'wallet', msisdn: `255784000${ending}` }, { timeoutMs });

  it('finds who owns a wallet', async () => {
    assert.deepEqual(await lookUp('001', 3_000), { kind: 'found', fullName: 'ASHA JUMA' });
  });

  it('says that a wallet does not exist', async () => {
    assert.deepEqual(await lookUp('029', 3_000), { kind: 'not_found' });
  });

  it('knows nothing when the channel is silent', async () => {
    assert.deepEqual(await lookUp('219', 100), { kind: 'unknown' });
  });

  it('reads the balance with its commas, and the list of what moved', async () => {
    const client = createAirtelClient(settingsOf(simulator.url), createHttpClient());
    const call = { timeoutMs: 3_000 };
    const balance = () => client.balance('COLL', call);
    assert.deepEqual(await balance(), { amount: 100_000_000, currency: 'TZS' });
    const page = { from: 0, to: 9_999_999_999, limit: 10, offset: 0 };
    assert.deepEqual(await client.listTransactions(page, call), []);
    const nobody = createAirtelClient(settingsOf('http://127.0.0.1:1'), createHttpClient());
    await assert.rejects(nobody.balance('COLL', call), /ECONNREFUSED/);
  });
});
