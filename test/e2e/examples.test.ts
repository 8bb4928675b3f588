import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dayOf } from '../../src/domain/day.ts';
import { noLimits } from '../../src/domain/limits.ts';
import { newKey, useGateway } from '../support/gateway.ts';
import { setRule } from '../support/settlement.ts';
import { openKey } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import {
  account,
  exactBill,
  flexibleBill,
  partBack,
  pupil,
  push,
  qr,
  salaries,
  sheet,
  wallet,
} from './example-bodies.ts';
import { askOnPage } from './payer.ts';
import { createRecorder } from './recorder.ts';
import { cancelledOrder, openShop, type Shop } from './shop.ts';
import { agreed, type Call, createWalker, type Walker } from './walker.ts';

const file = new URL('../../src/api/reference/examples.json', import.meta.url);

/** A walk over a whole service records the examples of the reference (`npm run examples`). */
describe('the examples of the reference', function () {
  this.timeout(120_000);
  const gateway = useGateway({ GATEWAY_TIMING: 'normal' });
  let recorder: ReturnType<typeof createRecorder>;
  let shop: Shop;
  let walk: Walker;
  let paidPush = '';
  let paidPayout = '';
  let partOfBill = { id: '', receipt: '' };

  before(async () => {
    const { api_url, pay_url, callback_url } = gateway.local;
    recorder = createRecorder([
      [callback_url, 'https://shop.example/callbacks'],
      [api_url, 'https://pay.example.com'],
      [pay_url, 'https://lipa.example.com'],
    ]);
    shop = await openShop({ gateway, balance: 5_000_000 });
    walk = createWalker(shop, recorder);
  });
  beforeEach(() => recorder.scene());

  const at = (call: Call, name: string, id: string) => walk.see(call, name, { id });
  async function ended(call: 'getPayment' | 'getPayout', name: string, id: string) {
    await shop.final(`${call === 'getPayment' ? 'payments' : 'payouts'}/${id}`);
    return at(call, name, id);
  }
  /** Of an account of its own: nobody knows how many end otherwise before one is cancelled. */
  async function cancelled(what: 'Payment' | 'Payout', path: string, body: object) {
    const other = await openShop({ gateway, balance: 5_000_000 });
    const { json } = await cancelledOrder(other, path, body);
    const { transaction_id: id } = json[what.toLowerCase()];
    const { see } = walkOf(other);
    await see(`cancel${what}`, 'cancelled', { id });
    await see(`get${what}`, 'cancelled', { id });
  }
  const waitsFor = (path: string, reason: RegExp) =>
    until(async () => reason.test((await shop.get(path)).text), `${path} waits for ${reason}`);
  const pay = (control_number: string, amount: number, phone_number = '0754123456') =>
    shop.customer('pay-bill', { control_number, amount, phone_number });

  it('what a merchant asks before the first payment', async () => {
    await waitsFor('status', /"message":"The service is up"/);
    await walk.see('getStatus', 'up');
    await walk.see('getNetworks', 'networks');
    await walk.see('getFees', 'fees');
    const { openapi, info } = await walk.see('getOpenApi', null);
    const document = { openapi, info: { title: info.title, version: info.version } };
    recorder.record(['calls', 'getOpenApi', 'answer', 'document'], document);
    await shop.listen();
    const saved = await walk.see('getCallbackSettings', 'set');
    await walk.see('putCallbackSettings', 'saved', { body: { events: saved.events }, sent: 'every_event' });
  });

  it('pushes', async () => {
    const slow = { ...push, phone_number: '0754123129' };
    const { transaction_id: waits } = await walk.see('initiateUssdPush', null, { body: slow });
    await waitsFor(`payments/${waits}`, /PIN/);
    await at('getPayment', 'pending', waits);
    await walk.refused('not_refundable', 'refundPayment', { id: waits, body: {} });
    const sent = { body: push, sent: 'push' };
    const { transaction_id: id } = await walk.see('initiateUssdPush', 'accepted', sent);
    await ended('getPayment', 'completed', id);
    await walk.told('ussd_push', id);
    paidPush = id;
    const declined = await walk.see('initiateUssdPush', null, {
      body: { ...push, phone_number: '0754123039', metadata: {} },
    });
    await ended('getPayment', 'failed', declined.transaction_id);
    await walk.told('declined', declined.transaction_id);
    const ported = { amount: 5000, currency: 'TZS', phone_number: '+255 754 123 456' };
    const { transaction_id: last } = await walk.see('initiateUssdPush', null, {
      body: { ...ported, transaction_channel: 'AIRTEL-MONEY' },
      sent: 'ported_number',
    });
    await shop.final(`payments/${last}`);
    await cancelled('Payment', 'payments/ussd', push);
  });

  it('bills', async () => {
    const bill = await walk.see('createBill', 'created', { body: exactBill, sent: 'exact' });
    await at('getPayment', 'bill_pending', bill.transaction_id);
    await walk.refused('payment_number_taken', 'createBill', { body: { ...exactBill, amount: 30000 } });
    await at('cancelPayment', 'bill', bill.transaction_id);
    await at('getPayment', 'bill_cancelled', bill.transaction_id);
    const parts = await walk.see('createBill', null, { body: flexibleBill, sent: 'flexible' });
    const { transaction_id: id } = parts;
    const { receipt } = await pay(parts.bill.reference, 10000);
    await at('getPayment', 'bill_partly_paid', id);
    await walk.told('part_of_a_bill', id);
    await pay(parts.bill.reference, 3000, '0784555666');
    await ended('getPayment', 'bill_completed', id);
    partOfBill = { id, receipt };
    const expires_at = new Date(Date.now() + 3_000).toISOString();
    const short = await walk.see('createBill', null, {
      body: { ...exactBill, payment_number: 'INV-2003', expires_at },
    });
    await ended('getPayment', 'bill_expired', short.transaction_id);
  });

  it('QR codes and standing numbers', async () => {
    const code = await walk.see('createQr', 'created', { body: qr, sent: 'qr' });
    await at('getPayment', 'qr_pending', code.transaction_id);
    const { number } = await walk.see('createNumber', 'open', { body: pupil, sent: 'school' });
    await at('getNumber', 'open', number.id);
    await walk.see('createNumber', null, {
      body: {
        customer_reference: 'TOP-UP',
        purpose: 'top_up',
        description: 'Into our balance',
        payers: ['0754123456'],
      },
      sent: 'own_top_up',
    });
    await walk.see('createNumbers', 'one_refused', {
      body: { numbers: [pupil, { customer_reference: 'PUPIL-0118', minimum: 2000, maximum: 1000 }] },
      sent: 'two_pupils',
    });
    await pay(number.reference, 10000);
    const { data } = await walk.see('getTransactions', null, { query: `?reference=${number.reference}` });
    await walk.told('of_a_number', data[0].transaction_id);
    await walk.see('getNumbers', 'page');
    await at('closeNumber', 'closed', number.id);
    await at('getNumber', 'closed', number.id);
    await at('openNumber', 'open', number.id);
  });

  it('links', async () => {
    const dress = { amount: 35000, description: 'Kitenge dress, size 12' };
    const { link } = await walk.see('createLink', 'open', { body: dress, sent: 'one_customer' });
    await at('getLink', 'open', link.id);
    await askOnPage(link.url, { once: 'a', phone: '0754123456' });
    await until(
      async () => (await shop.get(`payments/links/${link.id}`)).json.link.payments === 1,
      'it is paid',
    );
    await at('getLink', 'paid', link.id);
    const wall = { description: 'Mama Ntilie, lunch', quantity: 'many' };
    const other = await walk.see('createLink', null, { body: wall, sent: 'the_wall' });
    await walk.see('getLinks', 'page');
    await at('closeLink', 'closed', other.link.id);
  });

  it('payouts to wallets', async () => {
    const preview = await walk.see('previewMobilePayout', 'preview', { body: wallet, sent: 'preview' });
    const { preview_id } = preview;
    await walk.refused('preview_mismatch', 'initiateMobilePayout', {
      body: { ...wallet, amount: 60000, preview_id },
    });
    const slow = { ...wallet, phone_number: '0754123129' };
    const { transaction_id: waits } = await walk.see('initiateMobilePayout', null, { body: slow });
    await waitsFor(`payouts/${waits}`, /waiting for its confirmation/);
    await at('getPayout', 'pending', waits);
    const { transaction_id: id } = await walk.see('initiateMobilePayout', 'accepted', {
      body: wallet,
      sent: 'payout',
    });
    await ended('getPayout', 'paid', id);
    await walk.told('mobile', id);
    await at('getEntries', 'paid_payout', id);
    await walk.refused('not_cancellable', 'cancelPayout', { id });
    paidPayout = id;
    const seen = { ...wallet, preview_id };
    const again = await walk.see('initiateMobilePayout', null, { body: seen, sent: 'previewed_payout' });
    await shop.final(`payouts/${again.transaction_id}`);
    const unknown = { ...wallet, phone_number: '0754123029', metadata: {} };
    const failed = await walk.see('initiateMobilePayout', null, { body: unknown });
    await ended('getPayout', 'failed', failed.transaction_id);
    await cancelled('Payout', 'payouts/mobile', wallet);
  });

  it('payouts to accounts', async () => {
    const { preview_id } = await walk.see('previewBankPayout', 'preview', { body: account, sent: 'preview' });
    const { transaction_id: id } = await walk.see('initiateBankPayout', 'accepted', {
      body: account,
      sent: 'payout',
    });
    await ended('getPayout', 'paid_to_a_bank', id);
    await at('getTransaction', 'payment', paidPush);
    await at('getTransaction', 'payout', id);
    await walk.see('getBankList', 'banks_and_payouts', { query: '?per_page=1' });
    const seen = { ...account, preview_id };
    const again = await walk.see('initiateBankPayout', null, { body: seen, sent: 'previewed_payout' });
    await shop.final(`payouts/${again.transaction_id}`);
    const unknown = { ...account, account_number: '0150123456029', metadata: {} };
    const failed = await walk.see('initiateBankPayout', null, { body: unknown });
    await shop.final(`payouts/${failed.transaction_id}`);
    await walk.told('bank', failed.transaction_id);
    const sentBack = { ...account, account_number: '0150123456239' };
    const returned = await walk.see('initiateBankPayout', null, { body: sentBack });
    await walk.told('bank', returned.transaction_id, 2);
    await at('getPayout', 'returned', returned.transaction_id);
  });

  it('refunds', async () => {
    const { transaction_id: id } = await walk.see('refundPayment', 'accepted', {
      id: paidPush,
      body: partBack,
      sent: 'part',
    });
    await ended('getPayout', 'refund', id);
    await walk.told('refund', id);
    await at('getPayment', 'partly_refunded', paidPush);
    await walk.see('getTransactions', 'a_refund_and_its_payment', { query: '?metadata[order_id]=INV-1001' });
    const rest = await walk.see('refundPayment', null, { id: paidPush, body: {}, sent: 'all_that_is_left' });
    await shop.final(`payouts/${rest.transaction_id}`);
    const { id: bill, receipt } = partOfBill;
    const one = { id: bill, body: { receipt }, sent: 'one_payment_of_a_bill' };
    const ofBill = await walk.see('refundPayment', null, one);
    await shop.final(`payouts/${ofBill.transaction_id}`);
    await walk.refused('refund_exceeds_payment', 'refundPayment', { id: paidPush, body: {} });
    await walk.see('getTransactions', 'transactions', { query: '?per_page=3' });
    await walk.see('getTransactions', 'beyond_the_last_page', { query: '?page=9' });
    await walk.see('getBalance', 'balance');
  });

  it('batches', async () => {
    const { batch } = await walk.see('createBatch', 'checked', { body: salaries, sent: 'salaries' });
    const { id, items_hash } = batch;
    await at('getBatch', 'draft', id);
    const wrong = { batch_number: 'WRONG', items: [{ ...salaries.items[0], phone_number: '0754123' }] };
    await walk.see('createBatch', 'wrong_rows', { body: wrong });
    const another = { accountId: shop.accountId, scopes: ['payouts:approve'], holder: 'Juma' } as const;
    const starter = walkOf({ ...shop, apiKey: await openKey(gateway, another) });
    await starter.refused('items_changed', 'startBatch', { id, body: { items_hash: '9f'.repeat(32) } });
    await starter.see('startBatch', 'running', { id, body: { items_hash }, sent: 'looked_at' });
    await walk.refused('batch_number_taken', 'createBatch', {
      body: { ...salaries, items: salaries.items.slice(0, 1) },
    });
    const of = async () => (await shop.get(`payouts/batches/${id}`)).json.batch.status;
    await until(async () => (await of()) === 'finished', 'the batch is finished');
    await at('getBatch', 'finished', id);
    await walk.ping('batch.finished', 'salaries');
    await walk.see('getBatches', 'one');
    await walk.see('getBatchItems', 'paid', { id, query: '?status=paid' });
    await starter.refused('batch_state', 'startBatch', { id, body: { items_hash } });
    const retry = { batch_number: 'SALARIES-2026-11-B', from_failed: id };
    await walk.see('createBatch', null, { body: retry, sent: 'what_failed' });
    await walk.seeCsv('createBatch', 'own_rows', { csv: sheet, query: '?batch_number=CSV-1' });
    const good = sheet.split('\r\n').slice(0, 2).join('\r\n').replace('0754123456', '0754123129');
    const ofFile = await walk.see('createBatch', null, { csv: good, query: '?batch_number=CSV-2' });
    const { id: slow, items_hash: hash } = ofFile.batch;
    await starter.see('startBatch', null, { id: slow, body: { items_hash: hash } });
    await waitsFor(`payouts/batches/${slow}/items`, /"status":"pending"/);
    await at('pauseBatch', 'paused', slow);
    await at('resumeBatch', 'running', slow);
    await walk.seeCsv('getBatchItems', 'own_columns', { id: slow });
    await at('cancelBatch', 'cancelled', slow);
  });

  it('statements', async () => {
    const saver = await openShop({ gateway, balance: 2_000_000 });
    const { see, seeCsv, refused } = walkOf(saver);
    await refused('not_settleable', 'settle', { body: {} });
    const { transaction_id: paid } = await see('initiateUssdPush', null, { body: push });
    await saver.final(`payments/${paid}`);
    const unknown = { ...wallet, phone_number: '0754123029' };
    const failed = await see('initiateMobilePayout', null, { body: unknown });
    await saver.final(`payouts/${failed.transaction_id}`);
    const day = dayOf(new Date());
    await see('getStatement', 'one_day', { query: `?from=${day}` });
    await seeCsv('getStatement', 'one_payment', { query: `?from=${day}&per_page=2` });
    await see('getFeeStatement', 'one_month', {
      fixed: { month: '2026-11', from: '2026-10-31T21:00:00.000000Z', to: '2026-11-30T21:00:00.000000Z' },
    });
    await seeCsv('getFeeStatement', 'one_month');
  });

  it('settlements', async () => {
    const rich = await openShop({ gateway, balance: 4_000_000 });
    const { rows } = await gateway.database.query('SELECT id FROM api_keys WHERE account_id = $1', [
      rich.accountId,
    ]);
    await setRule(gateway.database, { accountId: rich.accountId, apiKeyId: rows[0].id });
    await rich.listen();
    const { see, ping } = walkOf(rich);
    const part = { amount: 1_500_000, metadata: { period: '2026-W47' } };
    const { settlement } = await see('settle', 'in_two_payouts', { body: part, sent: 'a_part' });
    for (const id of settlement.payouts) await rich.final(`payouts/${id}`);
    await see('settle', null, { body: {}, sent: 'all_above_what_stays' });
    await agreed(gateway, {
      action: 'settlement.set',
      reason: 'by letter',
      payload: {
        account_id: rich.accountId,
        bank: { bic: 'CORUTZTZ', account_number: '0150123456790', full_name: 'Duka la Mama Asha' },
        days: [],
        keep: 10_000_000,
        smallest: 100_000,
        cap: 1_000_000_000,
      },
    });
    await ping('settlement.account_changed', 'changed');
  });

  it('callbacks', async () => {
    const { event_id } = await walk.see('testCallback', 'queued');
    await walkOf(shop).ping('ping', 'ping');
    await walk.see('getCallback', 'signed', { id: event_id });
    const logged = `callbacks?transaction_id=${paidPayout}`;
    await until(async () => (await shop.get(logged)).json.data[0]?.state === 'delivered', 'it is delivered');
    await walk.see('getCallbacks', 'page', { query: `?transaction_id=${paidPayout}` });
    await walk.see('resendCallback', 'queued', { id: event_id });
    const [from, to] = [0, 1].map(
      (days) => `${dayOf(new Date(Date.now() + days * 86_400_000))}T00:00:00+03:00`,
    );
    await walk.see('resendCallbacks', 'all', { body: { from }, sent: 'all_that_never_arrived' });
    await walk.see('resendCallbacks', null, {
      body: { from, to, state: 'delivered' },
      sent: 'one_day_again',
    });
    const put = (sent: string, body: object, name: string | null = null) =>
      walk.see('putCallbackSettings', name, { body, sent });
    await put('address_and_passphrase', {
      callback_url: 'https://shop.example/callbacks',
      passphrase: 'correct horse battery staple',
    });
    await walkOf(shop).ping('callbacks.address_changed', 'changed');
    await put('without_signatures', { passphrase: null });
    await put(
      'only_what_went_well',
      { events: ['payment.received', 'payout.completed'] },
      'only_what_went_well',
    );
  });

  it('refusals', async () => {
    const poor = await openShop({ gateway, balance: 1_000 });
    const { see, refused } = walkOf(poor);
    const limits = { ...noLimits, payout_daily_max: 10_000_000, duplicate_window_s: 60 };
    const limited = walkOf(await openShop({ gateway, balance: 200_000, limits }));
    await limited.see('initiateMobilePayout', null, { body: wallet });
    await limited.refused('duplicate_suspected', 'initiateMobilePayout', { body: wallet });
    await limited.refused('limit_exceeded', 'initiateMobilePayout', { body: { ...wallet, amount: 60000 } });
    const pays = (code: string, more: object, headers = {}) =>
      refused(code, 'initiateMobilePayout', { body: { ...wallet, ...more }, headers });
    const none = '00000000-0000-5000-8000-000000000000';
    await pays('insufficient_balance', {});
    await pays('idempotency_key_missing', {}, { 'idempotency-key': '' });
    await pays('idempotency_key_invalid', {}, { 'idempotency-key': 'order 1001' });
    await pays('unauthorized', {}, { authorization: '' });
    await pays('unsupported_media_type', {}, { 'content-type': 'text/plain' });
    await pays('validation_failed', { amount: 0.5, phone_number: undefined });
    await pays('unsupported_currency', { currency: 'USD' });
    await pays('unsupported_network', { phone_number: '0640123456' });
    await pays('amount_out_of_range', { amount: 300_001 });
    await pays('too_many_values', { metadata: { list: Array(2_001).fill(0) } });
    await pays('payload_too_large', { metadata: { note: 'x'.repeat(65_536) } });
    await refused('invalid_json', 'initiateMobilePayout', { body: [] });
    await refused('unknown_bank', 'initiateBankPayout', { body: { ...account, bic: 'CORUTZTX' } });
    const unknown = { ...wallet, phone_number: '0754123029' };
    await refused('recipient_not_found', 'previewMobilePayout', { body: unknown });
    await refused('not_found', 'getPayment', { id: none });
    await refused('method_not_allowed', 'getPayment', { id: none, method: 'PUT' });
    const key = newKey();
    await see('initiateUssdPush', null, { body: push, key });
    await refused('idempotency_key_reused', 'initiateUssdPush', { body: { ...push, amount: 6000 }, key });
    const reader = await openKey(gateway, { accountId: poor.accountId, scopes: ['payouts:read'] });
    await pays('forbidden', {}, { authorization: `Bearer ${reader}` });
  });

  it('are what a walk sees now', () => {
    const text = `${JSON.stringify(recorder.written(), null, 2)}\n`;
    if (process.env.RECORD_EXAMPLES === 'true') writeFileSync(file, text);
    assert.equal(readFileSync(file, 'utf8'), text, 'run npm run examples');
  });

  const walkOf = (of: Shop) => createWalker(of, recorder);
});
