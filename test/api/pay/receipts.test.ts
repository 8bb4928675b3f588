import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { paymentLookup, payoutLookup } from '../../../src/contract/answer-schemas.ts';
import { callbackSchemas } from '../../../src/contract/callback-schemas.ts';
import { statementAnswer } from '../../../src/contract/statement-schemas.ts';
import { BILL_PAYMENTS_MAX } from '../../../src/domain/bill.ts';
import { promptLimits } from '../../../src/domain/data/prompts.ts';
import { minor } from '../../../src/domain/money.ts';
import type { MoneyRequest } from '../../../src/domain/operation.ts';
import { findLine, postCorrection } from '../../../src/ledger/correction.ts';
import { postSuspense } from '../../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../../src/reconciliation/invariants.ts';
import { recordSend } from '../../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import {
  idsOfToken,
  pageTokenOf,
  receiptsOfToken,
  receiptTokenOf,
} from '../../../src/transactions/rows/page-token.ts';
import { accept } from '../../support/accept.ts';
import { controlNumberOf, payBill, paymentOf } from '../../support/bill-customer.ts';
import { asRole } from '../../support/database.ts';
import { plantProposal } from '../../support/decision.ts';
import { answered, notify } from '../../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  CONNECTION,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../../support/merchant.ts';
import { makeNumber } from '../../support/numbers.ts';
import { startPayPages, tokenKeys } from '../../support/pay-pages.ts';
import { failure, succeeded } from '../../support/scripted-channel.ts';
import { useTestApi } from '../support/use-api.ts';

const pages = { url: 'https://lipa.example.com', keys: tokenKeys };

describe('the tokens of receipts', () => {
  const id = '0f6c9ee4-53a4-5f4a-9bd9-2b1f6ad3c2c1';

  it('lead back to their transaction and payment, and each to another one', () => {
    const tokens = Array.from({ length: BILL_PAYMENTS_MAX + 1 }, (_, part) => {
      const token = receiptTokenOf(tokenKeys, { id, part });
      assert.match(token, /^[\w-]{22}$/);
      assert.deepEqual(receiptsOfToken(tokenKeys, token), [{ id, part }]);
      return token;
    });
    assert.equal(new Set(tokens.map((token) => token.slice(0, 20))).size, tokens.length);
    for (const wrong of ['', 'a', `${tokens[0]}A`, tokens[0]?.slice(1) ?? '', '../../etc/passwd....'])
      assert.deepEqual(receiptsOfToken(tokenKeys, wrong), [], wrong);
  });

  it('open no page to pay on, and those of such pages no receipt, whatever their last character', () => {
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const ends = (token: string) => [...characters].map((last) => token.slice(0, -1) + last);
    for (let part = 0; part <= BILL_PAYMENTS_MAX; part += 1) {
      const token = receiptTokenOf(tokenKeys, { id, part });
      for (const one of ends(token)) {
        assert.ok(!idsOfToken(tokenKeys, one).includes(id));
        const others = receiptsOfToken(tokenKeys, one).filter((found) => found.id === id);
        assert.deepEqual(others, one === token ? [{ id, part }] : []);
      }
    }
    for (const one of ends(pageTokenOf(tokenKeys, id)))
      assert.ok(receiptsOfToken(tokenKeys, one).every((found) => found.id !== id));
  });
});

