// tests: slow

import type { SimulatorOptions } from '../../sandbox/simulator/app.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { createSelcomClient } from '../../src/channels/selcom/client.ts';
import { createSelcomChannel } from '../../src/channels/selcom/index.ts';
import { selcomSettings } from '../../src/channels/selcom/settings.ts';
import { channelContract } from './contract.ts';
import { bankAccountOf } from './contract-flow.ts';
import { failuresBut } from './failures.ts';

type Addresses = { simulatorUrl: string; publicUrl: string };

const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };
const C2B_TOKEN = 'a-token-that-Selcom-was-given';

/** The gateway with a code of its own for what it has never seen; without one an enquiry stays unclear. */
function selcomChannel({ simulatorUrl, publicUrl }: Addresses, network: string, changes: object = {}) {
  const settings = selcomSettings.parse({
    url: `${simulatorUrl}/v1`,
    ...keys,
    vendor: 'TILL60917564',
    floatPin: '4321',
    sender: { msisdn: '255754000900' },
    notFoundCodes: ['404'],
    ...changes,
  });
  const client = createSelcomClient(settings, createHttpClient());
  return createSelcomChannel({ client, settings, network, publicUrl });
}

const simulatorOptions = ({ publicUrl }: { publicUrl: string }): SimulatorOptions => ({
  selcom: {
    ...keys,
    floatPin: '4321',
    unknownReference: 'not-found',
    signedFields: 'all',
    c2b: { url: publicUrl, token: C2B_TOKEN },
  },
});

const walletOf = (ending: string) => ({ kind: 'wallet', msisdn: `255654000${ending}` }) as const;

channelContract({
  name: 'selcom checkout',
  direction: 'collection',
  partyOf: walletOf,
  createChannel: (addresses) => selcomChannel(addresses, 'tigo-pesa'),
  simulatorOptions,
  notifiesFailures: false,
  deduplicates: false,
  forge: (genuine) => ({ ...genuine, headers: { ...genuine.headers, digest: 'A'.repeat(44) } }),
  failures: failuresBut({ '039': 'customer_declined', '059': 'customer_timeout' }),
});

channelContract({
  name: 'selcom push-ussd',
  direction: 'collection',
  partyOf: walletOf,
  createChannel: (addresses) =>
    selcomChannel(addresses, 'tigo-pesa', { collect: 'push-ussd', c2bToken: C2B_TOKEN }),
  simulatorOptions,
  notifiesFailures: false,
  deduplicates: false,
  failures: failuresBut({ '029': 'payer_not_found' }),
});

channelContract({
  name: 'selcom wallet cash-in',
  direction: 'payout',
  partyOf: walletOf,
  createChannel: (addresses) => selcomChannel(addresses, 'tigo-pesa'),
  simulatorOptions,
  notifies: false,
  deduplicates: false,
  tellsAmount: false,
  failures: failuresBut({ '029': 'recipient_not_found' }),
});

channelContract({
  name: 'selcom bank transfer',
  direction: 'payout',
  partyOf: bankAccountOf,
  createChannel: (addresses) => selcomChannel(addresses, 'bank'),
  simulatorOptions,
  notifies: false,
  deduplicates: false,
  tellsAmount: false,
  failures: failuresBut({ '029': 'invalid_account' }),
});
