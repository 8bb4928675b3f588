import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { displayNameOf } from '../../../src/accounts/display-name.ts';
import { payloadOf } from '../../../src/api/numbers/present-number.ts';
import { promptLimits } from '../../../src/domain/data/prompts.ts';
import { drawQr } from '../../../src/transactions/acceptance/qr-image.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { setNumberStatus } from '../../../src/transactions/rows/number-store.ts';
import { idsOfToken, pageTokenOf } from '../../../src/transactions/rows/page-token.ts';
import { beforeStatements } from '../../support/before-statements.ts';
import { endTimeOf, payBill, paymentOf } from '../../support/bill-customer.ts';
import { openBillDesk } from '../../support/bill-desk.ts';
import { asRole } from '../../support/database.ts';
import { answered } from '../../support/handed-over.ts';
import { ringOf } from '../../support/key-rings.ts';
import { billRequest, payee } from '../../support/merchant.ts';
import { makeNumber } from '../../support/numbers.ts';
import { startPayPages, tokenKeys } from '../../support/pay-pages.ts';
import { failure, succeeded } from '../../support/scripted-channel.ts';

/** What customers of each network dial, as networks say it themselves. */
const menus = {
  'M-Pesa': '00',
  'Airtel Money': '60',
  'Mixx by Yas \\(Tigo Pesa\\)': '01',
  HaloPesa: '88',
  'T-Pesa': '71',
  AzamPesa: '08',
};