describe('a receipt', () => {
  const { api, test } = useTestApi({ pages });
  let shown: Awaited<ReturnType<typeof startPayPages>>;
  before(async () => {
    shown = await startPayPages(test.database);
  });
  after(() => shown.close());
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  async function accepted(request: MoneyRequest): Promise<string> {
    const submission = submissionFor(api, request);
    await accept(test.database, submission);
    return submission.transactionId;
  }
  async function ended(request: MoneyRequest, amount: number, receipt: string): Promise<string> {
    const id = await accepted(request);
    await recordSend(test.database, { transactionId: id, number: 1 });
    await answered(test.database, id, succeeded(amount, receipt));
    return id;
  }
  const bill = async (amount: number, mode: 'exact' | 'flexible' = 'exact') => {
    const id = await accepted(billRequest(amount, { mode }));
    return { id, number: await controlNumberOf(test.database, id) };
  };
  const pay = (number: string, amount: number, receipt: string) =>
    payBill(asRole(test.database, 'api'), paymentOf(number, amount, { receipt }));
  const payment = async (id: string) => paymentLookup.parse((await api.call('GET', `payments/${id}`)).body);
  const payout = async (id: string) => payoutLookup.parse((await api.call('GET', `payouts/${id}`)).body);
  const eventsOf = async (id: string) => {
    const rows = await test.sql`SELECT body FROM callback_events WHERE transaction_id = ${id}
      ORDER BY sequence`;
    return rows.map(({ body }) => JSON.parse(body));
  };
  async function get(url: string | undefined, query = '?lang=en') {
    assert.ok(url, 'there is an address');
    const answer = await fetch(`${shown.url}${new URL(url).pathname}${query}`);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  const urlOf = (id: string, part: number) => `${pages.url}/r/${receiptTokenOf(tokenKeys, { id, part })}`;
  const plain = (text: string) => text.replace(/<style>.*<\/style>/s, '').replace(/<[^>]+>/g, ' ');

  it('of a push has the one address in lookup, callback and statement, and shows its payer masked', async () => {
    const id = await ended(pushRequest(25_000), 25_000, 'CKL6A1B2C3');
    const { receipt_url: url } = await payment(id);
    assert.equal(url, urlOf(id, 0));
    const [event] = await eventsOf(id);
    assert.equal(callbackSchemas['payment.received'].parse(event).receipt_url, url);
    const page = await get(url, '');
    assert.equal(page.status, 200);
    assert.match(page.text, /<html lang="sw">.*Risiti: .*Imelipwa: 25,000 TZS/s);
    const { text } = await get(url);
    const said = plain(text);
    for (const part of ['Paid: 25,000 TZS', 'ASHA J., 07xx xxx 456', 'Receipt of M-Pesa', 'CKL6A1B2C3', 'PY'])
      assert.ok(said.includes(part), `${part}: ${said}`);
    assert.doesNotMatch(said, /JUMA|0754123456|255754|Fee|<script/);
    const foot =
      'Payment through Malipo &amp; Co. Shown as it is now, whatever a copy says. Help: &lt;0800 000 123&gt;.';
    assert.ok(text.includes(`<small>${foot}</small>`), text);
    assert.deepEqual(
      ['content-type', 'cache-control', 'referrer-policy', 'x-robots-tag', 'set-cookie'].map((name) =>
        page.headers.get(name),
      ),
      ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'noindex, nofollow', null],
    );
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.ok(gzipSync(page.text).length <= 4 * 1024);
    assert.doesNotMatch(page.text, /<form|<img|<script/);
  });

  it('is there only once the money has moved, and never of a failure', async () => {
    const id = await accepted(pushRequest(1_000));
    assert.equal((await payment(id)).receipt_url, undefined);
    assert.equal((await get(urlOf(id, 0))).status, 404);
    await answered(test.database, id, failure('customer_declined'));
    assert.equal((await payment(id)).receipt_url, undefined);
    assert.equal((await get(urlOf(id, 0))).status, 404);
    assert.ok((await eventsOf(id)).every((event) => !('receipt_url' in event)));
  });

  it('says first what became of it since: refunded in two parts, then corrected', async () => {
    const id = await ended(pushRequest(25_000), 25_000, 'CKL6REFUND');
    const url = urlOf(id, 0);
    const refunds = [];
    for (const amount of [5_000, 7_500]) {
      refunds.push(await ended(refundRequest(id, { amount }), amount, `REF${amount}`));
      const total = amount === 5_000 ? '5,000' : '12,500';
      assert.match(
        (await get(url)).text,
        new RegExp(`<h1>[^<]*</h1><p class="x">Refunded to the payer: ${total} of 25,000 TZS, on `),
      );
    }
    assert.doesNotMatch((await get(url)).text, /Paid:/);
    const pending = await accepted(refundRequest(id, { amount: 1_000 }));
    assert.match((await get(url)).text, /12,500 of 25,000/, 'one that is on its way is not there yet');
    assert.equal((await get(urlOf(pending, 0))).status, 404);
    const given = await payout(refunds[0] ?? '');
    assert.match(plain((await get(given.receipt_url)).text), /To\s+ASHA J., 07xx xxx 456/);
    const proposalId = await plantProposal(test.database, 'accounts.correct');
    const rows = await test.sql`SELECT e.line FROM entries e JOIN transfers t ON t.id = e.transfer_id
      WHERE t.transaction_id = ${id} AND e.line IS NOT NULL AND NOT e.is_fee ORDER BY e.line LIMIT 1`;
    await inTransaction(test.database, async (db) => {
      const line = (await findLine(db, api.accountId, rows[0].line)) ?? assert.fail('the line is there');
      await postCorrection(db, line, { amount: minor(-100), reference: 'c1', note: 'typed', proposalId });
    });
    assert.match((await get(url)).text, /Refunded.*Corrected on \d+ \w+ \d{4}\. Ask /s);
  });

  it('of a payout shows the account masked, and that the bank returned it', async () => {
    const id = await ended(bankPayoutRequest(400_000), 400_000, 'FT1');
    const { receipt_url: url } = await payout(id);
    assert.equal(url, urlOf(id, 0));
    const [event] = await eventsOf(id);
    assert.equal(callbackSchemas['payout.completed'].parse(event).receipt_url, url);
    const before = plain((await get(url)).text);
    assert.match(before, /Paid: 400,000 TZS.*To\s+\w+ \w\., xxxx \d{4}/s);
    await notify(test.database, id, {
      kind: 'returned',
      amount: minor(40_000_000),
      currency: 'TZS',
      reason: 'AC04',
      channelReference: 'RT1',
    });
    assert.match(
      (await get(url)).text,
      /<p class="x">Returned by the network or bank: 400,000 of 400,000 TZS/,
    );
    assert.match((await get(url, '')).text, /Imerudishwa na mtandao au benki/);
  });

  it('of one payment of a bill says nothing of money that left beside the others', async () => {
    const whole = await bill(5_000, 'flexible');
    const parts = await bill(5_000, 'flexible');
    await pay(whole.number, 2_000, 'CKL6WHOLE');
    for (const receipt of ['CKL6PART1', 'CKL6PART2']) await pay(parts.number, 2_000, receipt);
    const left = { direction: 'payout', amount: minor(200_000), note: 'a test' } as const;
    for (const { id } of [whole, parts]) {
      const told = { channel: 'm-pesa', connection: CONNECTION, transactionId: id, currency: 'TZS' };
      await inTransaction(test.database, (db) =>
        postSuspense(db, { ...told, ...left, receipt: `GONE ${id}` }),
      );
    }
    assert.match((await get(urlOf(whole.id, 1))).text, /Returned by the network or bank: 2,000 of 2,000/);
    for (const part of [1, 2]) assert.doesNotMatch((await get(urlOf(parts.id, part))).text, /Returned/);
  });

  it('has none of the other party’s data from the moment of their erasure', async () => {
    const push = await ended(pushRequest(3_000), 3_000, 'CKL6GONE');
    const toBank = await ended(bankPayoutRequest(300_000), 300_000, 'FTGONE');
    const { id, number } = await bill(9_000);
    await pay(number, 9_000, 'CKL6BILL');
    const urls = [urlOf(push, 0), urlOf(toBank, 0), urlOf(id, 1)];
    for (const url of urls) assert.match(plain((await get(url)).text), /xx|xxxx/);
    const ids = [push, toBank, id];
    await test.sql`UPDATE callback_events SET state = 'delivered' WHERE transaction_id = ANY(${ids})`;
    await test.sql`UPDATE transactions SET status_at = now() - interval '10 years' WHERE id = ANY(${ids})`;
    const erased = await asRole(test.database, 'api').query('SELECT erase_payers($1, NULL, true) AS n', [
      ids,
    ]);
    assert.equal(erased.rows[0].n, 3);
    for (const url of urls) {
      const said = plain((await get(url)).text);
      assert.match(said, /Paid: /);
      assert.doesNotMatch(said, /xx|ASHA|ERASED|\b0{9}/);
    }
  });

  it('is of each payment of a flexible bill: one of 150, and none of the whole', async () => {
    const { id, number } = await bill(150_000, 'flexible');
    for (let part = 1; part <= 150; part += 1) await pay(number, 1_000, `F${part}`);
    const lookup = await payment(id);
    assert.equal(lookup.status, 'completed');
    assert.equal(lookup.receipt_url, undefined);
    const urls = (lookup.payment.payments ?? []).map(({ receipt_url: url }) => url ?? '');
    assert.equal(new Set(urls).size, 150);
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map((event) => callbackSchemas['payment.received'].parse(event).receipt_url),
      urls,
    );
    for (const at of [1, 64, 65, 150])
      assert.ok((await get(urls[at - 1])).text.includes(`<dd>F${at}</dd>`), `${at}`);
    const refund = await ended(refundRequest(id, { receipt: 'F65' }), 1_000, 'REF65');
    assert.ok((await payout(refund)).receipt_url);
    assert.match((await get(urls[64])).text, /Refunded to the payer: 1,000 of 1,000 TZS/);
    assert.match((await get(urls[63])).text, /Paid: 1,000 TZS/);
    for (const part of [0, 151, 500, 511]) assert.equal((await get(urlOf(id, part))).status, 404, `${part}`);
  });

  it('stands in the lines of a statement that moved the money, as JSON and CSV', async () => {
    const ids = { paid: '', failed: '' };
    ids.paid = await ended(mobilePayoutRequest(20_000), 20_000, 'POK');
    ids.failed = await accepted(mobilePayoutRequest(21_000, '255754999888'));
    await tryToEnd(test.database, ids.failed, { kind: 'cancel' });
    const { id, number } = await bill(12_000);
    await pay(number, 12_000, 'CKL6LINE');
    const page = async (number: number) =>
      statementAnswer.parse((await api.call('GET', `statements?per_page=100&page=${number}`)).body);
    const { pagination } = await page(1);
    const numbers = Array.from({ length: pagination.last_page }, (_, at) => at + 1);
    const data = (await Promise.all(numbers.map(page))).flatMap((one) => one.data);
    const of = (one: string) =>
      data.filter((line) => line.transaction_id === one).map(({ type, receipt_url: url }) => [type, url]);
    assert.deepEqual(of(ids.paid), [
      ['payout', urlOf(ids.paid, 0)],
      ['fee', undefined],
    ]);
    assert.deepEqual(of(id), [
      ['payment', urlOf(id, 1)],
      ['fee', undefined],
    ]);
    // A line of a statement that is final never changes: the address stands there before anybody knows the end.
    assert.deepEqual(of(ids.failed)[0], ['payout', urlOf(ids.failed, 0)]);
    assert.equal((await get(urlOf(ids.failed, 0))).status, 404);
    assert.equal((await payment(id)).receipt_url, urlOf(id, 1));
    const csv = (await api.call('GET', 'statements?format=csv')).text.split('\r\n');
    assert.match(csv[0] ?? '', /,balance,receipt_url$/);
    assert.ok(csv.some((line) => line.includes(id) && line.endsWith(`,${urlOf(id, 1)}`)));
  });

  it('of a top-up shows the fee, which its reader paid', async () => {
    const number = await makeNumber(test.database, api, { purpose: 'top_up' });
    const paid = await pay(number.controlNumber, 50_000, 'CKL6TOPUP');
    assert.ok(paid.outcome === 'accepted');
    const { receipt_url: url } = await payment(paid.transactionId);
    assert.match(plain((await get(url)).text), /Fee\s+[\d,]+ TZS/);
  });

  it('is not of a push that a page asked for: what it pays has it', async () => {
    const { id } = await bill(25_000);
    const body = new URLSearchParams({ once: 'a', phone: '0754 000 001' });
    await fetch(`${shown.url}/pay/${pageTokenOf(tokenKeys, id)}`, {
      method: 'POST',
      body,
      redirect: 'manual',
    });
    const push = shown.flows.submissions.at(-1)?.transactionId ?? '';
    await tryToEnd(test.database, push, { kind: 'answer', result: succeeded(25_000, 'CKL6PROMPT') });
    assert.equal((await payment(push)).receipt_url, undefined);
    assert.equal((await get(urlOf(push, 0))).status, 404);
    const { receipt_url: url } = await payment(id);
    assert.ok((await get(url)).text.includes('CKL6PROMPT'));
  });

  it('is asked for in vain so often only, and then no more', async () => {
    const id = await ended(pushRequest(2_000), 2_000, 'CKL6GUESSED');
    const own = await startPayPages(test.database);
    const statuses = [];
    for (let i = 0; i <= promptLimits.unknown.most; i += 1)
      statuses.push(
        (await fetch(`${own.url}/r/${randomBytes(17).toString('base64url').slice(0, 22)}`)).status,
      );
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429]);
    const known = await fetch(`${own.url}${new URL(urlOf(id, 0)).pathname}`);
    assert.equal(known.status, 200, 'a true one is shown all the same');
    const page = await fetch(`${own.url}/pay/${receiptTokenOf(tokenKeys, { id, part: 0 })}`);
    assert.equal(page.status, 429);
    await own.close();
  });
});
