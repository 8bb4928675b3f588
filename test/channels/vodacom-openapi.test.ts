// tests: slow
import { channelContract } from './contract.ts';
import { failuresBut } from './failures.ts';
import { vodacomChannel, vodacomSimulator } from './vodacom-openapi/rig.ts';

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255754000${ending}` }) as const;

/** An enquiry names a status and no reason, and a callback is not believed: most reasons are `network_error`. */
const asynchronous = {
  name: 'vodacom-openapi, asynchronous',
  partyOf,
  proof: 'hint',
  tellsAmount: false,
  createChannel: ({ simulatorUrl }: { simulatorUrl: string }) =>
    vodacomChannel(simulatorUrl, { mode: 'asynchronous' }),
  simulatorOptions: ({ publicUrl }: { publicUrl: string }) =>
    vodacomSimulator({ mode: 'asynchronous', publicUrl }),
} as const;

channelContract({
  ...asynchronous,
  direction: 'collection',
  failures: failuresBut({ '039': 'customer_declined', '059': 'customer_timeout' }),
});

channelContract({ ...asynchronous, direction: 'payout', failures: failuresBut({}) });
