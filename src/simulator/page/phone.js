import { byId, call, element, showWhenChanged } from './dom.js';
import { language, leftUntil, messageText, money, timeOf, word } from './language.js';

/** The phone in the person's hand: prompts, wallet, bills, and a bank account. */

const TABS = ['wallet', 'pay', 'scan', 'bank'];
const FIRST_NUMBER = '0754000001';
const FIRST_ACCOUNT = '0150123456789';

/** While a number is typed nobody is asked about it. */
const PHONE = /^(\+?255|0)[67]\d{8}$/;
const ACCOUNT = /^[0-9A-Za-z]{1,34}$/;
const NOBODY = { ok: false, json: {} };

/** prompts that the person looked away from; they stay open until their time is over */
const ignored = new Set();

export const phoneNumber = () => byId('number').value.trim();
export const accountNumber = () => byId('account').value.trim();

/** The number stands in the address, so that two windows can be two phones. */
export function takePhone(number) {
  byId('number').value = number;
  history.replaceState(null, '', `#${encodeURIComponent(number)}`);
}

export function takeAccount(number) {
  byId('account').value = number;
}

export function openTab(name) {
  for (const button of document.querySelectorAll('[data-tab]'))
    button.setAttribute('aria-current', String(button.dataset.tab === name));
  for (const tab of TABS) document.querySelector(`[data-screen="${tab}"]`).hidden = tab !== name;
}

/** `refresh` asks the simulator again, now. */
export function startPhone(refresh) {
  takePhone(decodeURIComponent(location.hash.slice(1)) || FIRST_NUMBER);
  takeAccount(FIRST_ACCOUNT);
  openTab('wallet');
  for (const button of document.querySelectorAll('[data-tab]'))
    button.addEventListener('click', () => openTab(button.dataset.tab));
  byId('number').addEventListener('input', () => {
    takePhone(phoneNumber());
    refresh();
  });
  byId('account').addEventListener('input', refresh);
  byId('pay-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const body = { control_number: byId('control-number').value, amount: byId('pay-amount').value };
    void pay('pay-bill', body, byId('pay-outcome')).then(refresh);
  });
}

/** A customer pays; what the network says to it stands at `outcome`. */
export async function pay(how, body, outcome) {
  outcome.className = '';
  outcome.textContent = word('paying');
  const answer = await call(`/customer/${how}`, { body: { ...body, phone_number: phoneNumber() } }).catch(
    () => null,
  );
  outcome.className = answer?.json.accepted ? 'good' : 'bad';
  outcome.textContent = answer?.json.message ?? word('unreachable');
}

/** Asks what this phone and this account see, and shows it. */
export async function showPhone(refresh) {
  const number = phoneNumber();
  const [phone, account] = await Promise.all([
    PHONE.test(number.replace(/[ -]/g, ''))
      ? call(`/phone/wallet?phone_number=${encodeURIComponent(number)}`)
      : NOBODY,
    ACCOUNT.test(accountNumber()) ? call(`/phone/bank?account_number=${accountNumber()}`) : NOBODY,
  ]);
  // Another number was typed meanwhile.
  if (number !== phoneNumber()) return;
  byId('owner').textContent = phone.ok ? ownerText(phone.json) : word('not_a_number');
  byId('balance').textContent = phone.ok ? money(phone.json.balance) : '';
  showPrompts(phone.ok ? phone.json.prompts : [], refresh);
  showMessages(byId('messages'), phone.json.messages ?? []);
  byId('account-owner').textContent = account.json.owner ?? word('no_account');
  byId('account-balance').textContent = account.ok ? money(account.json.balance) : '';
  showMessages(byId('account-messages'), account.json.messages ?? []);
}

function ownerText({ owner, network }) {
  if (owner === null) return word('nobody');
  return word('owner', { owner, network: network ?? word('no_network') });
}

function showPrompts(prompts, refresh) {
  const state = prompts.map(({ id }) => [id, ignored.has(id), language()]);
  showWhenChanged(byId('prompts'), state, () => prompts.map((prompt) => promptOf(prompt, refresh)));
  for (const prompt of prompts) {
    const place = byId('prompts').querySelector(`[data-left="${prompt.id}"]`);
    if (place) place.textContent = timeText(prompt);
  }
}

function timeText(prompt) {
  const values = {
    amount: money(prompt.amount),
    reference: prompt.reference,
    left: leftUntil(prompt.expires_at),
  };
  return word(ignored.has(prompt.id) ? 'ignored' : 'prompt_detail', values);
}

function promptOf(prompt, refresh) {
  // The seconds that count down are not read out.
  const left = element('p', { class: 'hint', 'data-left': prompt.id, 'aria-live': 'off' }, timeText(prompt));
  if (ignored.has(prompt.id)) return left;
  const answer = async (action) => {
    const { ok } = await call(`/customer/prompts/${prompt.id}`, { body: { action } });
    if (!ok) left.textContent = word('prompt_over');
    await refresh();
  };
  const button = (name, handle) =>
    element(
      'button',
      { type: 'button', 'data-do': name, class: name === 'approve' ? 'main' : null, onclick: handle },
      word(name),
    );
  const ignore = () => {
    ignored.add(prompt.id);
    refresh();
  };
  const title = word('prompt', { amount: money(prompt.amount) });
  return element(
    'div',
    { class: 'prompt', role: 'group', 'aria-label': title },
    element('p', { class: 'money' }, title),
    left,
    element(
      'div',
      { class: 'row' },
      button('approve', () => answer('approve')),
      button('decline', () => answer('decline')),
      button('ignore', ignore),
    ),
  );
}

function showMessages(where, messages) {
  showWhenChanged(where, [messages, language()], () =>
    messages.length === 0 ? [element('li', { class: 'hint' }, word('no_messages'))] : messages.map(lineOf),
  );
}

function lineOf(message) {
  const { kind, amount, balance, receipt, control_number, at } = message;
  const key = kind === 'paid' && control_number !== null ? 'paid_bill' : kind;
  const values = {
    amount: money(amount),
    balance: balance === null ? '' : money(balance),
    receipt,
    control_number,
  };
  return element('li', {}, element('span', { class: 'hint' }, `${timeOf(at)} `), messageText(key, values));
}
