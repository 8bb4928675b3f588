import assert from 'node:assert/strict';
import { createAirtelPaybillDoors } from '../../../src/channels/airtel-paybill/bill-door.ts';
import { writeCommand } from '../../../src/channels/airtel-paybill/bill-wire.ts';
import { createBillJsonDoors } from '../../../src/channels/bill-json/door.ts';
import { createGsmaBillDoors } from '../../../src/channels/gsma/bill-door.ts';
import { createHalopesaBillDoors } from '../../../src/channels/halopesa/bill-door.ts';
import { checkSumOf, wireTime, writeRequest } from '../../../src/channels/halopesa/wire.ts';
import type { BillDoors } from '../../../src/channels/kit/door.ts';
import { createMixxBillDoors } from '../../../src/channels/mixx/bill-door.ts';
import { createMpesaBrokerDoors } from '../../../src/channels/mpesa-broker/bill-door.ts';
import { mpesaBrokerSettings } from '../../../src/channels/mpesa-broker/settings.ts';
import { spPasswordOf, timestampOf } from '../../../src/channels/mpesa-broker/wire.ts';
import { writeBrokerPayment } from '../../support/network-messages.ts';
import { billConnectionOf } from '../support/bill-networks.ts';
import { makeBill } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

type Message = { path: string; headers?: Record<string, string>; body: string };
type Paid = { number: string; receipt: string };
type Kind = { open(secret: string): BillDoors; message(secret: string, paid: Paid): Message };

const NAME = 'the same name';
const log = { info: () => {}, warn: () => {}, error: () => {} };

/** Each protocol with one user name for all connections, so that nothing but the secret tells them apart. */
const kinds: Record<string, Kind> = {
  'bill-json': {
    open: (secret) => createBillJsonDoors({ tokens: [secret] }),
    message: (secret, { number, receipt }) => ({
      path: '/channels/bill/notification',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ transid: receipt, utilityref: number, amount: 25_000, msisdn: '255754000001' }),
    }),
  },
  'gsma-bills': {
    open: (secret) => createGsmaBillDoors([secret]),
    message: (secret, { number, receipt }) => ({
      path: `/channels/gsma/bills/${number}/payments`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({
        amountPaid: '25000.00',
        currency: 'TZS',
        requestingOrganisationTransactionReference: receipt,
      }),
    }),
  },
  'airtel-paybill': {
    open: (password) => createAirtelPaybillDoors({ username: NAME, password, receiptIn: 'REFERENCE1' }),
    message: (password, { number, receipt }) => ({
      path: '/channels/airtel-paybill/process',
      body: writeCommand({
        USERNAME: NAME,
        PASSWORD: password,
        AMOUNT: '25000',
        REFERENCE: number,
        REFERENCE1: receipt,
      }),
    }),
  },
  'mixx-w2a': {
    open: (password) => createMixxBillDoors({ username: NAME, password }),
    message: (password, { number, receipt }) => ({
      path: '/channels/mixx-w2a',
      headers: { authorization: `Basic ${Buffer.from(`${NAME}:${password}`).toString('base64')}` },
      body: `<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE><TXNID>${receipt}</TXNID><MSISDN>255654000001</MSISDN><AMOUNT>25000</AMOUNT><COMPANYNAME>M</COMPANYNAME><CUSTOMERREFERENCEID>${number}</CUSTOMERREFERENCEID></COMMAND>`,
    }),
  },
  'halopesa-bills': {
    open: (password) => createHalopesaBillDoors({ username: NAME, password, secret: `${password} key` }),
    message: (password, { number, receipt }) => {
      const request = {
        requestId: receipt,
        username: NAME,
        password,
        requestTime: wireTime(Date.now()),
        amount: '25000',
        sender: '255624123456',
        accountId: '1',
        reference: number,
        businessNumber: '1',
        functionCode: 'PAY',
      };
      const checkSum = checkSumOf(request, `${password} key`);
      return { path: '/channels/halopesa-bill', body: writeRequest({ ...request, checkSum }) };
    },
  },
  'mpesa-broker': {
    open: (password) =>
      createMpesaBrokerDoors({
        settings: mpesaBrokerSettings.parse({ spId: NAME, password, resultUrl: 'http://127.0.0.1:1/' }),
        log,
      }),
    message: (password, { number, receipt }) => {
      const timestamp = timestampOf(new Date());
      return {
        path: '/channels/mpesa-broker',
        body: writeBrokerPayment({
          spId: NAME,
          spPassword: spPasswordOf({ spId: NAME, password, timestamp }, 'base64'),
          timestamp,
          amount: '25000',
          commandId: 'Pay Bill',
          initiator: '255754000001',
          originatorConversationId: 'O',
          recipient: '1',
          mpesaReceipt: receipt,
          transactionDate: '2026-01-08 12:00:00',
          accountReference: number,
          transactionId: 'T',
          conversationId: 'C',
        }),
      };
    },
  },
};

