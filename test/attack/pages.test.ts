// tests: hard
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { openVictim, useTarget, type Victim } from './target.ts';

describe('attack: the pages to pay on', function () {
  this.timeout(120_000);
  const target = useTarget();
  let victim: Victim;
  let bill: { id: string; url: string };
  const EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  beforeEach(async () => {
    victim = await openVictim(target);
    const body = { amount: 1_000, payment_number: randomUUID(), payment_mode: 'exact', description: EVIL };
    const { json, text } = await victim.send('POST', 'payments/billpay', body);
    assert.ok(json.pay_url, text);
    bill = { id: json.transaction_id, url: json.pay_url };
  });

  /** Every caller from an address of its own, as this machine believes no proxy: the limits of addresses meet all of them. */
  const ask = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const pushes = async () => {
    const { json } = await victim.send('GET', 'transactions?type=payment&per_page=100');
    return json.data.filter((one: { pays?: string }) => one.pays === bill.id).length;
  };

  it('no id, and nothing made of one, is an address', async () => {
    const hex = Buffer.from(bill.id.replaceAll('-', ''), 'hex');
    const guesses = [
      bill.id,
      hex.toString('base64url'),
      hex.toString('hex'),
      randomBytes(16).toString('base64url'),
    ];
    for (const guess of [...guesses, '..%2f..%2fetc%2fpasswd', '%00', 'A'.repeat(8_000), `${EVIL}`]) {
      const answer = await fetch(new URL(`/pay/${encodeURIComponent(guess)}`, bill.url));
      assert.ok([404, 429].includes(answer.status), `${guess}: ${answer.status}`);
      assert.doesNotMatch(await answer.text(), /<script|onerror=|<form/);
    }
  });

  it('60 prompts at once, from as many phones, ring one', async () => {
    const phone = (i: number) => `0754${String(100_000 + i * 1_000 + 1).slice(-6)}`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask(bill.url, { once: `${i}`, phone: phone(i) })),
    );
    assert.ok(answers.filter(({ status }) => status === 303).length <= 1);
    assert.ok((await pushes()) <= 1);
  });

  it('what is typed or described is text, wherever it is shown', async () => {
    for (const fields of [
      { phone: EVIL },
      { phone: '0754000001', network: EVIL },
      { phone: EVIL, once: EVIL },
    ]) {
      const text = await (await ask(bill.url, { once: 'a', ...fields })).text();
      assert.doesNotMatch(text, /<script|<img src=x/);
    }
    const shown = await (await fetch(`${bill.url}?lang=${encodeURIComponent(EVIL)}`)).text();
    assert.doesNotMatch(shown, /<script|<img src=x/);
    assert.ok(shown.includes('&lt;script&gt;'));
  });

  it('no form names another amount, account, bill or price', async () => {
    const fields = {
      once: 'a',
      phone: '0754000001',
      amount: '1',
      pays: randomUUID(),
      fee: '0',
      account_id: randomUUID(),
    };
    await ask(bill.url, fields);
    const { json } = await victim.send('GET', 'transactions?type=payment&per_page=100');
    for (const one of json.data) assert.deepEqual([one.pays, one.amount.value], [bill.id, '1,000.00']);
  });

  it('a form that is too large, or no form, is refused and rings nobody', async () => {
    const large = await ask(bill.url, { phone: '0754000001', once: 'x'.repeat(100_000) });
    assert.ok([409, 413, 429].includes(large.status), String(large.status));
    const json = await fetch(bill.url, { method: 'POST', body: '{"phone":"0754000001"}' });
    assert.ok([409, 429].includes(json.status), String(json.status));
    assert.equal(await pushes(), 0);
  });
});
