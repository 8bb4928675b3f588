// tests: slow
import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel } from '../../src/channels/gsma/index.ts';
import { gsmaProtocol } from '../../src/channels/gsma/protocol.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { ringOf } from '../support/key-rings.ts';
import { openSimulator } from '../support/simulator.ts';
import { channelContract } from './contract.ts';
import { payerFailures, recipientFailures } from './failures.ts';

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
    notificationSecrets: ringOf(),
  });
}

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255754000${ending}` }) as const;

channelContract({
  name: 'gsma over OAuth',
  direction: 'collection',
  partyOf,
  createChannel: ({ simulatorUrl, publicUrl }) =>
    gsmaChannel({ simulatorUrl: `${simulatorUrl}/2/oauth/simulator/v1.2/mm`, publicUrl }, 'oauth'),
  failures: payerFailures,
  names: true,
});

channelContract({
  name: 'gsma over Basic',
  direction: 'payout',
  partyOf,
  createChannel: ({ simulatorUrl, publicUrl }) =>
    gsmaChannel({ simulatorUrl: `${simulatorUrl}/simulator/v1.2/passthrough/mm`, publicUrl }),
  simulatorOptions: () => ({ gsma: { username: 'user', password: 'secret' } }),
  failures: recipientFailures,
});

describe('the address of a gsma token', () => {
  let simulator: Simulator;
  const name = { kind: 'wallet', msisdn: '255754000001' } as const;

  before(async () => {
    simulator = await openSimulator({ gsma: { username: 'user', password: 'secret' } });
  });

  after(() => simulator.close());

  function lookUp(tokenUrl: string, password = 'secret') {
    const url = `${simulator.url}/2/oauth/simulator/v1.2/mm`;
    const settings = { url, tokenUrl, username: 'user', password, authorisation: 'oauth' };
    const client = createGsmaClient(gsmaProtocol.settings.parse(settings), createHttpClient());
    return client.send(
      { method: 'GET', path: `/accounts/msisdn/+${name.msisdn}/accountname` },
      { timeoutMs: 3_000 },
    );
  }

  it('may be the one that the SDKs of GSMA ask', async () => {
    const answer = await lookUp(`${simulator.url}/v1/oauth/accesstoken`);
    assert.ok(answer.kind === 'answer' && answer.status === 200, JSON.stringify(answer));
  });

  it('gives tokens that are let in under the scheme that it names itself', async () => {
    const answer = await fetch(`${simulator.url}/2/oauth/simulator/v1.2/mm/accesstoken`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('user:secret').toString('base64')}` },
      body: 'grant_type=client_credentials',
    });
    const { token_type, access_token } = (await answer.json()) as Record<string, string>;
    const path = `/2/oauth/simulator/v1.2/mm/accounts/msisdn/+${name.msisdn}/accountname`;
    const statusOf = async (authorization: string) =>
      (await fetch(simulator.url + path, { headers: { authorization } })).status;
    assert.equal(await statusOf(`${token_type} ${access_token}`), 200);
    assert.equal(await statusOf(`Bearer ${access_token}`), 200);
    assert.equal(await statusOf(`Other ${access_token}`), 401);
  });

  it('gives no token for a wrong password, or at an address that is none', async () => {
    assert.equal((await lookUp(`${simulator.url}/v1/oauth/accesstoken`, 'wrong')).kind, 'not_sent');
    assert.equal((await lookUp(`${simulator.url}/v1/oauth/nothing`)).kind, 'not_sent');
  });
});