const secretOf = (id: string) => `the secret of ${id}`.replaceAll(' ', '-');

describe('two connections of one protocol at one bill door', () => {
  const billConnections = Object.entries(kinds).flatMap(([protocol, { open }]) =>
    ['one', 'two'].map((which) => {
      const id = `${protocol}-${which}`;
      return billConnectionOf('t-pesa', open(secretOf(id)), id);
    }),
  );
  const { api, test } = useTestApi({ poolMax: 10, billConnections });
  const send = ({ path, headers, body }: Message) =>
    fetch(`http://127.0.0.1:${api.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml', ...headers },
      body,
    });
  const receiptsOf = async (receipt: string) =>
    (
      await test.database.query('SELECT connection, outcome FROM bill_receipts WHERE receipt = $1', [receipt])
    ).rows.map(({ connection, outcome }) => [connection, outcome]);

  for (const [protocol, { message }] of Object.entries(kinds)) {
    for (const which of ['one', 'two'])
      it(`each is let in with its own proof, and is noted beside the payment (${protocol}, ${which})`, async () => {
        const id = `${protocol}-${which}`;
        const { number } = await makeBill(api);
        const answer = await send(message(secretOf(id), { number, receipt: id }));
        assert.ok(answer.status < 300, `${answer.status} ${await answer.text()}`);
        assert.deepEqual(await receiptsOf(id), [[id, 'accepted']]);
      });

    it(`opens to no proof of another protocol (${protocol})`, async () => {
      const { number } = await makeBill(api);
      for (const other of Object.keys(kinds).filter((name) => name !== protocol)) {
        const receipt = `${protocol} by ${other}`;
        const answer = await send(message(secretOf(`${other}-one`), { number, receipt }));
        assert.equal(answer.status, 401, receipt);
        assert.deepEqual(await receiptsOf(receipt), []);
      }
    });
  }

  it('opens to the broker’s name and password nowhere without its hash', async () => {
    const { number } = await makeBill(api);
    const secret = secretOf('mpesa-broker-one');
    for (const protocol of ['airtel-paybill', 'mixx-w2a']) {
      const receipt = `bare ${protocol}`;
      const answer = await send(kinds[protocol]?.message(secret, { number, receipt }) ?? assert.fail());
      assert.equal(answer.status, 401);
      assert.deepEqual(await receiptsOf(receipt), []);
    }
  });
});

describe('an Airtel connection whose receipts are REFERENCE2', () => {
  const account = { username: 'two', password: 'p'.repeat(24), receiptIn: 'REFERENCE2' } as const;
  const own = billConnectionOf('airtel-money', createAirtelPaybillDoors(account), 'ref2');
  const { api, test } = useTestApi({ poolMax: 10, billConnections: [own] });

  it('knows a payment by that field alone: without it there is no payment', async () => {
    const { number } = await makeBill(api);
    const process = async (fields: Record<string, string>) => {
      const credentials = { USERNAME: account.username, PASSWORD: account.password };
      const answer = await fetch(`http://127.0.0.1:${api.port}/channels/airtel-paybill/process`, {
        method: 'POST',
        body: writeCommand({ ...credentials, AMOUNT: '25000', REFERENCE: number, ...fields }),
      });
      return answer.status;
    };
    assert.equal(await process({ REFERENCE1: 'R1' }), 400);
    assert.equal((await test.database.query('SELECT 1 FROM bill_receipts')).rows.length, 0);
    assert.equal(await process({ REFERENCE1: 'R1', REFERENCE2: 'R2' }), 200);
    const { rows } = await test.database.query('SELECT receipt, connection FROM bill_receipts');
    assert.deepEqual(rows, [{ receipt: 'R2', connection: 'ref2' }]);
  });
});
