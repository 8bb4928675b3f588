import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { HALOPESA_PATH } from '../../sandbox/simulator/halopesa/network.ts';
import { halopesaDoors } from '../../src/channels/halopesa/answer.ts';
import table from '../../src/channels/halopesa/codes.json' with { type: 'json' };
import { capabilities } from '../../src/channels/halopesa/index.ts';
import { checkSumOf, readReturn, wireTime, writeReturn } from '../../src/channels/halopesa/wire.ts';
import type { RawNotification } from '../../src/domain/channel.ts';
import { openSimulator } from '../support/simulator.ts';
import { halopesaChannel, halopesaOptions, halopesaToken } from './halopesa/account.ts';
import { rawOf } from './raw.ts';
import {
  itHears,
  itIsTold,
  itKnowsNothing,
  itReadsCodes,
  PUSH,
  say,
  type Told,
  useNetwork,
} from './scripted.ts';

const REFERENCE = 'PY0123456789ABCDEF';
const { codes, states } = table;
const answerOf = (code: string, changes: Record<string, string> = {}) => ({
  body: writeReturn(Object.entries({ response_code: code, message: 'm', referenceid: PUSH, ...changes })),
});

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
  const network = useNetwork({
    paths: { push: HALOPESA_PATH },
    channelOf: (url) => halopesaChannel(url, {}, () => Date.UTC(2026, 0, 8, 9, 0, 0)),
  });

  it('come to a request whose elements are in the order of the network', async () => {
    network.lay('push', answerOf('0'));
    assert.equal(await network.hear('push'), 'accepted -');
    const [sent] = network.asked;
    assert.equal(sent?.headers['content-type'], 'text/xml; charset=utf-8');
    const names = [...(sent?.body.matchAll(/<([a-z_]+)>/g) ?? [])].map(([, name]) => name);
    assert.equal(
      names.join(' '),
      'request requestid username password request_time amount sender_msisdn beneficiary_accountid referenceid ' +
        'business_no function_code addition_data check_sum',
    );
    assert.match(
      sent?.body ?? '',
      /<password>a password &amp; more<\/password><request_time>20260108120000<.*<amount>15000</,
    );
  });

  itReadsCodes(network, 'push', codes, { answerOf });

  const soap = 'xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"';
  const fault = `<S:Envelope ${soap}><S:Body><S:Fault><faultcode>S:Server</faultcode></S:Fault></S:Body></S:Envelope>`;
  const prefixed = `<?xml version="1.0"?><S:Envelope ${soap}><S:Body><ns2:HaloPesaServiceAPIResponse xmlns:ns2="http://ws.merchant.vmoney.viettel.com/"><return><Response_Code>9009</Response_Code><ReferenceID>${PUSH}</ReferenceID></return></ns2:HaloPesaServiceAPIResponse></S:Body></S:Envelope>`;
  itHears(network, [
    ['push', 'other prefixes and cases of names', { body: prefixed }, 'failed insufficient_funds -'],
  ]);
  itKnowsNothing(
    network,
    ['push'],
    [
      ['a code that nobody knows', answerOf('9999')],
      ['no code', answerOf('')],
      ['a refusal with 500', { ...answerOf('9009'), status: 500 }],
      ['a refusal with 408', { ...answerOf('9009'), status: 408 }],
      ['a SOAP fault', { body: fault }],
      ['half a document', { body: answerOf('0').body.slice(0, -30) }],
      ['half an answer', { ...answerOf('0'), breaks: 'within' }],
      ['no answer', { breaks: 'before' }],
      ['HTML', { type: 'text/html', body: '<html><body>Bad gateway</body></html>' }],
      ['nothing', {}],
      ['JSON', { body: '{"response_code":"0"}' }],
    ],
  );

  it('are not waited for where the amount has cents: nothing is sent', async () => {
    assert.equal(await network.hear('push', {}, { amount: 150_050 }), 'failed amount_out_of_range -');
    assert.equal(network.asked.length, 0);
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
      const { kind } = await say(halopesaChannel(simulator.url, changes, now), 'push');
      assert.equal(kind, 'not_sent', JSON.stringify(changes));
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
  const of = (changes: Record<string, string>) => raw(callback(changes));
  const open = halopesaChannel('http://127.0.0.1:1', { callback: {} });

  itIsTold(channel, [
    ['of a success', raw(callback()), 'succeeded TZS 1500 H1', 'proven'],
    ['of an amount with its currency', of({ Amount: 'TZS 1,500' }), 'succeeded TZS 1500 H1'],
    // Only FIN, a code of the table and, for a success, the amount end a push.
    ['that is an acknowledgement', of({ response_type: 'ACK' }), 'pending'],
    ['of no type', of({ response_type: '' }), 'pending'],
    ['of no amount', of({ Amount: '' }), 'pending'],
    ['of what is no amount', of({ Amount: '1,50' }), 'pending'],
    ['of a code that nobody knows', of({ response_code: '7' }), 'pending'],
    ['of a duplicate', of({ response_code: '9004' }), 'pending'],
    ['of 9009', of({ response_code: '9009' }), 'failed insufficient_funds H1'],
    ['of 9010', of({ response_code: '9010', message: 'timed out' }), 'failed network_error H1'],
    ['of 9012', of({ response_code: '9012', message: 'Request timed out' }), 'failed customer_timeout H1'],
    ...[null, '', 'wrong', `${halopesaToken}x`].map(
      (token): Told => [`at address "${token}"`, raw(callback(), token), 'succeeded TZS 1500 H1', 'unproven'],
    ),
    ...[
      '',
      '{}',
      '<a/>',
      callback({ ReferenceID: '' }),
      `<!DOCTYPE a>${callback()}`,
      callback({ message: 'x'.repeat(40_000) }),
    ].map((body, at): Told => [`that nobody can read, ${at}: ${body.slice(0, 20)}`, raw(body), 'nothing']),
  ]);

  it('have every state of the table, and prove nothing where no secret was agreed on', () => {
    assert.equal(states.map(({ code }) => code).join(' '), '0 9009 9010 9012 *');
    assert.equal(open.verifyNotification(raw(callback(), '')), false);
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
