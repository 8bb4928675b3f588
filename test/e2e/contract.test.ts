import assert from 'node:assert/strict';
import { type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { assertShape, isBoolean, isNumber, sentence, timestamp, uuid } from '../support/shape.ts';
import { until } from '../support/wait.ts';
import {
  assertAnswer,
  cancelledOrder,
  lookupShape,
  openShop,
  paymentShape,
  type Shop,
  textOrNull,
} from './shop.ts';

/** Every answer, field by field: a member too many is as wrong as one too few. Payouts have a file of their own. */
describe('answers about payments and the account', function () {
  this.timeout(90_000);
  let shop: Shop;

  before(async () => {
    shop = await openShop({ balance: 1_000_000 });
  });

  it('a USSD push, created and completed', async () => {
    const created = await shop.post('payments/ussd', pushBody());
    assertAnswer(created, {
      success: true,
      message: sentence,
      transaction_id: uuid,
      transaction_channel: 'M-PESA',
      amount: { value: 5_000, currency: 'TZS' },
      metadata: { order_id: 'INV-1' },
    });
    const answer = await shop.final(`payments/${created.json.transaction_id}`);
    assertAnswer(
      answer,
      lookupShape('completed', {
        payment: paymentShape({ event: 'payment.received', fee: '100.00', settled: '4,900.00' }),
      }),
    );
    const { payment } = answer.json;
    assert.equal(payment.transaction_id, created.json.transaction_id);
    assert.match(payment.channel.reference, /\S/);
    assert.ok(payment.updated_at > payment.created_at);
    assert.equal(payment.timestamp, payment.updated_at);
  });

  it('a payment that waits says for what and until when, and what is done when that is over', async () => {
    const { json } = await shop.post('payments/ussd', pushBody('129'));
    const reasons = [
      /^Waiting .* PIN.* until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      /not confirmed.*next enquiry at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    ];
    for (const status_reason of reasons) {
      const answer = await until(async () => {
        const asked = await shop.get(`payments/${json.transaction_id}`);
        return status_reason.test(asked.json.payment.status_reason) ? asked : null;
      }, `the reason is ${status_reason}`);
      const payment = paymentShape({
        customer: { full_name: textOrNull, phone_number: '0754123129' },
        event: 'payment.pending',
        status_reason,
      });
      assertAnswer(answer, lookupShape('pending', { payment }));
      assert.equal(answer.json.payment.created_at, answer.json.payment.timestamp);
    }
  });

  it('a failed payment', async () => {
    const { json } = await shop.post('payments/ussd', { ...pushBody('039'), metadata: null });
    assert.deepEqual(json.metadata, {});
    const payment = paymentShape({
      channel: { name: 'M-PESA', reference: /\S/ },
      customer: { full_name: textOrNull, phone_number: '0754123039' },
      metadata: {},
      event: 'payment.failed',
      failure_reason: 'Customer declined the payment',
      failure_code: 'customer_declined',
    });
    assertAnswer(await shop.final(`payments/${json.transaction_id}`), lookupShape('failed', { payment }));
  });

  it('a cancelled payment, told by the cancellation, again, and by the lookup', async () => {
    const cancelled = await cancelledOrder(shop, 'payments/ussd', pushBody());
    const path = `payments/${cancelled.json.payment.transaction_id}`;
    const payment = paymentShape({
      channel: { name: 'M-PESA', reference: null },
      event: 'payment.failed',
      status_reason: sentence,
    });
    for (const answer of [cancelled, await shop.send('POST', `${path}/cancel`), await shop.get(path)])
      assertAnswer(answer, lookupShape('cancelled', { payment }));
  });

  it('what was sent is echoed as it was sent: metadata, and the number in its local form', async () => {
    const metadata = { z: 1.5, a: ['x', null, { b: true }], '\u00e9': 'Sh\u00fblemba' };
    const answer = await shop.post('payments/ussd', {
      ...pushBody(),
      phone_number: '+255 754-123-456',
      metadata,
    });
    const wanted = JSON.stringify(metadata);
    assert.ok(answer.text.includes(wanted), answer.text);
    const lookup = await shop.final(`payments/${answer.json.transaction_id}`);
    assert.ok(lookup.text.includes(wanted), lookup.text);
    assert.equal(lookup.json.payment.customer.phone_number, '0754123456');
  });

  it('a ported number goes to the network that is named', async () => {
    const answer = await shop.post('payments/ussd', {
      ...pushBody('456', 500),
      transaction_channel: 'AIRTEL-MONEY',
    });
    assert.equal(answer.json.transaction_channel, 'AIRTEL-MONEY', answer.text);
    const { json } = await shop.final(`payments/${answer.json.transaction_id}`);
    assert.equal(json.payment.channel.name, 'AIRTEL-MONEY');
    assert.equal(json.status, 'completed');
  });

  it('health, which ignores a bad key', async () => {
    const { gateway } = shop;
    const operations = { payments: 'up', payouts: 'up', callbacks: 'up' };
    const wanted = { success: true, message: sentence, operations };
    assertAnswer(await gateway.request('GET', 'status', { headers: { authorization: 'Bearer x' } }), wanted);
    const bare = await fetch(`${gateway.local.api_url}/api/status`);
    assertShape(await bare.json(), wanted);
  });

  it('the balance, and the entries of a transaction', async () => {
    assertAnswer(await shop.get('balance'), {
      success: true,
      message: sentence,
      currency: 'TZS',
      balance: { current: isNumber, reserved: isNumber },
    });
    const { json } = await shop.post('payouts/mobile', mobilePayoutBody('129'));
    const entry = (account: string, amount: string) => ({
      transfer_id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      kind: 'hold',
      account,
      amount,
      created_at: timestamp,
    });
    const answer = await shop.get(`transactions/${json.transaction_id}/entries`);
    assertAnswer(answer, {
      success: true,
      message: sentence,
      transaction_id: json.transaction_id,
      entries: [entry('available', '-51,000.00'), entry('held', '51,000.00')],
    });
    const [one, two] = answer.json.entries as Json[];
    assert.equal(one.transfer_id, two.transfer_id);
  });

  it('callback settings: what is left out stays, null removes, the passphrase is never shown', async () => {
    const settings = {
      success: true,
      message: sentence,
      callback_url: textOrNull,
      passphrase_set: isBoolean,
      enabled: isBoolean,
      disabled_reason: null,
      events: (names: unknown) => Array.isArray(names) && names.includes('payment.received'),
      updated_at: timestamp,
    };
    assertAnswer(await shop.get('callbacks/settings'), settings);
    const put = (body: unknown) => shop.send('PUT', 'callbacks/settings', body);
    const saved = await put({
      callback_url: 'https://shop.example/callbacks',
      passphrase: 'correct horse battery staple',
    });
    assertAnswer(saved, {
      ...settings,
      callback_url: 'https://shop.example/callbacks',
      passphrase_set: true,
      enabled: true,
    });
    const { json: kept } = await put({ callback_url: 'https://shop.example/other' });
    assert.deepEqual([kept.passphrase_set, kept.callback_url], [true, 'https://shop.example/other']);
    const { json: removed } = await put({ passphrase: null });
    assert.deepEqual([removed.passphrase_set, removed.callback_url], [false, 'https://shop.example/other']);
    const read = await shop.get('callbacks/settings');
    assert.equal(read.json.callback_url, 'https://shop.example/other');
    assert.ok(!read.text.includes('horse'));
  });
});
