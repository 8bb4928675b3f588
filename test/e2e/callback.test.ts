import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { receivedEvents } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { cancelledOrder, openShop, type Shop } from './shop.ts';

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
});