describe('the page to pay on', () => {
  const desk = openBillDesk();
  let url: string;
  let close: () => Promise<void>;
  let flows: Awaited<ReturnType<typeof startPayPages>>['flows'];

  before(async () => {
    ({ url, close, flows } = await startPayPages(desk.database));
  });
  after(() => close());

  const get = async (id: string, query = '', of = url) => {
    const answer = await fetch(`${of}/pay/${pageTokenOf(tokenKeys, id)}${query}`);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const post = async (id: string, fields: Record<string, string>, of = url) => {
    const answer = await fetch(`${of}/pay/${pageTokenOf(tokenKeys, id)}`, {
      method: 'POST',
      body: new URLSearchParams({ once: 'a', phone: '0754 000 001', ...fields }),
      redirect: 'manual',
    });
    return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
  };

  /** Pages of their own, which count the statements that they send. */
  async function openCounted() {
    const count = { asked: 0 };
    const watched = beforeStatements(asRole(desk.database, 'api'), async () => {
      count.asked += 1;
    });
    return { count, own: await startPayPages(watched, { stateMs: 60_000 }) };
  }
  const failLast = () =>
    answered(desk.database, flows.submissions.at(-1)?.transactionId ?? '', failure('customer_timeout'));

  it('has tokens that lead back to what they are about, by any of the keys, and by nothing else', () => {
    const id = '0f6c9ee4-53a4-5f4a-9bd9-2b1f6ad3c2c1';
    const token = pageTokenOf(tokenKeys, id);
    assert.match(token, /^[\w-]{22}$/);
    assert.deepEqual(idsOfToken(tokenKeys, token), [id]);
    const [old] = tokenKeys;
    const [next] = ringOf(Buffer.alloc(32, 10));
    assert.ok(idsOfToken([next, old], token).includes(id));
    assert.ok(!idsOfToken([next], token).includes(id));
    for (const wrong of ['', 'a', `${token}A`, token.slice(1), `${token.slice(0, -1)}/`, '../../etc/passwd'])
      assert.deepEqual(idsOfToken(tokenKeys, wrong), [], wrong);
  });

  it('says in Swahili, and by one link in English, what is to be paid and how, and lets nothing run', async () => {
    const { id, number } = await desk.bill({
      ...billRequest(25_000),
      description: '<script>alert("Ada & vitabu")</script>',
    });
    const page = await get(id);
    assert.equal(page.status, 200);
    assert.match(page.text, /<html lang="sw">/);
    assert.ok(page.text.includes('25,000 TZS') && page.text.includes('Malipo kwa Test shop'));
    assert.ok(page.text.includes(number.replace(/(\d{4})(?=\d)/g, '$1 ')));
    assert.ok(page.text.includes('&lt;script&gt;') && !page.text.includes('<script'));
    assert.match((await get(id, '?lang=en')).text, /<html lang="en">.*Pay Test shop/s);
    for (const [network, dialled] of Object.entries(menus))
      assert.match(
        page.text.replace(/<[^>]+>/g, ''),
        new RegExp(`${network}:[^*:]*\\*150\\*${dialled}#`),
        network,
      );
    for (const dialled of Object.values(menus))
      assert.ok(page.text.includes(`<a href="tel:*150*${dialled}%23">*150*${dialled}#</a>`), dialled);
    const foot =
      'Malipo kupitia Malipo &amp; Co. Mtandao wako unaweza kutoza ada. Msaada: &lt;0800 000 123&gt;.';
    assert.ok(page.text.includes(`<small>${foot}</small>`), page.text);
    const nameless = await startPayPages(desk.database, { by: { service: undefined, support: undefined } });
    assert.match((await get(id, '', nameless.url)).text, /<small>Mtandao wako unaweza kutoza ada\.<\/small>/);
    await nameless.close();
    const policy = page.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(part), part);
    assert.deepEqual(
      ['x-content-type-options', 'referrer-policy', 'cache-control', 'x-robots-tag', 'set-cookie'].map(
        (name) => page.headers.get(name),
      ),
      ['nosniff', 'no-referrer', 'no-store', 'noindex, nofollow', null],
    );
    assert.ok(page.text.length <= 14 * 1024 && gzipSync(page.text).length <= 4 * 1024);
  });

  it('never shows who paid', async () => {
    const { id, number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    await payBill(asRole(desk.database, 'api'), paymentOf(number, 5_000, { receipt: 'RECEIPT-1' }));
    const { text } = await get(id);
    assert.ok(text.includes('5,000 TZS') && text.includes('20,000 TZS'));
    assert.doesNotMatch(text, /ASHA|JUMA|754123456|RECEIPT-1/);
  });

  it('of an unknown token is not found, whatever it looks like, and of many an address is told to wait', async () => {
    const own = await startPayPages(desk.database);
    const look = (id = '00000000-0000-5000-8000-000000000000') => get(id, '', own.url);
    const first = await look();
    assert.equal(first.status, 404);
    assert.match(first.text, /Hakuna cha kulipa/);
    const statuses: number[] = [];
    for (let i = 0; i < promptLimits.unknown.most; i += 1) statuses.push((await look()).status);
    assert.equal(statuses.at(-1), 429);
    const { id } = await desk.bill();
    assert.equal((await look(id)).status, 200, 'a known one is shown all the same');
    const sent = await post(id, { once: 'behind', phone: '0754 000 077' }, own.url);
    assert.equal(sent.status, 303, 'and its form is taken');
    await own.close();
  });

  it('refuses what cannot be ours without Postgres, and shows a known page without it for a moment', async () => {
    const { own, count } = await openCounted();
    const statementsOf = async (path: string, status: number) => {
      count.asked = 0;
      assert.equal((await fetch(`${own.url}${path}`)).status, status, path);
      return count.asked;
    };
    const foreign = `/pay/${pageTokenOf(tokenKeys, '0f6c9ee4-53a4-1f4a-9bd9-2b1f6ad3c2c1')}`;
    for (const path of [foreign, '/pay/%00', '/pay/x', '/l/%00', '/l/%ff', '/l/a', '/l/abcdefgh9'])
      assert.equal(await statementsOf(path, 404), 0, path);
    const { id } = await desk.bill();
    const page = `/pay/${pageTokenOf(tokenKeys, id)}`;
    assert.ok((await statementsOf(page, 200)) > 0);
    assert.equal(await statementsOf(page, 200), 0);
    await own.close();
  });

  it('lets nobody guess who guessed too often, and locks nobody out who is behind the same address', async () => {
    const { own, count } = await openCounted();
    const { id } = await desk.bill();
    for (let i = 0; i <= promptLimits.unknown.most; i += 1) await fetch(`${own.url}/l/%00`);
    count.asked = 0;
    const guessed = await get('00000000-0000-5000-8000-000000000001', '', own.url);
    assert.deepEqual([guessed.status, count.asked], [429, 1], 'one read');
    assert.doesNotMatch(guessed.text, /<html/, 'no page is drawn');
    assert.equal((await get(id, '', own.url)).status, 200, 'not known here yet');
    await own.close();
  });

  it('says that it is paid, over or closed, and asks nobody any more', async () => {
    const paid = await desk.bill();
    await payBill(asRole(desk.database, 'api'), paymentOf(paid.number, 25_000));
    const over = await desk.bill();
    await endTimeOf(desk.database, over.id);
    const cancelled = await desk.bill();
    await tryToEnd(desk.database, cancelled.id, { kind: 'cancel' });
    const number = await makeNumber(desk.database, desk.merchant);
    const { id, accountId } = number;
    await setNumberStatus(asRole(desk.database, 'api'), { id, accountId, status: 'closed' });
    for (const [what, says] of [
      [paid.id, /Imelipwa\. Hakuna kinachodaiwa/],
      [over.id, /Muda wa kulipa umekwisha/],
      [cancelled.id, /Malipo haya yamefungwa/],
      [id, /Malipo haya yamefungwa/],
    ] as const) {
      const { text } = await get(what);
      assert.match(text, says);
      assert.doesNotMatch(text, /<form|7700 0/);
      assert.equal((await post(what, { once: 'over', phone: '0754000009', amount: '3000' })).status, 409);
    }
  });

  it('takes no more forms of an address than it may look for unknown pages, and starts nothing for them', async () => {
    const own = await startPayPages(desk.database);
    const { id } = await desk.bill();
    const send = async (once: string) => (await post(id, { once, phone: '0754 000 007' }, own.url)).status;
    for (let i = 0; i < promptLimits.unknown.most; i += 1) assert.notEqual(await send(`${i}`), 429);
    const started = own.flows.submissions.length;
    assert.equal(await send('more'), 429);
    assert.equal(own.flows.submissions.length, started);
    await own.close();
  });

  it('sends the question once, waits, and says what came of it, with the receipt', async () => {
    const { id } = await desk.bill();
    const asked = await post(id, {});
    assert.equal(asked.status, 303, asked.text);
    assert.deepEqual((await post(id, {})).to, asked.to, 'the same form again');
    const [submission] = flows.submissions.slice(-1);
    assert.ok(submission && submission.request.mode === 'ussd' && submission.request.pays === id);
    assert.equal(submission.request.amount, 2_500_000);
    const look = async () => {
      const answer = await fetch(`${url}${asked.to}`);
      return { refresh: answer.headers.get('refresh'), text: await answer.text() };
    };
    const waiting = await look();
    assert.equal(waiting.refresh, '5');
    assert.match(waiting.text, /role="status"/);
    assert.doesNotMatch(waiting.text, /<form|754000001|0754/);
    const other = await post(id, { once: 'b', phone: '0754000002' });
    assert.equal(other.status, 409);
    assert.match(other.text, /role="alert".*dakika tano/s);
    const { transactionId } = submission;
    await tryToEnd(desk.database, transactionId, { kind: 'answer', result: succeeded(25_000, 'CKL6A1B2C3') });
    const paid = await look();
    assert.equal(paid.refresh, null);
    assert.ok(paid.text.includes('CKL6A1B2C3') && paid.text.includes('Imelipwa: 25,000 TZS'));
    assert.doesNotMatch((await get(id)).text, /CKL6A1B2C3|<form/);
    assert.deepEqual((await post(id, {})).to, asked.to, 'the same form again, of a bill that it has paid');
    assert.equal((await post(id, { once: 'c' })).status, 409);
  });

  it('says by the clock that a prompt is on its way, or that there is no word yet, and looks less and less often', async () => {
    let later = 0;
    const own = await startPayPages(desk.database, { now: () => new Date(Date.now() + later) });
    const { id, number } = await desk.bill();
    const { to } = await post(id, { once: 'clock', phone: '0754000011' });
    const promptId = flows.submissions.at(-1)?.transactionId;
    await desk.database.query(
      "UPDATE transactions SET prompt_expires_at = now() + interval '5 minutes' WHERE id = $1",
      [promptId],
    );
    const grouped = number.replace(/(\d{4})(?=\d)/g, '$1 ');
    const seen = [];
    for (const minutes of [0, 4, 5.1, 7, 11, 36]) {
      later = minutes * 60_000;
      const answer = await fetch(`${own.url}${to}`);
      const text = await answer.text();
      assert.ok(!text.includes(grouped) && !text.includes('<img') && !text.includes('<form'), `${minutes}`);
      const state = /Weka PIN/.test(text) ? 'on its way' : /usilipe tena/.test(text) ? 'no word' : text;
      assert.equal(text.includes(`<dt>Kumbukumbu</dt><dd>${promptId}</dd>`), state === 'no word');
      seen.push([state, answer.headers.get('refresh')]);
    }
    assert.deepEqual(seen, [
      ['on its way', '5'],
      ['on its way', '5'],
      ['no word', '5'],
      ['no word', '15'],
      ['no word', '60'],
      ['no word', null],
    ]);
    await own.close();
  });

  it('says of money that came after its question had failed that we have it, and asks nobody for it again', async () => {
    const { id } = await desk.bill();
    const asked = await post(id, { phone: '0754000006' });
    const promptId = flows.submissions.at(-1)?.transactionId ?? '';
    await failLast();
    const look = async () => (await fetch(`${url}${asked.to}`)).text();
    assert.match(await look(), /Malipo hayakufanyika.*<form/s);
    await tryToEnd(desk.database, promptId, { kind: 'answer', result: succeeded(25_000, 'CKL6A1B2C4') });
    const late = await look();
    assert.match(late, /Tumepokea pesa yako 25,000 TZS. Mfanyakazi wetu anashughulikia; usilipe tena/);
    assert.ok(late.includes('<dt>Risiti</dt><dd>CKL6A1B2C4</dd>'), late);
    assert.ok(late.includes(`<dt>Kumbukumbu</dt><dd>${promptId}</dd>`), late);
    assert.doesNotMatch(late, /Malipo hayakufanyika|<form/);
  });

  it('shows the code of a number that is paid again and again, as its merchant was given it', async () => {
    for (const [minimum, maximum, amount] of [
      [1_000, 20_000, null],
      [1_000, 1_000, 1_000],
    ] as const) {
      const number = await makeNumber(desk.database, desk.merchant, { minimum, maximum });
      const merchantName = await displayNameOf(desk.database, number.accountId);
      const payload = payloadOf(number, { ...payee, merchantName });
      assert.match(payload, /^000201010211/);
      assert.equal(payload.includes('54041000'), amount !== null);
      const { text } = await get(number.id);
      assert.ok(text.includes(`src="${await drawQr(payload, 1)}"`));
    }
  });

  it('takes the amount from the payer only where the number lets him name it', async () => {
    const number = await makeNumber(desk.database, desk.merchant, { minimum: 1_000, maximum: 20_000 });
    assert.match((await get(number.id)).text, /name="amount"/);
    for (const amount of ['', '999', '20001', '1e4', '-5', '1000.5'])
      assert.equal((await post(number.id, { amount })).status, 409, amount);
    assert.equal((await post(number.id, { amount: '2,000', phone: '0754000003' })).status, 303);
    const { id } = await desk.bill();
    await post(id, { amount: '1', phone: '0754000004' });
    assert.equal(flows.submissions.at(-1)?.request.amount, 2_500_000);
  });

  it('says what the digits of a phone say, and what the network of the phone takes', async () => {
    const number = await makeNumber(desk.database, desk.merchant, { minimum: 100, maximum: 9_000_000 });
    for (const [phone, amount, says] of [
      ['0754 12345', '2000', 'Namba ina tarakimu 9. Namba ya simu ina tarakimu 10'],
      ['+255 754 123 4567', '2000', 'Namba ina tarakimu 11.'],
      ['0222 123 456', '2000', 'Hakuna mtandao wenye namba zinazoanza na 022.'],
      ['abc', '2000', 'Namba si sahihi'],
      ['<b>0754</b>', '2000', 'Namba'],
      ['0754 000 031', '100', 'Kiwango cha chini cha malipo kupitia M-PESA ni TZS '],
    ] as const) {
      const { status, text } = await post(number.id, { phone, amount });
      assert.equal(status, 409);
      const alert = /<p class="x" role="alert">([^<]*)<\/p>\s*<form/.exec(text)?.[1] ?? '';
      assert.ok(alert.startsWith(says), `${phone}: ${alert}`);
      assert.ok(!text.includes('<b>0754'));
    }
    assert.equal((await post(number.id, { amount: '2000', network: 'nowhere' })).status, 409);
  });

  it('says when a phone may be asked again as people say times', async () => {
    const phone = '0754000032';
    for (let sent = 0; sent < promptLimits.of_phone.most; sent += 1) {
      const { id } = await desk.bill();
      assert.equal((await post(id, { phone, once: `${sent}` })).status, 303);
      await failLast();
    }
    const { id } = await desk.bill();
    const { text } = await post(id, { phone, once: 'more' });
    assert.match(text, /Jaribu tena baada ya saa \d{1,2}:\d\d [a-z]+ \(\d\d:\d\d\)\.</);
  });
});
