import assert from 'node:assert/strict';
import { readReply } from '../../../sandbox/simulator/airtel-paybill/wire.ts';
import { readXml } from '../../../sandbox/simulator/core/xml.ts';
import { commandXml, readCommand } from '../../../sandbox/simulator/mixx/wire.ts';
import { createAirtelPaybillDoors } from '../../../src/channels/airtel-paybill/bill-door.ts';
import { writeCommand } from '../../../src/channels/airtel-paybill/bill-wire.ts';
import { createBillJsonDoors } from '../../../src/channels/bill-json/door.ts';
import { billJsonAnswerSchema } from '../../../src/channels/bill-json/wire.ts';
import { createGsmaBillDoors } from '../../../src/channels/gsma/bill-door.ts';
import { errorSchema } from '../../../src/channels/gsma/wire.ts';
import { createHalopesaBillDoors } from '../../../src/channels/halopesa/bill-door.ts';
import { checkSumOf, wireTime, writeRequest } from '../../../src/channels/halopesa/wire.ts';
import type { BillDoors } from '../../../src/channels/kit/door.ts';
import { createMixxBillDoors } from '../../../src/channels/mixx/bill-door.ts';
import { createMpesaBrokerDoors } from '../../../src/channels/mpesa-broker/bill-door.ts';
import { mpesaBrokerSettings } from '../../../src/channels/mpesa-broker/settings.ts';
import { spPasswordOf, timestampOf } from '../../../src/channels/mpesa-broker/wire.ts';
import { writeBrokerPayment } from '../../support/network-messages.ts';
import type { Answer } from './api.ts';

/** Who sends it: a user name and a secret, and a key where the protocol has one besides. */
export type Sender = { user: string; secret: string; key: string };
/** One payment of a bill, or a question before it. Amounts are TZS, as the network writes them. */
export type Paying = { number: string; receipt: string; amount: string; payer: string };
/** Whose bill it is; whether it may be paid; it is paid. */
export type Step = 'ask' | 'validate' | 'pay';
export type Message = { method?: string; path: string; headers?: Record<string, string>; body?: string };

export type BillProtocol = {
  open(sender: Sender): BillDoors;
  messages: Partial<Record<Step, (sender: Sender, paying: Paying) => Message>>;
  /** status and code, of an answer in the form of the protocol */
  read(answer: Answer): string;
};

