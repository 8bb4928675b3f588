import { byId, call, element, showWhenChanged } from './dom.js';
import { amountIn, endingText, language, timeOf, word } from './language.js';
import { accountNumber, openTab, phoneNumber, takeAccount, takePhone } from './phone.js';

const BANK_BIC = 'CORUTZTZ';
const DIGITS_OF_ENDING = 3;
/** A batch also pays these endings; the last one is blocked. */
const OTHERS_OF_BATCH = ['011', '012', '013', '039'];

export function startMerchant(refresh) {
  byId('ask-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void ask().then(refresh);
  });
  byId('transactions').addEventListener('click', ({ target }) => {
    const press = batchButtons[target.dataset.batchDo];
    if (press) void send(...press(target.dataset)).then(refresh);
  });
}

const requests = {
  push: (amount) => ['push', { amount, currency: 'TZS', phone_number: phoneNumber() }],
  bill: (amount) => ['bill', { ...billOf(amount), payment_mode: 'exact' }],
  flexible: (amount) => ['bill', { ...billOf(amount), payment_mode: 'flexible' }],
  qr: (amount) => ['qr', { amount, currency: 'TZS', description: 'Phone page' }],
  number: () => ['number', { customer_reference: `PHONE-${Date.now()}`, description: 'Phone page' }],
  link: (amount) => ['link', { amount, description: 'Phone page' }],
  mobile: (amount) => ['mobile', { amount, currency: 'TZS', phone_number: phoneNumber() }],
  bank: (amount) => [
    'bank',
    {
      amount,
      currency: 'TZS',
      account_number: accountNumber(),
      bic: BANK_BIC,
      beneficiary: { full_name: 'Asha Juma' },
    },
  ],
  batch: (amount) => [
    'batch',
    { batch_number: `PHONE-${Date.now()}`, allow_twins: true, items: five(amount) },
  ],
};

function five(amount) {
  const others = OTHERS_OF_BATCH.map((ending) => phoneNumber().slice(0, -DIGITS_OF_ENDING) + ending);
  return [phoneNumber(), ...others].map((phone_number) => ({ amount, currency: 'TZS', phone_number }));
}

const batchButtons = {
  start: ({ id, hash }) => ['start', { id, items_hash: hash }],
  again: ({ id }) => ['batch', { batch_number: `PHONE-${Date.now()}`, from_failed: id }],
};

function billOf(amount) {
  return { amount, payment_number: `PHONE-${Date.now()}`, description: 'Phone page' };
}

async function ask() {
  const amount = amountIn(byId('ask-amount').value);
  if (amount !== null) return send(...requests[byId('what').value](amount));
  byId('answer').replaceChildren(element('p', { class: 'bad' }, word('amount_wrong')));
}

async function send(path, body) {
  const answer = byId('answer');
  answer.replaceChildren(word('asking'));
  const got = await call(`/merchant/${path}`, { body, language: language() }).catch(() => null);
  if (got === null) return answer.replaceChildren(element('p', { class: 'bad' }, word('unreachable')));
  answer.replaceChildren(...answerOf(got));
}

function answerOf({ ok, json }) {
  const said = [json.message, ...(json.errors ?? []).map(({ field, message }) => `${field} ${message}`)];
  const lines = [element('p', { class: ok ? 'good' : 'bad' }, said.join(' · '))];
  const number = json.bill?.reference ?? json.number?.reference;
  if (ok && number) {
    const type = () => {
      byId('control-number').value = number;
      openTab('pay');
      byId('pay-amount').focus();
    };
    lines.push(
      element('p', {}, word('show_code', { number })),
      element('button', { type: 'button', id: 'to-phone', onclick: type }, word('to_phone')),
    );
  }
  const page = json.pay_url ?? json.number?.pay_url ?? json.link?.url;
  if (ok && page)
    lines.push(
      element(
        'p',
        {},
        element('a', { id: 'pay-page', href: page, target: '_blank', rel: 'noopener' }, word('pay_page')),
      ),
    );
  if (ok && json.qr)
    lines.push(element('img', { src: json.qr.image, alt: 'QR', width: '220', height: '220' }));
  return lines;
}

