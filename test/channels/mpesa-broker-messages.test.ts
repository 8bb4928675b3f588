import assert from 'node:assert/strict';
import { readDecision } from '../../sandbox/simulator/mpesa-broker/wire.ts';
import { mpesaBrokerSettings } from '../../src/channels/mpesa-broker/settings.ts';
import {
  type BrokerPayment,
  type BrokerResult,
  dateTextOf,
  readPayment,
  readResponse,
  spPasswordOf,
  timestampOf,
  writeResponse,
  writeResult,
} from '../../src/channels/mpesa-broker/wire.ts';
import { timeSaid } from '../../src/domain/day.ts';
import { writeBrokerPayment } from '../support/network-messages.ts';
import { pick } from '../support/pick.ts';

const told: BrokerPayment = {
  spId: '888000',
  spPassword: 'Zt48QUJ1noCfaWeVPD8VxctlbG8QiSJDSx36wzjWtww=',
  timestamp: '20260108120000',
  amount: '18000.0',
  commandId: 'Pay Bill',
  initiator: '+255754123456',
  originatorConversationId: 'OC-1',
  recipient: '888000',
  mpesaReceipt: 'ABC123XYZ',
  transactionDate: '2026-01-08 12:00:00',
  accountReference: '770000000049',
  transactionId: 'T-1',
  conversationId: 'C-1',
};

