// tests: slow
import assert from 'node:assert/strict';
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
  names: true,
  forge,
});

describe('the balance and list of airtel', () => {
  it('are read, the balance with its commas', async () => {
    const simulator = await openSimulator();
    const client = createAirtelClient(settingsOf(simulator.url), createHttpClient());
    const call = { timeoutMs: 3_000 };
    assert.deepEqual(await client.balance('COLL', call), { amount: 100_000_000, currency: 'TZS' });
    const page = { from: 0, to: 9_999_999_999, limit: 10, offset: 0 };
    assert.deepEqual(await client.listTransactions(page, call), []);
    await simulator.close();
    const nobody = createAirtelClient(settingsOf('http://127.0.0.1:1'), createHttpClient());
    await assert.rejects(nobody.balance('COLL', call), /ECONNREFUSED/);
  });
});
