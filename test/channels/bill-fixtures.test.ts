import assert from 'node:assert/strict';
import { readCommand } from '../../src/channels/airtel-paybill/bill-wire.ts';
import { readRequest } from '../../src/channels/halopesa/wire.ts';
import { readW2aRequest, writeW2aAnswer } from '../../src/channels/mixx/bill-wire.ts';
import {
  RESULT_ELEMENTS,
  readPayment,
  readResponse,
  spPasswordOf,
  writeResponse,
  writeResult,
} from '../../src/channels/mpesa-broker/wire.ts';
import { assertXml, readFixture } from '../support/fixtures.ts';

type Results = Record<(typeof RESULT_ELEMENTS)[number], string>;
type Messages = { [message: string]: string | Results };
const fixtures = readFixture('bills') as unknown as Record<string, Messages>;
const messagesOf = (name: string) => ({
  results: fixtures[name]?.results as Results,
  text: (message: string) => String(fixtures[name]?.[message] ?? ''),
});
const bytes = (text: string) => Buffer.from(text.replaceAll('*', 'X1'));

describe('what a bill door reads and writes, held against what others show', () => {
  it('is a payment of the M-Pesa broker, with its password, and our acknowledgement', () => {
    const { text } = messagesOf('mpesa-broker');
    const payment = readPayment(bytes(text('payment')));
    assert.ok(payment);
    const { spId, timestamp } = payment;
    assert.equal(payment.spPassword, spPasswordOf({ spId, password: 'test_password', timestamp }));
    assert.deepEqual(
      [payment.amount, payment.mpesaReceipt, payment.accountReference, payment.initiator, payment.recipient],
      ['18000.0', 'ABC123XYZ', '770000000049', '255754123456', '888111'],
    );
    const written = writeResponse({
      conversationId: 'C',
      originatorConversationId: 'OC',
      transactionId: 'T',
      responseCode: '0',
      responseDesc: 'Received',
      serviceStatus: 'Success',
    });
    assertXml(written, text('acknowledgement'), { texts: {} });
  });

  for (const element of RESULT_ELEMENTS)
    it(`is a result to the M-Pesa broker in the shape "${element}", and its reply`, () => {
      const { results, text } = messagesOf('mpesa-broker');
      const proof = { spId: '888000', timestamp: '20260108120000' };
      const written = writeResult(
        {
          ...proof,
          spPassword: spPasswordOf({ ...proof, password: 'test_password' }),
          resultType: 'Completed',
          resultCode: '0',
          resultDesc: 'Accepted',
          receipt: 'S1',
          date: '2026-01-08 12:00:00',
          serviceId: null,
          originatorConversationId: 'OC',
          conversationId: 'C',
          transactionId: 'T',
          initiator: '',
          initiatorPassword: '',
        },
        { element, receiptNames: 'service' },
      );
      assertXml(written, results[element], { texts: {} });
      const [, opening] = /(<mpesaBroker[^>]*>(<[a-zA-Z]+>){2,3})/.exec(written) ?? [];
      assert.equal(opening, /(<mpesaBroker[^>]*>(<[a-zA-Z]+>){2,3})/.exec(results[element])?.[1]);
      assert.equal(readResponse(bytes(text('reply')))?.serviceStatus, 'Confirming');
    });

  it('is a payment of Airtel’s paybill', () => {
    const command = readCommand(bytes(messagesOf('airtel-paybill').text('payment')));
    assert.deepEqual(
      [command?.USERNAME, command?.PASSWORD, command?.REFERENCE, command?.REFERENCE1, command?.AMOUNT],
      ['airtel', 'secret', '770000000049', 'ABC123XYZ', '18000'],
    );
  });

  it('is a payment of Mixx, and our answer', () => {
    const { text } = messagesOf('mixx-w2a');
    const payment = readW2aRequest(bytes(text('payment')));
    assert.deepEqual([payment?.step, payment?.receipt, payment?.amount], ['pay', 'ABC123XYZ', '18000']);
    const written = writeW2aAnswer({
      step: 'pay',
      receipt: 'ABC123XYZ',
      reference: 'T1',
      accepted: true,
      code: 'error000',
      message: 'Accepted',
      msisdn: '255713123456',
      content: 'Accepted',
    });
    assertXml(written, text('answer'), { texts: {} });
  });

  it('is a payment of HaloPesa', () => {
    const request = readRequest(bytes(messagesOf('halopesa-bills').text('payment')));
    assert.deepEqual(
      [request?.requestId, request?.amount, request?.reference, request?.sender],
      ['ABC123XYZ', '18000', '770000000049', '255620123456'],
    );
  });
});
