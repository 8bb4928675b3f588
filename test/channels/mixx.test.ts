// tests: slow
import { channelContract } from './contract.ts';
import { payerFailures, recipientFailures } from './failures.ts';
import { mixxChannel, mixxOptions } from './mixx/account.ts';

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255654000${ending}` }) as const;

channelContract({
  name: 'mixx, callbacks that nothing proves',
  direction: 'collection',
  proof: 'hint',
  partyOf,
  createChannel: ({ simulatorUrl }) => mixxChannel(simulatorUrl),
  simulatorOptions: ({ publicUrl }) => ({
    mixx: { ...mixxOptions, callbackUrl: `${publicUrl}/channels/mixx` },
  }),
  failures: payerFailures,
});

channelContract({
  name: 'mixx, whose payouts are answered and never notified',
  direction: 'payout',
  partyOf,
  createChannel: ({ simulatorUrl }) => mixxChannel(simulatorUrl),
  simulatorOptions: ({ publicUrl }) => ({
    mixx: { ...mixxOptions, callbackUrl: `${publicUrl}/channels/mixx` },
  }),
  notifies: false,
  refusesAtOnce: true,
  undecided: 'unknown',
  failures: recipientFailures,
});

const token = 'a-secret-that-only-the-network-was-given';

channelContract({
  name: 'mixx, callbacks to a secret address',
  direction: 'collection',
  partyOf,
  createChannel: ({ simulatorUrl }) => mixxChannel(simulatorUrl, { callback: { token } }),
  simulatorOptions: ({ publicUrl }) => ({
    mixx: { ...mixxOptions, callbackUrl: `${publicUrl}/channels/mixx/${token}` },
  }),
  failures: payerFailures,
});
