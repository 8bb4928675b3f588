// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { signRequest } from '../../src/channels/kit/signature.ts';
import { knock, openVictim, SIGNING_KEY, useTarget, type Victim } from './target.ts';

describe('attack: the door of bills', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  let number: string;
  beforeEach(async () => {
    victim = await openVictim(target);
    const body = { amount: 1_000, payment_number: randomUUID(), payment_mode: 'flexible', description: 'x' };
    const { json, text } = await victim.send('POST', 'payments/billpay', body);
    assert.ok(json.bill, text);
    number = json.bill.reference;
  });

  const NOTIFICATION = '/channels/bill/notification';
  const bodyOf = (amount: number) =>
    JSON.stringify({
      transid: randomUUID(),
      reference: 'OP-1',
      utilityref: number,
      amount: String(amount),
      msisdn: '255654123456',
    });
  const tell = (network: string, body: string, headers: Record<string, string>) =>
    knock(`${target.local.api_url}${NOTIFICATION}`, {
      body,
      headers: {
        authorization: `Bearer ${target.local.bill_tokens[network]}`,
        'content-type': 'application/json',
        ...headers,
      },
      from: '203.0.113.30',
    });
  const earned = async () => (await victim.money()).current - 100_000_000;

  describe('where messages are to be signed', () => {
    const sign = (
      body: string,
      changes: { secret?: string; path?: string; at?: number; name?: string } = {},
    ) => {
      const {
        secret = SIGNING_KEY.secret,
        path = NOTIFICATION,
        at = Date.now(),
        name = SIGNING_KEY.name,
      } = changes;
      const signer = { secrets: [secret], now: new Date(at) };
      return { 'x-signature': `k=${name},${signRequest({ method: 'POST', path, body }, signer)}` };
    };

    it('a token alone takes no payment, nor does a signature of something else', async () => {
      const body = bodyOf(1_000);
      const tried: Record<string, string>[] = [
        {},
        { 'x-signature': '' },
        sign(bodyOf(999)),
        sign(body, { secret: target.local.bill_tokens['tigo-pesa'] ?? '' }),
        sign(body, { path: '/channels/bill/validation' }),
        sign(body, { name: '2025-z' }),
        sign(body, { at: Date.now() - 3_600_000 }),
      ];
      for (const headers of tried) {
        const { status: http, text } = await tell('tigo-pesa', body, headers);
        assert.equal(http, 401, text);
      }
      assert.equal(await earned(), 0);
      assert.equal(
        (await tell('airtel-money', body, sign(body))).status,
        200,
        'another network’s is its own',
      );
    });

    it('a signed message that was caught and is sent again moves nothing', async () => {
      const body = bodyOf(1_000);
      const headers = sign(body);
      assert.equal((await tell('tigo-pesa', body, headers)).json.result, 'SUCCESS');
      const once = await earned();
      assert.ok(once > 0);
      await tell('tigo-pesa', body, headers);
      assert.equal(await earned(), once);
    });
  });
});
