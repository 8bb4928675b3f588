import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { bankPayoutBody, type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { assertShape, receiptUrl, type Shape, sentence, timestamp, uuid } from '../support/shape.ts';
import { cli, receivedEvents } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { cancelledOrder, openShop, type Shop, textOrNull } from './shop.ts';

const PASSPHRASE = 'correct horse battery staple';

/** As `printf %s "$body" | openssl dgst -sha256 -hmac "$passphrase"` prints it. */
function opensslHmac(body: string, passphrase: string): string {
  const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', passphrase], { input: body });
  return /([0-9a-f]{64})\s*$/.exec(printed.toString())?.[1] ?? assert.fail(printed.toString());
}

describe('callbacks, as a receiver gets them', function () {
  this.timeout(60_000);
  let shop: Shop;

  before(async () => {
    shop = await openShop({ balance: 10_000_000 });
    await shop.send('PUT', 'callbacks/settings', {
      callback_url: shop.gateway.local.callback_url,
      passphrase: PASSPHRASE,
    });
  });

  const delivered = (id: string): Promise<Json> =>
    until(async () => (await receivedEvents(shop.gateway, id))[0], `a callback about ${id} arrives`);

  const eventOf = async (path: string, body: unknown) =>
    delivered((await shop.post(path, body)).json.transaction_id);

  const common = {
    event_id: /^evt_[0-9a-f]{32}$/,
    sequence: 1,
    transaction_id: uuid,
    transaction_currency: 'TZS',
    created_at: timestamp,
    timestamp,
  };
  const payment = (more: Record<string, Shape>): Shape => ({
    ...common,
    transaction_mode: 'ussd',
    channel: { name: 'M-PESA', reference: textOrNull },
    metadata: { order_id: 'INV-1' },
    updated_at: timestamp,
    ...more,
  });
  const mobile = (ending: string, more: Record<string, Shape>): Shape => ({
    ...common,
    transaction_mode: 'mobile',
    channel: { name: 'm-pesa', reference: sentence },
    amount: { value: '50,000.00' },
    payout_reference: /^PO[0-9A-HJKMNP-TV-Z]{16}$/,
    beneficiary: { phone_number: `0754123${ending}`, phone_network: 'm-pesa', full_name: textOrNull },
    metadata: { order_id: 'WD-1' },
    ...more,
  });
  const bank = (ending: string, more: Record<string, Shape>): Shape => ({
    ...common,
    transaction_mode: 'bank',
    channel: { name: 'crdb_bank', reference: sentence },
    amount: { value: '400,000.00' },
    payout_reference: /^PO[0-9A-HJKMNP-TV-Z]{16}$/,
    beneficiary: { bank_account: `0150123456${ending}`, bank_name: 'CRDB BANK', bank_bic: 'CORUTZTZ' },
    metadata: { order_id: 4001 },
    ...more,
  });

  const cases: [name: string, path: string, body: unknown, shape: Shape][] = [
    [
      'payment.received',
      'payments/ussd',
      pushBody(),
      payment({
        event: 'payment.received',
        amount: { value: '5,000.00', fee: '100.00', settled: '4,900.00' },
        customer: { phone_number: '0754123456', full_name: textOrNull },
        receipt_url: receiptUrl,
      }),
    ],
    [
      'payment.failed',
      'payments/ussd',
      pushBody('039'),
      payment({
        event: 'payment.failed',
        amount: { value: '5,000.00' },
        customer: { phone_number: '0754123039', full_name: textOrNull },
        failure_reason: 'Customer declined the payment',
        failure_code: 'customer_declined',
      }),
    ],
    [
      'payout.completed of a mobile payout',
      'payouts/mobile',
      mobilePayoutBody(),
      mobile('456', {
        event: 'payout.completed',
        fee: '1,000.00',
        paid_at: timestamp,
        receipt_url: receiptUrl,
      }),
    ],
    [
      'payout.failed of a mobile payout',
      'payouts/mobile',
      mobilePayoutBody('029'),
      mobile('029', {
        event: 'payout.failed',
        failure_reason: 'Recipient phone number is invalid',
        failure_code: 'recipient_not_found',
        paid_at: null,
      }),
    ],
    [
      'payout.completed of a bank payout',
      'payouts/bank',
      bankPayoutBody(),
      bank('789', {
        event: 'payout.completed',
        fee: '2,360.00',
        paid_at: timestamp,
        receipt_url: receiptUrl,
      }),
    ],
    [
      'payout.failed of a bank payout',
      'payouts/bank',
      bankPayoutBody('029'),
      bank('029', {
        event: 'payout.failed',
        failure_reason: 'Bank account not found',
        failure_code: 'invalid_account',
        paid_at: null,
      }),
    ],
  ];

  for (const [name, path, body, shape] of cases) {
    it(`${name} has the published members and no other`, async () => {
      const { body: text, headers } = await eventOf(path, body);
      assertShape(JSON.parse(text), shape);
      assert.equal(text, JSON.stringify(JSON.parse(text)), 'one line, no white space');
      assert.equal(headers['content-type'], 'application/json');
      assert.match(headers['user-agent'], /\S/);
      const { json } = await shop.get(`${path.split('/')[0]}/${JSON.parse(text).transaction_id}`);
      const shown = json.payment ?? json.payout;
      assert.equal(JSON.parse(text).event, shown.event);
      assert.equal(JSON.parse(text).timestamp, shown.updated_at);
    });
  }

  it('a cancelled order sends a failure with the code cancelled', async () => {
    for (const [path, body] of [
      ['payments/ussd', pushBody()],
      ['payouts/mobile', mobilePayoutBody()],
    ] as const) {
      const { json } = await cancelledOrder(shop, path, body);
      const shown = json.payment ?? json.payout;
      const event = JSON.parse((await delivered(shown.transaction_id)).body);
      assert.equal(event.event, `${json.payment ? 'payment' : 'payout'}.failed`);
      assert.equal(event.failure_code, 'cancelled');
      assert.equal(event.failure_reason, 'Cancelled before the money moved');
      assert.equal(event.channel.reference, json.payment ? null : shown.payout_reference);
      if (json.payout) assert.equal(event.paid_at, null);
    }
  });

  it('a passphrase signs them so that openssl and a Standard Webhooks library agree', async () => {
    const { body, headers } = await eventOf('payments/ussd', pushBody());
    assert.equal(headers['service-signature'], opensslHmac(body, PASSPHRASE));
    const webhook = new Webhook(PASSPHRASE, { format: 'raw' });
    assert.deepEqual(webhook.verify(body, headers), JSON.parse(body));
    assert.equal(headers['webhook-id'], JSON.parse(body).event_id);
    assert.throws(() => webhook.verify(`${body} `, headers));
    assert.throws(() => new Webhook('another', { format: 'raw' }).verify(body, headers));
  });

  it('so does the whsec_ passphrase of the demo account, which a library takes as it is', async () => {
    const { gateway } = shop;
    const { json } = await gateway.request('POST', 'payments/ussd', { key: 'demo-1', body: pushBody() });
    const { body, headers } = await delivered(json.transaction_id);
    const { passphrase } = gateway.local;
    assert.ok(passphrase.startsWith('whsec_'));
    assert.equal(headers['service-signature'], opensslHmac(body, passphrase));
    assert.deepEqual(new Webhook(passphrase).verify(body, headers), JSON.parse(body));
  });

  it('the new passphrase signs at once after a change, and the old one beside it for a while', async () => {
    const changing = await openShop();
    const set = (passphrase: string | null) =>
      changing.send('PUT', 'callbacks/settings', {
        callback_url: changing.gateway.local.callback_url,
        passphrase,
      });
    await set('the first passphrase of this shop');
    await set('the second passphrase of it');
    const { json } = await changing.post('payments/ussd', pushBody());
    const { body, headers } = await delivered(json.transaction_id);
    assert.equal(headers['service-signature'], opensslHmac(body, 'the second passphrase of it'));
    for (const secret of ['the first passphrase of this shop', 'the second passphrase of it'])
      new Webhook(secret, { format: 'raw' }).verify(body, headers);
    assert.equal(headers['webhook-signature'].split(' ').length, 2);

    await set(null);
    const unsigned = await changing.post('payments/ussd', pushBody());
    const { headers: bare } = await delivered(unsigned.json.transaction_id);
    assert.equal(bare['service-signature'], undefined);
    assert.equal(bare['webhook-signature'], undefined);
    assert.match(bare['webhook-id'], /^evt_/);
    assert.match(bare['webhook-timestamp'], /^\d{10}$/);
  });

  it('belong to the key: revoking it does not stop the callbacks of its payments', async () => {
    const leaving = await openShop();
    await leaving.send('PUT', 'callbacks/settings', {
      callback_url: leaving.gateway.local.callback_url,
      passphrase: PASSPHRASE,
    });
    // The answer takes ten seconds, the command line less.
    const { json } = await leaving.post('payments/ussd', pushBody('219'));
    await cli(leaving.gateway, 'keys', 'revoke', leaving.apiKey.split('_')[2] ?? '', '--reason', 'r');
    const { body, headers } = await delivered(json.transaction_id);
    assert.equal(JSON.parse(body).event, 'payment.received');
    assert.equal(headers['service-signature'], opensslHmac(body, PASSPHRASE));
  });
});
