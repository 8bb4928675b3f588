import { byId, call, element, showWhenChanged } from './dom.js';
import { amountIn, dateOf, language, leftUntil, messageText, money, timeOf, word } from './language.js';

const TABS = ['wallet', 'pay', 'scan', 'bank'];
const FIRST_NUMBER = '0754000001';
const FIRST_ACCOUNT = '0150123456789';

/** An incomplete number is not looked up. */
const PHONE = /^(\+?255|0)[67]\d{8}$/;
const ACCOUNT = /^[0-9A-Za-z]{5,34}$/;
const NOBODY = { ok: false, json: {} };

/** Prompts that the person ignored, in every window; they stay open until they expire. */
const IGNORED = 'malipo-ignored';
const ignored = () => JSON.parse(localStorage.getItem(IGNORED) ?? '[]');
const isIgnored = ({ id }) => ignored().includes(id);
const IGNORED_MAX = 50;

let business = '';

export const phoneNumber = () => byId('number').value.trim();
export const accountNumber = () => byId('account').value.trim();
const isPhone = () => PHONE.test(phoneNumber().replace(/[ -]/g, ''));
const isAccount = () => ACCOUNT.test(accountNumber());
/** Returns the complete phone and account numbers. */
export const numbers = () => [
  ...(isPhone() ? [phoneNumber()] : []),
  ...(isAccount() ? [accountNumber()] : []),
];

/** The address holds the number, so that two windows can be two phones. */
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

/** `refresh` asks the simulator again at once. */
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
    void askAboutBill(refresh);
  });
}

/** Shows whose bill it is before any money moves; the person confirms with the PIN. */
async function askAboutBill(refresh) {
  const [place, outcome] = [byId('pay-confirm'), byId('pay-outcome')];
  place.replaceChildren();
  const number = byId('control-number').value;
  const amount = amountIn(byId('pay-amount').value);
  if (amount === null) return say(outcome, 'bad', word('amount_wrong'));
  const body = { control_number: number, amount, phone_number: phoneNumber(), step: 'validate' };
  say(outcome, '', word('paying'));
  const { json } = await call('/customer/pay-bill', { body }).catch(() => ({ json: {} }));
  if (json.bill === undefined) return sayOutcome(outcome, json);
  say(outcome, '', '');
  const title = word('confirm_bill', { amount: money(amount), whose: json.bill || business, number });
  const confirm = async () => {
    place.replaceChildren();
    await pay(`pay-bill/${encodeURIComponent(json.receipt)}/continue`, {}, outcome);
    byId('control-number').focus();
    await refresh();
  };
  const cancel = () => {
    place.replaceChildren();
    byId('control-number').focus();
  };
  place.replaceChildren(
    pinForm({
      title,
      onPin: confirm,
      buttons: [element('button', { type: 'button', 'data-do': 'cancel', onclick: cancel }, word('cancel'))],
    }),
  );
  place.querySelector('input').focus();
}

/** The PIN approves a prompt. Any four digits are right. */
function pinForm({ title, detail = null, onPin, buttons }) {
  const pin = element('input', {
    type: 'password',
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: '4',
    'data-pin': '',
  });
  const approve = () => {
    if (/^\d{4}$/.test(pin.value)) void onPin();
    else pin.focus();
  };
  pin.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    approve();
  });
  return element(
    'div',
    { class: 'prompt', role: 'group', 'aria-label': title },
    element('p', { class: 'money' }, title),
    detail,
    element('label', { class: 'field' }, word('pin'), pin),
    element(
      'div',
      { class: 'row' },
      element(
        'button',
        { type: 'button', 'data-do': 'approve', class: 'main', onclick: approve },
        word('approve'),
      ),
      ...buttons,
    ),
  );
}

function say(outcome, className, text) {
  outcome.className = className;
  outcome.textContent = text;
}

/** The network's own sentence is English, so in Swahili the page has its own. */
function sayOutcome(outcome, { accepted, message }) {
  const own = accepted ? 'payment_accepted' : 'payment_refused';
  const text = message === undefined ? word('unreachable') : language() === 'en' ? message : word(own);
  say(outcome, accepted ? 'good' : 'bad', text);
}

/** A customer pays; `outcome` shows the network's answer. */
export async function pay(how, body, outcome) {
  say(outcome, '', word('paying'));
  const sent = { ...body, phone_number: phoneNumber() };
  const answer = await call(`/customer/${how}`, { body: sent }).catch(() => ({ json: {} }));
  sayOutcome(outcome, answer.json);
}

