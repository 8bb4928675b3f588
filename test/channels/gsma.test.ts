import assert from 'node:assert/strict';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel } from '../../src/channels/gsma/index.ts';
import { createHttpClient } from '../../src/channels/http.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { createSimulator, type Simulator } from '../../src/simulator/app.ts';
import { channelContract } from './contract.ts';

type Addresses = { simulatorUrl: string; publicUrl: string };

function gsmaChannel(
  { simulatorUrl, publicUrl }: Addresses,
  authorisation: 'basic' | 'oauth' = 'basic',
): Channel {
  const client = createGsmaClient(
    { url: simulatorUrl, username: 'user', password: 'secret', authorisation },
    createHttpClient(),
  );
  return createGsmaChannel({
    client,
    network: 'm-pesa',
    organisationId: 'malipo',
    publicUrl,
    notificationSecret: 'a secret of this test',
  });
}

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255754000${ending}` }) as const;

channelContract({
  name: 'gsma over OAuth',
  direction: 'collection',
  partyOf,
  createChannel: ({ simulatorUrl, publicUrl }) =>
    gsmaChannel({ simulatorUrl: `${simulatorUrl}/2/oauth/simulator/v1.2/mm`, publicUrl }, 'oauth'),
  failures: {
    '019': 'payer_limit_reached',
    '029': 'payer_not_found',
    '039': 'customer_declined',
    '049': 'insufficient_funds',
    '059': 'customer_timeout',
    '069': 'network_error',
  },
});

channelContract({
  name: 'gsma over Basic',
  direction: 'payout',
  partyOf,
  createChannel: ({ simulatorUrl, publicUrl }) =>
    gsmaChannel({ simulatorUrl: `${simulatorUrl}/simulator/v1.2/passthrough/mm`, publicUrl }),
  simulatorOptions: () => ({ gsma: { username: 'user', password: 'secret' } }),
  failures: {
    '019': 'recipient_limit_reached',
    '029': 'recipient_not_found',
    '039': 'account_blocked',
    '049': 'insufficient_float',
    '059': 'network_error',
    '069': 'network_error',
  },
});

describe('gsma names', () => {
  let simulator: Simulator;
  let channel: Channel;

  before(async () => {
    simulator = createSimulator({ timing: { slowAnswerMs: 1_000 } });
    await simulator.listen(0);
    channel = gsmaChannel({ simulatorUrl: simulator.url, publicUrl: 'http://127.0.0.1:9' });
  });

  after(() => simulator.close());

  const lookUp = (ending: string, timeoutMs: number) =>
    channel.lookupName?.({ kind: 'wallet', msisdn: `255754000${ending}` }, { timeoutMs });

  it('finds who owns a wallet', async () => {
    assert.deepEqual(await lookUp('001', 3_000), { kind: 'found', fullName: 'ASHA JUMA' });
  });

  it('says that a wallet does not exist', async () => {
    assert.deepEqual(await lookUp('029', 3_000), { kind: 'not_found' });
  });

  it('knows nothing when the channel is silent', async () => {
    assert.deepEqual(await lookUp('219', 100), { kind: 'unknown' });
  });
});
