import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { halopesaDoors } from '../../src/channels/halopesa/answer.ts';
import table from '../../src/channels/halopesa/codes.json' with { type: 'json' };
import { capabilities } from '../../src/channels/halopesa/index.ts';
import { checkSumOf, readReturn, wireTime, writeReturn } from '../../src/channels/halopesa/wire.ts';
import type { Channel, RawNotification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { openScriptedServer, type ScriptedAnswer } from '../support/scripted-server.ts';
import { openSimulator } from '../support/simulator.ts';
import { halopesaChannel, halopesaOptions, halopesaToken } from './halopesa/account.ts';
import { rawOf } from './raw.ts';

const CALL = { timeoutMs: 10_000 };
const REFERENCE = 'PY0123456789ABCDEF';
const party = { kind: 'wallet', msisdn: '255624000001' } as const;
const order = {
  transactionId: 't',
  reference: REFERENCE,
  amount: minor(1_500_00),
  currency: 'TZS',
  description: 'Shoes',
  party,
};
const { codes, states } = table;

describe('the check sum of HaloPesa', () => {
  it('is the SHA-256 of the values one after the other (vector)', () => {
    const request = {
      requestId: 'REQ0001',
      username: 'huser',
      password: 'hpass',
      requestTime: '20260108120000',
      amount: '1500',
      sender: '255620000001',
      accountId: '8888',
      reference: 'REF0001',
      businessNumber: 'not in it',
      functionCode: 'not in it',
    };
    assert.equal(
      checkSumOf(request, 'hsecret'),
      'f59171289c044ca49d9d8e38d1575a81901b6c68961110b7cfba9a2de44d7295',
    );
  });

  it('carries the time of Dar es Salaam, three hours before Greenwich, over midnight and the year too', () => {
    const time = Date.UTC(2026, 11, 31, 21, 30, 5);
    assert.equal(wireTime(time), '20270101003005');
  });
});

describe('answers of HaloPesa', () => {
  let server: Awaited<ReturnType<typeof openScriptedServer>>;
  let channel: Channel;
  let next: ScriptedAnswer;
  before(async () => {
    server = await openScriptedServer(() => next);
    channel = halopesaChannel(server.url, {}, () => Date.UTC(2026, 0, 8, 9, 0, 0));
  });
  after(() => server.close());
  beforeEach(() => {
    server.asked.length = 0;
  });

  const push = (changes: object = {}) => channel.requestPush?.({ ...order, ...changes }, CALL);
  const answerOf = (code: string, changes: Record<string, string> = {}): ScriptedAnswer => ({
    body: writeReturn(
      Object.entries({ response_code: code, message: 'm', referenceid: REFERENCE, ...changes }),
    ),
  });

  it('come to a request whose elements are in the order of the network', async () => {
    next = answerOf('0');
    assert.deepEqual(await push(), { kind: 'accepted', channelReference: null });
    const [sent] = server.asked;
    assert.equal(sent?.headers['content-type'], 'text/xml; charset=utf-8');
    const names = [...(sent?.body.matchAll(/<([a-z_]+)>/g) ?? [])].map(([, name]) => name);
    assert.deepEqual(names, [
      'request',
      'requestid',
      'username',
      'password',
      'request_time',
      'amount',
      'sender_msisdn',
      'beneficiary_accountid',
      'referenceid',
      'business_no',
      'function_code',
      'addition_data',
      'check_sum',
    ]);
    assert.match(
      sent?.body ?? '',
      /<password>a password &amp; more<\/password><request_time>20260108120000<.*<amount>1500</,
    );
  });

  for (const row of codes)
    it(`with ${row.code} are ${row.outcome} ${('failure_code' in row && row.failure_code) || ''}`, async () => {
      next = answerOf(row.code);
      const result = await push();
      const kinds: Record<string, string> = { pending: 'accepted', final: 'failed', setup: 'not_sent' };
      assert.equal(result?.kind, kinds[row.outcome] ?? 'unknown');
      if (result?.kind === 'failed') assert.equal(result.code, 'failure_code' in row && row.failure_code);
      if (result?.kind === 'unknown') assert.equal(result.seen, row.code === '9004' ? true : undefined);
    });

  const unclear: Record<string, ScriptedAnswer> = {
    'a code that nobody knows': answerOf('9999'),
    'no code': answerOf(''),
    'another reference': answerOf('0', { referenceid: 'PY9' }),
    'a refusal of another reference': answerOf('9009', { referenceid: 'PY9' }),
    'a refusal with 500': { ...answerOf('9009'), status: 500 },
    'a refusal with 408': { ...answerOf('9009'), status: 408 },
    'a SOAP fault': {
      body: '<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault><faultcode>S:Server</faultcode></S:Fault></S:Body></S:Envelope>',
    },
    'half a document': { body: answerOf('0').body?.slice(0, -30) ?? '' },
    'half an answer': { ...answerOf('0'), breaks: 'within' },
    'no answer': { breaks: 'before' },
    HTML: { type: 'text/html', body: '<html><body>Bad gateway</body></html>' },
    nothing: { body: '' },
    JSON: { body: '{"response_code":"0"}' },
  };
  for (const [what, answer] of Object.entries(unclear))
    it(`with ${what} say nothing`, async () => {
      next = answer;
      assert.equal((await push())?.kind, 'unknown');
    });

  it('are read whatever the prefixes and the case of the names', async () => {
    next = {
      body: '<?xml version="1.0"?><S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><ns2:HaloPesaServiceAPIResponse xmlns:ns2="http://ws.merchant.vmoney.viettel.com/"><return><Response_Code>9009</Response_Code><ReferenceID>PY0123456789ABCDEF</ReferenceID></return></ns2:HaloPesaServiceAPIResponse></S:Body></S:Envelope>',
    };
    assert.deepEqual(await push(), { kind: 'failed', code: 'insufficient_funds', channelReference: null });
  });

  it('are not waited for where the amount has cents: nothing is sent', async () => {
    const result = await push({ amount: minor(150_050) });
    assert.deepEqual(result, { kind: 'failed', code: 'amount_out_of_range', channelReference: null });
    assert.equal(server.asked.length, 0);
  });
});

describe('HaloPesa', () => {
  let simulator: Simulator;
  before(async () => {
    simulator = await openSimulator({ halopesa: halopesaOptions });
  });
  after(() => simulator.close());

  it('refuses wrong credentials, check sums and clocks before any processing, and nothing moves', async () => {
    const tenMinutes = 600_000;
    const wrong: [object, (() => number)?][] = [
      [{ password: 'wrong' }],
      [{ secret: 'wrong' }],
      [{ functionCode: 'WRONG' }],
      [{}, () => Date.now() - tenMinutes],
      [{}, () => Date.now() + tenMinutes],
    ];
    for (const [changes, now] of wrong) {
      const result = await halopesaChannel(simulator.url, changes, now).requestPush?.(order, CALL);
      assert.equal(result?.kind, 'not_sent', JSON.stringify(changes));
    }
    assert.deepEqual(simulator.orders.all(), []);
  });

  it('can neither be asked nor pay out', async () => {
    const channel = halopesaChannel(simulator.url);
    assert.deepEqual([channel.requestPayout, channel.lookupName], [undefined, undefined]);
    assert.deepEqual([capabilities.enquiry, capabilities.payouts], [false, []]);
    assert.equal(capabilities.deduplicates.collection, false);
  });
});

describe('callbacks of HaloPesa', () => {
  const channel = halopesaChannel('http://127.0.0.1:1');
  const raw = (body: string, token: string | null = halopesaToken): RawNotification => rawOf(body, { token });
  const callback = (changes: Record<string, string> = {}) =>
    writeReturn(
      Object.entries({
        response_code: '0',
        ReferenceID: REFERENCE,
        RequestID: 'H1',
        Amount: '1500',
        response_type: 'FIN',
        ...changes,
      }),
    );
  const contentOf = (changes: Record<string, string>) =>
    channel.translateNotification(raw(callback(changes)))?.content;

  it('end a push only with FIN, a code of the table and, for a success, the amount', () => {
    const paid = {
      kind: 'succeeded',
      amount: 150_000,
      currency: 'TZS',
      channelReference: 'H1',
      fullName: null,
    };
    assert.deepEqual(contentOf({}), paid);
    assert.deepEqual(contentOf({ Amount: 'TZS 1,500' }), paid);
    for (const changes of [
      { response_type: 'ACK' },
      { response_type: '' },
      { Amount: '' },
      { Amount: '1,50' },
      { response_code: '7' },
      { response_code: '9004' },
    ])
      assert.deepEqual(contentOf(changes), { kind: 'pending' }, JSON.stringify(changes));
    const failed = (code: string) => ({ kind: 'failed', code, channelReference: 'H1' });
    assert.deepEqual(contentOf({ response_code: '9009' }), failed('insufficient_funds'));
    assert.deepEqual(contentOf({ response_code: '9010', message: 'timed out' }), failed('network_error'));
    assert.deepEqual(
      contentOf({ response_code: '9012', message: 'Request timed out' }),
      failed('customer_timeout'),
    );
    assert.deepEqual(
      states.map(({ code }) => code),
      ['0', '9009', '9010', '9012', '*'],
    );
  });

  it('are proven by the secret of their address and nothing else', () => {
    assert.equal(channel.verifyNotification(raw(callback())), true);
    for (const token of [null, '', 'wrong', `${halopesaToken}x`])
      assert.equal(channel.verifyNotification(raw(callback(), token)), false);
    const open = halopesaChannel('http://127.0.0.1:1', { callback: {} });
    assert.equal(open.verifyNotification(raw(callback(), '')), false);
  });

  it('that nobody can read are none', () => {
    for (const body of [
      '',
      '{}',
      '<a/>',
      callback({ ReferenceID: '' }),
      `<!DOCTYPE a>${callback()}`,
      callback({ message: 'x'.repeat(40_000) }),
    ])
      assert.equal(channel.translateNotification(raw(body)), null, body.slice(0, 40));
  });

  it('are acknowledged in JSON, or in SOAP where the account says so; 9012 when they are none of ours or not proven', () => {
    const now = () => Date.UTC(2026, 0, 8, 9, 0, 0);
    const [plain] = halopesaDoors(undefined, now);
    assert.deepEqual(JSON.parse(plain?.answer('stored', raw(callback())).body ?? ''), {
      responseType: 'SUCCESS',
      response_code: 0,
      msg: 'Received',
      ReferenceID: REFERENCE,
      ResponseTime: '20260108120000',
    });
    assert.equal(JSON.parse(plain?.answer('unknown', raw(callback())).body ?? '').response_code, 9012);
    assert.equal(JSON.parse(plain?.answer('stored', raw('<')).body ?? '').ReferenceID, 'INVLD');
    const [soap] = halopesaDoors({ form: 'soap', success: '1', error: '0' }, now);
    for (const [outcome, expected] of [
      ['noted', ['1', '0']],
      ['refused', ['0', '9012']],
    ] as const) {
      const answer = soap?.answer(outcome, raw(callback()));
      const said = readReturn(Buffer.from(answer?.body ?? ''));
      assert.deepEqual([said?.text('responseType'), said?.text('response_code')], expected);
      assert.equal(answer?.contentType, 'text/xml; charset=utf-8');
    }
  });
});