export async function showPhone(refresh, nameOfBusiness) {
  business = nameOfBusiness;
  const number = phoneNumber();
  const [phone, account] = await Promise.all([
    isPhone() ? call(`/phone/wallet?phone_number=${encodeURIComponent(number)}`) : NOBODY,
    isAccount() ? call(`/phone/bank?account_number=${accountNumber()}`) : NOBODY,
  ]);
  // Another number was typed meanwhile.
  if (number !== phoneNumber()) return;
  byId('owner').textContent = phone.ok ? ownerText(phone.json) : word('not_a_number');
  byId('balance').textContent = phone.ok ? money(phone.json.balance) : '';
  showPrompts(phone.ok ? phone.json.prompts : [], refresh);
  showMessages(byId('messages'), phone.json.messages ?? [], phone.json.message_texts);
  byId('account-owner').textContent = account.json.owner ?? word('no_account');
  byId('account-balance').textContent = account.ok ? money(account.json.balance) : '';
  showMessages(byId('account-messages'), account.json.messages ?? []);
}

function ownerText({ owner, network }) {
  if (owner === null) return word('nobody');
  return word('owner', { owner, network: network ?? word('no_network') });
}

function showPrompts(prompts, refresh) {
  const place = byId('prompts');
  const hadFocus = place.contains(document.activeElement);
  const state = prompts.map((prompt) => [prompt.id, isIgnored(prompt), language()]);
  showWhenChanged(place, state, () => prompts.map((prompt) => promptOf(prompt, refresh)));
  // The pressed button is gone: focus moves to the next prompt, or to the balance.
  if (hadFocus && !place.contains(document.activeElement))
    (place.querySelector('input') ?? byId('balance')).focus();
  for (const prompt of prompts) {
    const left = place.querySelector(`[data-left="${prompt.id}"]`);
    if (left) left.textContent = timeText(prompt);
  }
}

function timeText(prompt) {
  const values = {
    amount: money(prompt.amount),
    reference: prompt.reference,
    left: leftUntil(prompt.expires_at),
  };
  return word(isIgnored(prompt) ? 'ignored' : 'prompt_detail', values);
}

function promptOf(prompt, refresh) {
  // Screen readers do not read the countdown.
  const left = element('p', { class: 'hint', 'data-left': prompt.id, 'aria-live': 'off' }, timeText(prompt));
  if (isIgnored(prompt)) return left;
  const answer = async (action) => {
    const { ok } = await call(`/customer/prompts/${prompt.id}`, { body: { action } });
    if (!ok) left.textContent = word('prompt_over');
    await refresh();
  };
  const ignore = () => {
    localStorage.setItem(IGNORED, JSON.stringify([...ignored(), prompt.id].slice(-IGNORED_MAX)));
    void refresh();
  };
  const button = (name, handle) =>
    element('button', { type: 'button', 'data-do': name, onclick: handle }, word(name));
  return pinForm({
    title: word('prompt', { amount: money(prompt.amount), business }),
    detail: left,
    onPin: () => answer('approve'),
    buttons: [button('decline', () => answer('decline')), button('ignore', ignore)],
  });
}

function showMessages(where, messages, texts) {
  showWhenChanged(where, [messages, language(), texts], () =>
    messages.length === 0
      ? [element('li', { class: 'hint' }, word('no_messages'))]
      : messages.map((message) => lineOf(message, texts)),
  );
}

const NO_FEE = 0;
const plainMoney = (amount) => money(amount).replace('TZS ', '');

function lineOf(message, texts) {
  const { kind, amount, balance, receipt, control_number, at } = message;
  const key = kind === 'paid' && control_number !== null ? 'paid_bill' : kind;
  const hasText = texts !== undefined && key in texts.en;
  const values = {
    amount: hasText ? plainMoney(amount) : money(amount),
    balance: balance === null ? '' : hasText ? plainMoney(balance) : money(balance),
    fee: plainMoney(NO_FEE),
    business,
    receipt,
    control_number,
    date: dateOf(at),
    time: timeOf(at),
  };
  return element(
    'li',
    {},
    element('span', { class: 'hint' }, `${timeOf(at)} `),
    messageText(key, values, texts),
  );
}
