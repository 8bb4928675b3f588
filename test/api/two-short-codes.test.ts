import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readReply } from '../../sandbox/simulator/airtel-paybill/wire.ts';
import { writeCommand } from '../../src/channels/airtel-paybill/bill-wire.ts';
import { createChannels } from '../../src/channels/kit/registry.ts';
import { readResponse, spPasswordOf, timestampOf } from '../../src/channels/mpesa-broker/wire.ts';
import { readPlan } from '../support/channels-file.ts';
import { ringOf } from '../support/key-rings.ts';
import { createMerchant } from '../support/merchant.ts';
import { writeBrokerPayment } from '../support/network-messages.ts';
import { freshKey } from './support/api.ts';
import { makeBill } from './support/bills.ts';
import { push } from './support/bodies.ts';
import { completedPush } from './support/completed-push.ts';
import { useTestApi } from './support/use-api.ts';

/** Two accounts at M-Pesa and two at Airtel in one file: a merchant has the second ones, everybody else the first. */
describe('two short codes of one network', () => {
  const { api, test, restart } = useTestApi({ poolMax: 10 });
  let shop = { accountId: '', key: '' };

  const gsma = { protocol: 'gsma-mm-1.2', settings: { url: 'https://gsma.example.com/' } };
  const broker = (shortCode: string, password: string[]) => ({
    protocol: 'mpesa-broker',
    settings: { spId: '888000', shortCode, password, resultUrl: 'http://127.0.0.1:1/' },
  });
  const paybill = (shortCode: string, password: string) => ({
    protocol: 'airtel-paybill',
    settings: { username: 'airtel', password, shortCode },
  });

  before(async () => {
    const { accountId } = await createMerchant(test.database, { balance: 1_000_000 });
    const file = {
      connections: {
        'm-pesa-1': gsma,
        'm-pesa-2': gsma,
        'm-pesa-out': gsma,
        'm-pesa-bills-1': broker('400100', ['the new one of 1', 'the old one of 1']),
        'm-pesa-bills-2': broker('400200', ['the new one of 2', 'the old one of 2']),
        // Of Airtel a password is replaced by a second connection.
        'airtel-bills-1': paybill('780000001', 'the old one of 1'),
        'airtel-bills-1-new': paybill('780000001', 'the new one of 1'),
        'airtel-bills-2': paybill('780000002', 'of 2'),
      },
      networks: {
        'm-pesa': { payments: 'm-pesa-1', payouts: 'm-pesa-1', bills: ['m-pesa-bills-1'] },
        'airtel-money': { bills: ['airtel-bills-1', 'airtel-bills-1-new'] },
      },
      routes: {
        [accountId]: {
          'm-pesa': { payments: 'm-pesa-2', payouts: 'm-pesa-out', bills: ['m-pesa-bills-2'] },
          'airtel-money': { bills: ['airtel-bills-2'] },
        },
      },
    };
    const world = { publicUrl: 'https://pay.example.com', notificationSecrets: ringOf(), log: console };
    const channels = createChannels(readPlan(file), world);
    await restart({ routeOf: channels.routeOf, billConnections: channels.billConnections });
    shop = { accountId, key: (await api.createKey({ accountId })).apiKey };
  });

  const connectionOf = async (id: string) => {
    const found = await test.database.query('SELECT connection FROM transactions WHERE id = $1', [id]);
    return found.rows[0].connection;
  };
  /** The same API as its second merchant sees it. */
  const asShop = {
    call: ((method, path, sent) => api.call(method, path, { key: shop.key, ...sent })) as typeof api.call,
  };

  async function askAirtel(step: string, number: string, as: { code: string; password: string }) {
    const raw = writeCommand({
      TYPE: 'C2B',
      CUSTOMERMSISDN: '784123456',
      MERCHANTMSISDN: as.code,
      AMOUNT: '25000',
      REFERENCE: number,
      USERNAME: 'airtel',
      PASSWORD: as.password,
      REFERENCE1: randomUUID(),
    });
    const headers = { 'content-type': 'text/xml' };
    const answer = await api.call('POST', `/channels/airtel-paybill/${step}`, { key: null, raw, headers });
    return answer.status === 200 ? readReply(Buffer.from(answer.text))?.STATUS : answer.status;
  }

  async function payOverBroker(number: string, as: { code: string; password: string }): Promise<string> {
    const receipt = randomUUID().slice(0, 10);
    const timestamp = timestampOf(new Date());
    const raw = writeBrokerPayment({
      spId: '888000',
      spPassword: spPasswordOf({ spId: '888000', password: as.password, timestamp }),
      timestamp,
      amount: '25000',
      commandId: 'Pay Bill',
      initiator: '255754123456',
      recipient: as.code,
      mpesaReceipt: receipt,
      accountReference: number,
      transactionDate: null,
      originatorConversationId: 'o',
      transactionId: 't',
      conversationId: 'c',
    });
    const headers = { 'content-type': 'text/xml' };
    const answer = await api.call('POST', '/channels/mpesa-broker', { key: null, raw, headers });
    if (answer.status !== 200) return String(answer.status);
    assert.equal(readResponse(Buffer.from(answer.text))?.responseCode, '0');
    const sql = 'SELECT connection, outcome FROM bill_receipts WHERE receipt = $1';
    const { rows } = await test.database.query(sql, [receipt]);
    return `${rows[0].outcome} over ${rows[0].connection}`;
  }

  it('carry the payments of their own merchants, and the refunds leave by the payouts route of the payment’s account', async () => {
    for (const [who, payments, payouts] of [
      [api, 'm-pesa-1', 'm-pesa-1'],
      [asShop, 'm-pesa-2', 'm-pesa-out'],
    ] as const) {
      const id = await completedPush(test.database, who);
      assert.equal(await connectionOf(id), payments);
      const refund = await who.call('POST', `payments/${id}/refunds`, { headers: freshKey(), body: {} });
      assert.equal(await connectionOf(refund.body.transaction_id), payouts, refund.text);
      const payout = await who.call('POST', 'payouts/mobile', { headers: freshKey(), body: push });
      assert.equal(await connectionOf(payout.body.transaction_id), payouts, payout.text);
    }
  });

  it('take bills each by its own door, with the new secret and the old one', async () => {
    for (const [who, code, passwords] of [
      [api, '400100', ['the new one of 1', 'the old one of 1']],
      [asShop, '400200', ['the new one of 2', 'the old one of 2']],
    ] as const)
      for (const password of passwords) {
        const { number } = await makeBill(who as typeof api);
        assert.equal(
          await payOverBroker(number, { code, password }),
          `accepted over m-pesa-bills-${code === '400100' ? 1 : 2}`,
        );
      }
    assert.equal(
      await payOverBroker('770000000049', { code: '400100', password: 'the new one of 2' }),
      '401',
      'the secret of the one is none of the other',
    );
    assert.equal(
      await payOverBroker('770000000049', { code: '400300', password: 'the new one of 2' }),
      '401',
    );
  });

  it('let nobody begin to pay a bill at the door of others, and lose no money that came there', async () => {
    const { number } = await makeBill(asShop as typeof api);
    const own = { code: '780000002', password: 'of 2' };
    for (const password of ['the old one of 1', 'the new one of 1'])
      assert.equal(await askAirtel('validate', number, { code: '780000001', password }), '400');
    assert.equal(await askAirtel('validate', number, own), '200');
    assert.equal(await askAirtel('validate', number, { ...own, code: '780000001' }), 401);
    const there = { code: '780000001', password: 'the new one of 1' };
    assert.equal(await askAirtel('process', number, there), '200', 'both numbers are ours');
  });
});
