// tests: slow
import { createClickpesaClient } from '../../src/channels/clickpesa/client.ts';
import { createClickpesaChannel } from '../../src/channels/clickpesa/index.ts';
import { clickpesaSettings } from '../../src/channels/clickpesa/settings.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import { channelContract } from './contract.ts';
import { bankAccountOf } from './contract-flow.ts';
import { failuresBut } from './failures.ts';

const keys = { clientId: 'client', apiKey: 'test-key', checksumKey: 'test-checksum-key' };

const rail = {
  createChannel: ({ simulatorUrl }: { simulatorUrl: string }) => {
    const settings = clickpesaSettings.parse({ url: `${simulatorUrl}/third-parties`, ...keys });
    return createClickpesaChannel(createClickpesaClient(settings, createHttpClient()), settings);
  },
  simulatorOptions: ({ publicUrl }: { publicUrl: string }) => ({
    clickpesa: { ...keys, callbackUrl: `${publicUrl}/channels/clickpesa` },
  }),
  forge: (genuine: { body: Buffer }) => {
    const body = Buffer.from(genuine.body.toString('utf8').replace('"status":"', '"status":" '));
    return { ...(genuine as import('../../src/domain/channel.ts').RawNotification), body };
  },
  // ClickPesa has no words for why.
  failures: failuresBut({}),
} as const;

channelContract({
  name: 'clickpesa push',
  direction: 'collection',
  partyOf: (ending) => ({ kind: 'wallet', msisdn: `255654000${ending}` }),
  ...rail,
});

channelContract({
  name: 'clickpesa wallet',
  direction: 'payout',
  partyOf: (ending) => ({ kind: 'wallet', msisdn: `255654000${ending}` }),
  ...rail,
});

channelContract({ name: 'clickpesa bank', direction: 'payout', partyOf: bankAccountOf, ...rail });
