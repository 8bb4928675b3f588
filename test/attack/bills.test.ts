// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { signRequest } from '../../src/channels/kit/signature.ts';
import { knock, openVictim, SIGNING_KEY, useTarget, type Victim } from './target.ts';

describe('attack: the door of bills', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  let bill: { id: string; number: string };
  beforeEach(async () => {
    victim = await openVictim(target);
    const body = { amount: 1_000, payment_number: randomUUID(), payment_mode: 'flexible', description: 'x' };
    const { json, text } = await victim.send('POST', 'payments/billpay', body);
    assert.ok(json.transaction_id, text);
    bill = { id: json.transaction_id, number: json.bill.reference };
  });

  const NOTIFICATION = '/channels/bill/notification';
  const bodyOf = (amount: number | string, receipt = randomUUID()) =>
    JSON.stringify({
      transid: receipt,
      reference: 'OP-1',
      utilityref: bill.number,
      amount: String(amount),
      msisdn: '255654123456',
    });
  const tell = (network: string, body: string, headers: Record<string, string> = {}, path = NOTIFICATION) =>
    knock(`${target.local.api_url}${path}`, {
      body,
      headers: {
        authorization: `Bearer ${target.local.bill_tokens[network]}`,
        'content-type': 'application/json',
        ...headers,
      },
      from: '203.0.113.30',
    });
  const earned = async () => (await victim.money()).current - 100_000_000;
  const status = async () => (await victim.send('GET', `payments/${bill.id}`)).json.status;

  it('takes no 10 billion for a bill of 1,000, neither asked before nor just told', async () => {
    for (const amount of [10_000_000_000, '9007199254740993', '1e12', '-5', '0', 'NaN', '10.999', '']) {
      for (const path of ['/channels/bill/validation', NOTIFICATION])
        await tell('airtel-money', bodyOf(amount), {}, path);
      assert.equal(await earned(), 0, String(amount));
      assert.equal(await status(), 'pending', String(amount));
    }
  });

  it('takes one payment once, however often and by however many connections it is told', async () => {
    const body = bodyOf(1_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell('airtel-money', body)));
    assert.ok(answers.every((answer) => answer.json.result === 'SUCCESS'));
    const once = await earned();
    assert.ok(once > 0 && once <= 100_000, String(once));
    await tell('airtel-money', body);
    assert.equal(await earned(), once);
  });

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
