// tests: slow
import { channelContract } from './contract.ts';
import { vodacomChannel, vodacomSimulator } from './vodacom-openapi/rig.ts';

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255754000${ending}` }) as const;

/** An enquiry names a status and no reason, and a callback is not believed: most reasons are `network_error`. */
channelContract({
  name: 'vodacom-openapi, asynchronous',
  direction: 'collection',
  partyOf,
  proof: 'hint',
  tellsAmount: false,
  createChannel: ({ simulatorUrl }) => vodacomChannel(simulatorUrl, { mode: 'asynchronous' }),
  simulatorOptions: ({ publicUrl }) => vodacomSimulator({ mode: 'asynchronous', publicUrl }),
  failures: {
    '019': 'network_error',
    '029': 'network_error',
    '039': 'customer_declined',
    '049': 'network_error',
    '059': 'customer_timeout',
    '069': 'network_error',
  },
});

channelContract({
  name: 'vodacom-openapi, asynchronous',
  direction: 'payout',
  partyOf,
  proof: 'hint',
  tellsAmount: false,
  createChannel: ({ simulatorUrl }) => vodacomChannel(simulatorUrl, { mode: 'asynchronous' }),
  simulatorOptions: ({ publicUrl }) => vodacomSimulator({ mode: 'asynchronous', publicUrl }),
  failures: {
    '019': 'network_error',
    '029': 'network_error',
    '039': 'network_error',
    '049': 'network_error',
    '059': 'network_error',
    '069': 'network_error',
  },
});