const NAME = 'ASHA JUMA';
const log = { info: () => {}, warn: () => {}, error: () => {} };
const bearer = ({ secret }: Sender) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${secret}`,
});
const basic = ({ user, secret }: Sender) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

const inJson =
  (step: string) =>
  (sender: Sender, { number, receipt, amount, payer }: Paying) => ({
    path: `/channels/bill/${step}`,
    headers: bearer(sender),
    body: JSON.stringify({ transid: receipt, reference: 'OP-1', utilityref: number, amount, msisdn: payer }),
  });
const toAirtel =
  (step: string) =>
  (sender: Sender, { number, receipt, amount, payer }: Paying) => ({
    path: `/channels/airtel-paybill/${step}`,
    body: writeCommand({
      TYPE: 'C2B',
      CUSTOMERMSISDN: payer,
      CUSTOMERNAME: NAME,
      AMOUNT: amount,
      REFERENCE: number,
      USERNAME: sender.user,
      PASSWORD: sender.secret,
      REFERENCE1: receipt,
    }),
  });
const toMixx =
  (step: 'lookup' | 'pay') =>
  (sender: Sender, { number, receipt, amount, payer }: Paying) => ({
    path: '/channels/mixx-w2a',
    headers: { authorization: basic(sender) },
    body: writeMixxBill({
      step,
      receipt,
      msisdn: payer,
      amount,
      companyName: '400200',
      controlNumber: number,
      senderName: NAME,
    }),
  });

export const billProtocols: Record<string, BillProtocol> = {
  'bill-json': {
    open: ({ secret }) => createBillJsonDoors({ tokens: [secret] }),
    messages: { ask: inJson('lookup'), validate: inJson('validation'), pay: inJson('notification') },
    read({ status, body, headers }) {
      if (status === 503) assert.equal(headers['retry-after'], '5');
      if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
      return `${status} ${billJsonAnswerSchema.parse(body).resultcode}`;
    },
  },
  'gsma-bills': {
    open: ({ secret }) => createGsmaBillDoors([secret]),
    messages: {
      ask: (sender, { number }) => ({
        method: 'GET',
        path: `/channels/gsma/accounts/accountid/${number}/bills`,
        headers: bearer(sender),
      }),
      pay: (sender, { number, receipt, amount, payer }) => ({
        path: `/channels/gsma/bills/${number}/payments`,
        headers: bearer(sender),
        body: JSON.stringify({
          amountPaid: amount,
          currency: 'TZS',
          requestingOrganisationTransactionReference: receipt,
          metadata: [
            { key: 'msisdn', value: payer },
            { key: 'fullName', value: NAME },
          ],
        }),
      }),
    },
    read({ status, body, headers }) {
      assert.ok(!Number.isNaN(Date.parse(String(headers['x-date']))));
      if (status === 503) assert.equal(headers['retry-after'], '5');
      return status < 300 ? String(status) : `${status} ${errorSchema.parse(body).errorCode}`;
    },
  },
  'airtel-paybill': {
    open: ({ user, secret }) =>
      createAirtelPaybillDoors({ username: user, password: secret, receiptIn: 'REFERENCE1' }),
    messages: { validate: toAirtel('validate'), pay: toAirtel('process') },
    read({ status, text, headers }) {
      assert.match(String(headers['content-type']), /^text\/xml/);
      return `${status} ${readReply(Buffer.from(text))?.STATUS}`;
    },
  },
  'mixx-w2a': {
    open: ({ user, secret }) => createMixxBillDoors({ username: user, password: secret }),
    messages: { ask: toMixx('lookup'), pay: toMixx('pay') },
    read({ status, text, headers }) {
      assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
      return `${status} ${readMixxAnswer(Buffer.from(text))?.code}`;
    },
  },
  'halopesa-bills': {
    open: ({ user, secret, key }) =>
      createHalopesaBillDoors({ username: user, password: secret, secret: key }),
    messages: {
      pay: ({ user, secret, key }, { number, receipt, amount, payer }) => {
        const request = {
          requestId: receipt,
          username: user,
          password: secret,
          requestTime: wireTime(Date.now()),
          amount,
          sender: payer,
          accountId: '100006',
          reference: number,
          businessNumber: '400200',
          functionCode: 'PAYMENT',
        };
        const checkSum = checkSumOf(request, key);
        return { path: '/channels/halopesa-bill', body: writeRequest({ ...request, checkSum }) };
      },
    },
    read: ({ status, text }) => `${status} ${JSON.parse(text).responseType}`,
  },
  'mpesa-broker': {
    open: ({ user, secret }) =>
      createMpesaBrokerDoors({
        settings: mpesaBrokerSettings.parse({
          spId: user,
          password: secret,
          resultUrl: 'http://127.0.0.1:1/',
        }),
        log,
      }),
    messages: {
      pay: ({ user, secret }, { number, receipt, amount, payer }) => {
        const timestamp = timestampOf(new Date());
        const password = spPasswordOf({ spId: user, password: secret, timestamp }, 'base64');
        const body = writeBrokerPayment({
          spId: user,
          spPassword: password,
          timestamp,
          amount,
          commandId: 'Pay Bill',
          initiator: payer,
          originatorConversationId: 'O',
          recipient: '1',
          mpesaReceipt: receipt,
          transactionDate: '2026-01-08 12:00:00',
          accountReference: number,
          transactionId: 'T',
          conversationId: 'C',
        });
        return { path: '/channels/mpesa-broker', body };
      },
    },
    read: ({ status }) => String(status),
  },
};

export type MixxBill = {
  step: 'lookup' | 'pay';
  receipt: string | null;
  msisdn: string | null;
  amount: string | null;
  companyName: string | null;
  controlNumber: string;
  senderName: string | null;
};

export function writeMixxBill({ step, ...bill }: MixxBill): string {
  const isPay = step === 'pay';
  return commandXml(isPay ? 'SYNC_BILLPAY_REQUEST' : 'SYNC_LOOKUP_REQUEST', [
    ...(isPay ? [['TXNID', bill.receipt ?? ''] as const] : []),
    ['MSISDN', bill.msisdn ?? ''],
    ...(isPay ? [['AMOUNT', bill.amount ?? ''] as const] : []),
    ['COMPANYNAME', bill.companyName ?? ''],
    ['CUSTOMERREFERENCEID', bill.controlNumber],
    ...(isPay ? [['SENDERNAME', bill.senderName ?? ''] as const] : []),
  ]);
}

/** Our answer to one; null when it is none, or says two things. */
export function readMixxAnswer(bytes: Buffer) {
  const answer = readXml(bytes) && readCommand(bytes);
  const [result, code] = [answer?.text('RESULT') ?? null, answer?.text('ERRORCODE') ?? null];
  if (!answer || code === null || (result === 'TS') !== (code === 'error000')) return null;
  return {
    step: answer.type === 'SYNC_LOOKUP_RESPONSE' ? 'lookup' : 'pay',
    receipt: answer.text('TXNID'),
    reference: answer.text('REFID'),
    accepted: result === 'TS',
    code,
    message: answer.text('ERRORDESC') ?? answer.text('ERRORDESCRIPTION') ?? '',
    msisdn: answer.text('MSISDN'),
    content: answer.text('CONTENT') ?? '',
  };
}
