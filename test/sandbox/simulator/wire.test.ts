import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Simulator } from '../../../sandbox/simulator/app.ts';
import type { Exchange } from '../../../sandbox/simulator/core/wire-log.ts';
import { makeControlNumber } from '../../../src/domain/control-number.ts';
import { type Inbox, openInbox } from '../../channels/inbox.ts';
import { pick } from '../../support/pick.ts';
import { openSimulator } from '../../support/simulator.ts';
import { until } from '../../support/wait.ts';

const DEADLINE_MS = 10_000;
const TOKEN = 'Zm9yLW5vLW90aGVyLWV5ZXM';

describe('what the simulator shows of the wire', () => {
  let simulator: Simulator;
  let inbox: Inbox;
  before(async () => {
    inbox = await openInbox();
    simulator = await openSimulator({
      timing: { customerMs: 10, promptMs: 5_000 },
      gsma: { username: 'malipo', password: 'a-demo-password' },
      gateway: { url: inbox.url, tokens: { 'airtel-money': TOKEN }, timeoutMs: 2_000 },
      payBillWaitMs: 2_000,
    });
  });
  after(async () => {
    await simulator.close();
    await inbox.close();
  });

  const authorization = `Basic ${Buffer.from('malipo:a-demo-password').toString('base64')}`;
  function push(number: string, id: string): Promise<Response> {
    return fetch(`${simulator.url}/transactions/type/merchantpay`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization,
        'x-correlationid': id,
        'x-callback-url': `${inbox.url}/channels/gsma/${id}/${TOKEN}`,
      },
      body: JSON.stringify({
        amount: '15000',
        currency: 'TZS',
        debitParty: [{ key: 'msisdn', value: `+255${number.slice(1)}` }],
        creditParty: [{ key: 'organisationid', value: 'malipo' }],
        requestingOrganisationTransactionReference: id,
      }),
    });
  }
  async function wire(number: string): Promise<Exchange[]> {
    const answer = await fetch(`${simulator.url}/phone/wire?number=${number}`);
    return ((await answer.json()) as { exchanges: Exchange[] }).exchanges;
  }
  const said = (number: string, count: number) =>
    until(
      async () => {
        const exchanges = await wire(number);
        return exchanges.filter(({ status }) => status !== null).length === count ? exchanges : null;
      },
      { deadlineMs: DEADLINE_MS, what: `${count} answered messages about ${number}` },
    );

  it('keeps request, answer, notification and enquiry of one phone, newest first, and nothing of another phone', async () => {
    const id = randomUUID();
    await push('0754100001', id);
    await push('0754100002', randomUUID());
    await said('0754100001', 2);
    await fetch(`${simulator.url}/responses/${id}`, { headers: { authorization } });
    const exchanges = await said('0754100001', 3);
    assert.deepEqual(pick(exchanges, 'from', 'line', 'status'), [
      ['gateway', `GET /responses/${id}`, 200],
      ['network', `PUT /channels/gsma/${id}/…`, exchanges[1]?.status],
      ['gateway', 'POST /transactions/type/merchantpay', 202],
    ]);
    assert.match(exchanges[2]?.request ?? '', /"amount":"15000"/);
    assert.match(exchanges[2]?.answer ?? '', /"status":"pending"/);
    assert.match(exchanges[1]?.request ?? '', /"transactionStatus":"completed"/);
    assert.equal((await said('0754100002', 2)).length, 2);
  });

  it('shows no password and no token, wherever it stands', async () => {
    await push('0754100003', randomUUID());
    const text = JSON.stringify(await said('0754100003', 2));
    assert.match(text, /authorization: …/);
    assert.doesNotMatch(text, new RegExp(TOKEN));
    assert.doesNotMatch(text, new RegExp(authorization.slice('Basic '.length)));
    const form = new URLSearchParams({
      username: '0754100004',
      password: 'hush-hush',
      grant_type: 'password',
    });
    await fetch(`${simulator.url}/halopesa/ServiceAPI`, {
      method: 'POST',
      body: `<PIN>9876</PIN> 0754100004 ${form}`,
    });
    const other = JSON.stringify(await wire('0754100004'));
    assert.match(other, /POST \/halopesa\/ServiceAPI/);
    assert.doesNotMatch(other, /hush-hush|9876/);
  });

  it('says that there was no answer where the connection broke', async () => {
    await push('0754100149', randomUUID()).catch(() => undefined);
    const [created] = await wire('0754100149');
    assert.equal(created?.line, 'POST /transactions/type/merchantpay');
    assert.deepEqual([created?.status, created?.answer], [null, null]);
  });

  it('shows what a network asks about a bill', async () => {
    const control_number = makeControlNumber('880', 1);
    const body = JSON.stringify({ phone_number: '0784100005', control_number, amount: 5_000 });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${simulator.url}/customer/pay-bill`, { method: 'POST', headers, body });
    const exchanges = await wire('0784100005');
    assert.ok(
      exchanges.some(({ from, line }) => from === 'network' && line.startsWith('POST /channels/bill/')),
    );
    assert.doesNotMatch(JSON.stringify(exchanges), new RegExp(TOKEN));
  });

  it('refuses what is no phone and no account', async () => {
    assert.equal((await fetch(`${simulator.url}/phone/wire?number=1`)).status, 422);
    assert.equal((await fetch(`${simulator.url}/phone/wire`)).status, 422);
  });
});
