import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { linkAnswer, linkList } from '../../../src/contract/link-schemas.ts';
import { promptLimits } from '../../../src/domain/data/prompts.ts';
import { idsOfToken } from '../../../src/transactions/rows/page-token.ts';
import { answered } from '../../support/handed-over.ts';
import { startPayPages, tokenKeys } from '../../support/pay-pages.ts';
import { failure, succeeded } from '../../support/scripted-channel.ts';
import { assertRefused } from '../support/api.ts';
import { useTestApi } from '../support/use-api.ts';

describe('payment links', () => {
  let aheadMs = 0;
  const { api, test } = useTestApi({ now: () => new Date(Date.now() + aheadMs) });
  let pages: Awaited<ReturnType<typeof startPayPages>>;
  before(async () => {
    pages = await startPayPages(test.database);
  });
  after(() => pages.close());

  async function make(body: object, key: string = randomUUID()) {
    const answer = await api.call('POST', 'payments/links', { headers: { 'Idempotency-Key': key }, body });
    return { answer, link: answer.status === 200 ? linkAnswer.parse(answer.body).link : null };
  }
  const made = async (body: object) => (await make(body)).link ?? assert.fail('the link is made');
  const now = async (id: string) =>
    linkAnswer.parse((await api.call('GET', `payments/links/${id}`)).body).link;
  const pathOf = (url: string) => new URL(url, 'https://lipa.example.com').pathname;
  let phones = 100;
  async function ask(url: string, fields: Record<string, string> = {}) {
    phones += 1;
    const body = new URLSearchParams({ once: 'a', phone: `0754200${phones}`, ...fields });
    const answer = await fetch(`${pages.url}${pathOf(url)}`, { method: 'POST', body, redirect: 'manual' });
    const [, , token = ''] = pathOf(answer.headers.get('location') ?? '/').split('/');
    return { status: answer.status, text: await answer.text(), id: idsOfToken(tokenKeys, token)[0] ?? '' };
  }
  const pay = (id: string, amount: number) => answered(test.database, id, succeeded(amount, `R-${id}`));

  it('are answered as published, listed, closed, and the same again by the same key', async () => {
    const body = { amount: 35_000, description: 'Kitenge dress' };
    const first = await make(body, 'same');
    assert.equal(first.answer.status, 200, first.answer.text);
    assert.match(first.link?.url ?? '', /\/l\/[0-9a-z]{8}$/);
    assert.deepEqual([first.link?.quantity, first.link?.status, first.link?.payments], ['once', 'open', 0]);
    const again = await make(body, 'same');
    assert.equal(again.answer.text, first.answer.text);
    const saidAgain = [first, again].map(({ answer }) => answer.headers['idempotent-replayed']);
    assert.deepEqual(saidAgain, [undefined, 'true']);
    assertRefused((await make({ ...body, amount: 1_000 }, 'same')).answer, 422, 'idempotency_key_reused');
    const push = { amount: 5_000, currency: 'TZS', phone_number: '0754000001' };
    const pushed = (key: string) =>
      api.call('POST', 'payments/ussd', { headers: { 'Idempotency-Key': key }, body: push });
    assertRefused(await pushed('same'), 422, 'idempotency_key_reused');
    assert.equal((await pushed('of-a-push')).status, 200);
    assertRefused((await make(body, 'of-a-push')).answer, 422, 'idempotency_key_reused');
    const { data } = linkList.parse((await api.call('GET', 'payments/links')).body);
    assert.ok(data.some(({ id }) => id === first.link?.id));
    const numbers = (await api.call('GET', 'payments/numbers')).body.data;
    assert.deepEqual(numbers, [], 'a link is no number');
    assertRefused(await api.call('GET', `payments/numbers/${first.link?.id}`), 404, 'not_found');
    const closed = await api.call('POST', `payments/links/${first.link?.id}/close`);
    assert.equal(closed.body.link.status, 'closed');
    assert.doesNotMatch(await (await fetch(`${pages.url}${pathOf(first.link?.url ?? '')}`)).text(), /<form/);
  });

  it('are found by their key when they have ended', async () => {
    const body = { description: 'Lunch', expires_at: new Date(Date.now() + 60_000).toISOString() };
    const { link } = await make(body, 'ends');
    aheadMs = 120_000;
    assert.equal((await make(body, 'ends')).link?.id, link?.id);
    assert.equal((await make(body)).answer.status, 422);
    aheadMs = 0;
  });

  it('refuse what is wrong', async () => {
    for (const body of [{}, { description: 'x', amount: 0 }, { description: 'x', quantity: 'few' }])
      assert.equal((await make(body)).answer.status, 422);
  });

  it('of one payment are paid once, however many ask, and say so', async () => {
    const link = await made({ amount: 35_000, description: 'Kitenge dress' });
    const shown = await (await fetch(`${pages.url}${pathOf(link.url)}`)).text();
    assert.match(shown, /og:title" content="Malipo kwa Test shop"/);
    assert.match(shown, /og:description" content="Kitenge dress · 35,000 TZS"/);
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(link.url)));
    assert.equal(asked.filter(({ status }) => status === 303).length, 1);
    const bills = await test.database.query(
      "SELECT payment_number FROM bills WHERE payment_number LIKE '%-1'",
    );
    assert.equal(bills.rowCount, 1);
    await pay(asked.find(({ id }) => id !== '')?.id ?? '', 35_000);
    const after = await now(link.id);
    assert.deepEqual([after.status, after.payments, after.paid], ['paid', 1, 35_000]);
    assert.equal((await ask(link.url)).status, 409);
  });

  it('of many are paid again and again, each payer by a bill of his own', async () => {
    const link = await made({ description: 'Lunch', quantity: 'many' });
    const rowOf = async () =>
      (await test.database.query('SELECT n::text AS row FROM numbers n WHERE id = $1', [link.id])).rows;
    const before = await rowOf();
    for (const [at, amount] of [2_000, 3_000].entries()) {
      const { status, id, text } = await ask(link.url, { amount: String(amount), once: `${at}` });
      assert.equal(status, 303, text);
      await pay(id, amount);
    }
    const after = await now(link.id);
    assert.deepEqual([after.status, after.payments, after.paid], ['open', 2, 5_000]);
    assert.deepEqual(await rowOf(), before, 'nothing is counted there that a restore could lose');
    const names = (await billsOf(link.url)).map(({ name }) => name);
    assert.equal(new Set(names).size, 2);
    for (const name of names) assert.match(name, new RegExp(`^${pathOf(link.url).slice(3)}-\\d+$`));
  });

  const billsOf = async (url: string) =>
    await test.sql`SELECT b.payment_number AS name, b.control_number AS number, t.id, t.status FROM bills b
      JOIN transactions t ON t.id = b.transaction_id WHERE b.payment_number LIKE ${`${pathOf(url).slice(3)}-%`} ORDER BY t.created_at`;
  const fail = (id: string) => answered(test.database, id, failure('customer_timeout'));

  it('show the control number of their bill where no more questions are sent', async () => {
    const link = await made({ amount: 35_000, description: 'Kitenge dress' });
    for (let i = 0; i < promptLimits.of_bill; i += 1) {
      const { id, text } = await ask(link.url, { once: `${i}` });
      assert.notEqual(id, '', text);
      await fail(id);
    }
    const { status, text } = await ask(link.url, { once: 'more' });
    assert.equal(status, 409);
    const [bill, ...others] = await billsOf(link.url);
    assert.deepEqual(others, []);
    assert.match(text, /Lipa kwa namba ya kumbukumbu/);
    assert.ok(text.includes(bill.number.replace(/(\d{4})(?=\d)/g, '$1 ')));
  });

  it('make no bill for what is no phone, nor for a phone that is not asked, and one for a form, however often it is sent', async () => {
    const link = await made({ description: 'Lunch', quantity: 'many' });
    for (let i = 0; i <= promptLimits.of_number.most; i += 1)
      assert.equal((await ask(link.url, { phone: '', amount: '2000', once: `${i}` })).status, 409);
    assert.deepEqual(await billsOf(link.url), []);
    const form = { phone: '0754200009', amount: '2000', once: 'twice' };
    const asked = await Promise.all([ask(link.url, form), ask(link.url, form)]);
    // Temporal makes one of pushes that are sent at once, which nothing here stands in for.
    const first = asked.find(({ status }) => status === 303) ?? assert.fail(asked[0]?.text);
    assert.equal((await ask(link.url, form)).id, first.id);
    assert.equal((await ask(link.url, { ...form, once: 'open' })).status, 409);
    assert.equal((await billsOf(link.url)).length, 1);
  });

  it('of one payment without an amount have one open bill at a time, so they are paid once', async () => {
    const link = await made({ description: 'A gift' });
    const first = await ask(link.url, { amount: '2000' });
    assert.equal(first.status, 303, first.text);
    const meanwhile = await ask(link.url, { amount: '3000', once: 'b' });
    assert.match(meanwhile.text, /Kuna mtu anayelipa sasa hivi/);
    await fail(first.id);
    const [second, third] = await Promise.all(
      ['3000', '4000'].map((amount) => ask(link.url, { amount, once: amount })),
    );
    const asked = [second, third].filter((one) => one?.status === 303);
    assert.equal(asked.length, 1, second?.text);
    const open = (await billsOf(link.url)).filter(({ status }) => status === 'pending');
    assert.equal(open.length, 1);
    await pay(asked[0]?.id ?? '', asked[0] === second ? 3_000 : 4_000);
    assert.equal((await ask(link.url, { amount: '5000', once: 'late' })).status, 409);
    const after = await now(link.id);
    assert.deepEqual([after.status, after.payments], ['paid', 1]);
  });

  it('that are unknown are not found', async () => {
    assert.equal((await fetch(`${pages.url}/l/00000000`)).status, 404);
    assertRefused(
      await api.call('GET', 'payments/links/8d0c1f7a-2a4e-5c19-9a50-1f1c3c0f7be2'),
      404,
      'not_found',
    );
  });
});