describe('messages of the m-pesa broker', () => {
  it('makes spPassword as the known vectors have it, in both forms', () => {
    const secret = { spId: '888000', password: 'test_password', timestamp: '20260108120000' };
    assert.equal(spPasswordOf(secret), 'Zt48QUJ1noCfaWeVPD8VxctlbG8QiSJDSx36wzjWtww=');
    assert.equal(
      spPasswordOf(secret, 'base64-of-hex'),
      'NjZERTNDNDE0Mjc1OUU4MDlGNjk2Nzk1M0MzRjE1QzVDQjY1NkM2RjEwODkyMjQzNEIxREZBQzMzOEQ2QjcwQw==',
    );
  });

  it('tells the time of Dar es Salaam', () => {
    const time = new Date('2026-01-07T22:30:05Z');
    assert.equal(timestampOf(time), '20260108013005');
    assert.equal(dateTextOf(time), '2026-01-08 01:30:05');
    assert.equal(timeSaid('20260108013005'), time.getTime());
    assert.deepEqual(['20261308013005', 'today', ''].map(timeSaid), [Number.NaN, Number.NaN, Number.NaN]);
  });

  it('reads a payment by name: in any order, case and namespace, and with the misspelt command', () => {
    const xml = `<b:mpesaBroker xmlns:b="http://infowise.co.tz/broker/" version="2.0"><b:request>
      <b:transaction><b:conversationID>C-1</b:conversationID><b:comandId>Pay Bill</b:comandId>
        <b:MPESARECEIPT>ABC123XYZ</b:MPESARECEIPT><b:accountReference> 770000000049 </b:accountReference>
        <b:amount>18000.0</b:amount><b:initiator>+255754123456</b:initiator></b:transaction>
      <b:serviceProvider><b:timestamp>20260108120000</b:timestamp><b:spPassword>p</b:spPassword><b:spId>888000</b:spId>
      </b:serviceProvider></b:request></b:mpesaBroker>`;
    const read = readPayment(Buffer.from(xml)) ?? assert.fail();
    assert.deepEqual(
      pick([read], 'commandId', 'mpesaReceipt', 'accountReference', 'amount', 'spId', 'recipient')[0],
      ['Pay Bill', 'ABC123XYZ', '770000000049', '18000.0', '888000', null],
    );
  });

  it('reads what it writes, whatever the text', () => {
    const odd = { ...told, accountReference: `<&"'> 1`, mpesaReceipt: 'Ä€' };
    assert.deepEqual(readPayment(Buffer.from(writeBrokerPayment(odd))), odd);
  });

  it('has the transaction of a payment in the order of the protocol', () => {
    const names = [...writeBrokerPayment(told).matchAll(/<(\w+)>[^<]/g)].map(([, name]) => name);
    assert.equal(
      names.join(),
      'spId,spPassword,timestamp,amount,commandID,initiator,originatorConversationID,recipient,mpesaReceipt,' +
        'transactionDate,accountReference,transactionID,conversationID',
    );
  });

  it('writes the acknowledgement with the transaction id in either place', () => {
    const response = {
      conversationId: 'C-1',
      originatorConversationId: 'OC-1',
      transactionId: 'T-1',
      responseCode: '0',
      responseDesc: 'Received',
      serviceStatus: 'Success',
    };
    const start =
      '<?xml version="1.0" encoding="UTF-8"?>\n<mpesaBroker xmlns="http://inforwise.co.tz/broker/" version="2.0">' +
      '<response><conversationID>C-1</conversationID><originatorConversationID>OC-1</originatorConversationID>';
    const id = '<transactionID>T-1</transactionID>';
    const rest =
      '<responseCode>0</responseCode><responseDesc>Received</responseDesc><serviceStatus>Success</serviceStatus>';
    assert.equal(writeResponse(response, 'third'), `${start}${id}${rest}</response></mpesaBroker>`);
    assert.equal(writeResponse(response, 'last'), `${start}${rest}${id}</response></mpesaBroker>`);
    for (const place of ['third', 'last'] as const)
      assert.deepEqual(readResponse(Buffer.from(writeResponse(response, place))), response);
  });

  it('writes a result in every form that was met', () => {
    const result: BrokerResult = {
      spId: '888000',
      spPassword: 'p',
      timestamp: '20260108120000',
      resultType: 'Completed',
      resultCode: '0',
      resultDesc: 'Accepted',
      receipt: 'R-1',
      date: '2026-01-08 12:00:00',
      serviceId: null,
      originatorConversationId: 'OC-1',
      conversationId: 'C-1',
      transactionId: 'T-1',
      initiator: 'us',
      initiatorPassword: 'secret',
    };
    for (const element of ['result', 'request'] as const)
      for (const receiptNames of ['service', 'mpesa'] as const) {
        const xml = writeResult(result, { element, receiptNames });
        assert.ok(xml.includes(`version="2.0"><${element}><serviceProvider><spId>`));
        const ofService = receiptNames === 'service';
        assert.equal(xml.includes('<serviceReceipt>R-1</serviceReceipt><serviceDate>'), ofService);
        assert.equal(xml.includes('<mpesaReceipt>R-1</mpesaReceipt><transactionDate>'), !ofService);
        const read = readDecision(Buffer.from(xml), element);
        const { receipt, date, ...named } = result;
        const wanted = ofService
          ? { ...named, serviceReceipt: receipt, serviceDate: date }
          : { ...named, mpesaReceipt: receipt, transactionDate: date };
        for (const [name, text] of Object.entries(wanted)) assert.equal(read?.text(name), text, name);
      }
    const withService = { ...result, serviceId: 'S-1' };
    const xml = writeResult(withService, { element: 'result', receiptNames: 'service' });
    assert.equal(readDecision(Buffer.from(xml), 'result')?.text('serviceID'), 'S-1');
  });

  it('takes nothing for a message that is none', () => {
    const whole = writeBrokerPayment(told);
    const none = [
      '',
      'Internal service error occurred',
      '<html><body>502</body></html>',
      '{"request":{}}',
      whole.slice(0, -20),
      whole.replaceAll('mpesaBroker', 'broker'),
      whole.replace(/<spPassword>.*<\/spPassword>/, ''),
      whole.replace(/<transaction>.*<\/transaction>/, ''),
      whole.replace('<?xml', '<!DOCTYPE a [<!ENTITY b "c">]><?xml'),
      `${'<mpesaBroker>'.repeat(50)}${'</mpesaBroker>'.repeat(50)}`,
      `<mpesaBroker>${'<request/>'.repeat(20_000)}</mpesaBroker>`,
    ];
    for (const text of none) assert.equal(readPayment(Buffer.from(text)), null, text.slice(0, 60));
    assert.equal(readResponse(Buffer.from(whole)), null);
  });

  it('refuses settings that are none', () => {
    const settings = { spId: '888000', password: 'p', resultUrl: 'https://broker.example/results' };
    assert.equal(mpesaBrokerSettings.parse(settings).resultElement, 'result');
    for (const wrong of [
      { spId: '' },
      { resultUrl: 'ftp://broker' },
      { resultElement: 'answer' },
      { passwrod: 'x' },
    ])
      assert.equal(mpesaBrokerSettings.safeParse({ ...settings, ...wrong }).success, false);
  });
});
