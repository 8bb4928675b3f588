// tests: slow

import { HALOPESA_PATH } from '../../sandbox/simulator/halopesa/network.ts';
import { channelContract } from './contract.ts';
import { payerFailures } from './failures.ts';
import { halopesaChannel, halopesaOptions, halopesaToken } from './halopesa/account.ts';

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255624000${ending}` }) as const;

channelContract({
  name: 'halopesa, callbacks to a secret address',
  direction: 'collection',
  enquires: false,
  partyOf,
  createChannel: ({ simulatorUrl }) => halopesaChannel(simulatorUrl),
  simulatorOptions: ({ publicUrl }) => ({
    halopesa: { ...halopesaOptions, callbackUrl: `${publicUrl}/channels/halopesa/${halopesaToken}` },
  }),
  failures: payerFailures,
});

channelContract({
  name: 'halopesa, callbacks that nothing proves',
  direction: 'collection',
  proof: 'hint',
  enquires: false,
  partyOf,
  createChannel: ({ simulatorUrl }) => halopesaChannel(simulatorUrl, { callback: {} }),
  simulatorOptions: ({ publicUrl }) => ({
    halopesa: { ...halopesaOptions, callbackUrl: `${publicUrl}/channels/halopesa` },
  }),
  failures: payerFailures,
});

channelContract({
  name: 'halopesa, a second connection to the simulator',
  direction: 'collection',
  enquires: false,
  partyOf,
  createChannel: ({ simulatorUrl }) =>
    halopesaChannel(simulatorUrl, { url: `${simulatorUrl}${HALOPESA_PATH}?callback=${halopesaToken}` }),
  simulatorOptions: ({ publicUrl }) => ({
    halopesa: { ...halopesaOptions, callbackUrl: `${publicUrl}/channels/halopesa/of-the-first-connection` },
  }),
  failures: payerFailures,
});