/** Returns the sentence of a problem, or null. */
export async function showMerchant() {
  const { json } = await call('/merchant/activity', { language: language() });
  const { transactions = [], batches = [], callbacks = [] } = json;
  showWhenChanged(byId('transactions'), [transactions, batches, callbacks, language()], () =>
    transactions.length + batches.length === 0
      ? [element('li', { class: 'hint' }, word('nothing_yet'))]
      : [
          ...batches.map((batch) => lineOfBatch(batch, callbacks)),
          ...transactions.map((transaction) => lineOf(transaction, callbacks)),
        ],
  );
  if (!json.known) return word('no_merchant');
  return json.reached ? null : word('api_unreachable');
}

const GOOD = ['completed', 'paid'];
const BAD = ['failed', 'cancelled'];

function lineOf(transaction, callbacks) {
  const { transaction_id: id, transaction_mode: mode, status, failure_code, failure_reason } = transaction;
  const colour = GOOD.includes(status) ? 'good' : BAD.includes(status) ? 'bad' : 'waiting';
  const own = callbacks.filter((callback) => callback.transaction_id === id);
  return element(
    'li',
    { 'data-transaction': id, 'data-status': status },
    element('span', { class: 'hint' }, `${timeOf(transaction.created_at)} `),
    `${word(`mode_${mode}`)} · TZS ${transaction.amount.value} · ${partyOf(transaction)} · `,
    element('span', { class: `status ${colour}` }, word(`status_${status}`)),
    failure_code ? element('code', {}, ` ${failure_code}`) : null,
    transaction.bill ? element('div', { class: 'hint' }, word('bill_paid', transaction.bill)) : null,
    failure_reason ? element('div', { class: 'hint' }, failure_reason) : null,
    ...own.map(callbackOf),
  );
}

function lineOfBatch(batch, callbacks) {
  const { id, batch_number: number, status, items_hash: hash, totals, errors } = batch;
  const button = (what) =>
    element(
      'button',
      { type: 'button', 'data-batch-do': what, 'data-id': id, 'data-hash': hash },
      word(`batch_${what}`),
    );
  const own = callbacks.filter(
    ({ event, body }) => event === 'batch.finished' && JSON.parse(body).batch_id === id,
  );
  return element(
    'li',
    { 'data-batch': id, 'data-status': status },
    element('span', { class: 'hint' }, `${timeOf(batch.created_at)} `),
    `${word('batch', { number, items: totals.items })} · TZS ${totals.amount} · `,
    element(
      'span',
      { class: `status ${status === 'finished' ? 'good' : 'waiting'}` },
      word(`batch_is_${status}`),
    ),
    element('div', { class: 'hint' }, word('batch_totals', totals)),
    status === 'draft' && errors.length === 0 ? button('start') : null,
    status === 'finished' && totals.failed > 0 ? button('again') : null,
    ...own.map(callbackOf),
  );
}

function partyOf({ customer, beneficiary, bill, channel }) {
  return (
    customer?.phone_number ??
    beneficiary?.phone_number ??
    beneficiary?.bank_account ??
    bill?.reference ??
    channel.name
  );
}

function callbackOf(callback) {
  const checks = [callback.service_signature_verified, callback.standard_webhooks_verified];
  const key = checks.includes(null) ? 'not_checked' : checks.includes(false) ? 'not_verified' : 'verified';
  const mark = key === 'verified' ? '✓ ' : '✗ ';
  return element(
    'details',
    { 'data-callback': key },
    element(
      'summary',
      { class: key === 'verified' ? 'good' : 'bad' },
      `${mark}${timeOf(callback.received_at)} ${word(key, { event: callback.event ?? '?' })}`,
    ),
    key === 'not_verified' ? element('p', { class: 'bad' }, word('mend_signature')) : null,
    element('pre', {}, callback.body),
  );
}

/** A button fills in the phone (and account) with its ending and sends the request. */
export function showEndings(endings, refresh) {
  showWhenChanged(byId('endings'), [endings, language()], () =>
    endings.map((ending) => {
      const take = () => {
        takePhone(phoneNumber().slice(0, -DIGITS_OF_ENDING) + ending);
        takeAccount(accountNumber().slice(0, -DIGITS_OF_ENDING) + ending);
        void ask().then(refresh);
      };
      return element(
        'li',
        {},
        element('button', { type: 'button', 'data-ending': ending, onclick: take }, ending),
        endingText(ending),
      );
    }),
  );
}
