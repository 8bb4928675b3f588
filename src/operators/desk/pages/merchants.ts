import { startersOf } from '../../../domain/batch.ts';
import { callbackStates } from '../../../domain/event.ts';
import { describeLimit, limitNames, limitRules } from '../../../domain/limits.ts';
import { CURRENCY } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { merchantAt, transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice, folded, form, reasonField } from '../form.ts';
import { listOf, table } from '../list.ts';
import { type Act, type Page, proposes } from '../page.ts';
import { requireAmount, requireNumber } from '../typed.ts';
import { facts, link, money, segment, spaced, text, time, timeOf } from '../words.ts';

const list = listOf({
  call: 'listAccounts',
  filters: [{ name: 'name', label: 'Name, or a part of it' }],
  columns: [
    ['Merchant', ({ id, name }) => link(merchantAt(id), name)],
    ['Since', ({ created_at }) => time(created_at)],
    ['Frozen', ({ frozen_at }) => time(frozen_at, 'no')],
    ['Id', ({ id }) => text(id)],
  ],
  none: 'There is no such merchant.',
});

export const merchantsPage: Page = {
  path: 'merchants',
  title: 'Merchants',
  menu: 'Merchants',
  isFor: (desk) => desk.may('listAccounts'),
  show: async (desk) =>
    html`${await table(desk, list)}${
      desk.may('createAccount') &&
      folded(desk, 'Open an account', {
        act: 'create',
        label: 'Open it',
        fields: [{ name: 'name', label: "The merchant's name" }],
      })
    }`,
  list: () => list,
  acts: {
    async create(desk, form) {
      const { account } = await desk.ask('createAccount', { body: { name: form.get('name') } });
      return merchantAt(account.id);
    },
  },
};

export const merchantPage: Page = {
  path: 'merchants/{id}',
  title: 'Merchant',
  async show(desk) {
    const answer = await desk.ask('getAccount', { id: desk.id });
    return html`${accountShown(answer)}${linksOf(desk)}${namingOf(desk)}${batchesOf(desk, answer)}${fundingOf(desk)}${freezingOf(desk, answer)}`;
  },
  acts: {
    'top-up': funding('accounts.top-up'),
    withdraw: funding('accounts.withdraw'),
    async freeze(desk, form) {
      await desk.ask('freezeAccount', { id: desk.id, body: { reason: form.get('reason') } });
      return merchantAt(desk.id);
    },
    'display-name': proposes('accounts.display-name', ({ id }, form) => ({
      account_id: id,
      display_name: form.get('display_name'),
    })),
    batches: proposes('accounts.batches', ({ id }, form) => ({
      account_id: id,
      need_another: form.get('need_another') === 'true',
    })),
    unfreeze: proposes('accounts.unfreeze', ({ id }) => ({ account_id: id })),
  },
};

function funding(action: string): Act {
  return (desk, form) => {
    const reference = form.get('reference') ?? '';
    const note = form.get('note');
    const amount = requireAmount(form.get('amount'), 'amount');
    const payload = { account_id: desk.id, amount, currency: CURRENCY, reference, note };
    return desk.propose(action, payload, note ?? reference);
  };
}

function accountShown(answer: Answer<'getAccount'>): Html {
  const { account, balance } = answer;
  return html`<p><strong>${account.name}</strong></p>${facts([
    ['Available', money(balance.available, balance.currency)],
    ['Held for payouts', money(balance.held, balance.currency)],
    ['Since', time(account.created_at)],
    [
      'Frozen',
      account.frozen_at === null ? 'no' : html`since ${timeOf(account.frozen_at)}: nothing new is accepted`,
    ],
    ['Batches are started by', startersOf(answer.batches_need_another)],
    ['Settlement', settlementShown(answer)],
    ['Id', html`<code>${account.id}</code>`],
  ])}`;
}

export function settlementShown({ settlement, balance: { currency } }: Answer<'getAccount'>): Html | string {
  if (settlement === null) return 'no rule';
  const setBy = link(`/desk/proposals/${segment(settlement.set_by)}`, settlement.set_by).shown;
  const { rule } = settlement;
  if (rule === null) return html`What ${setBy} set is not proven and pays nothing: propose it again`;
  const { own_account, days, keep, smallest, cap, pays_from, waits } = rule;
  return html`With ${own_account} ${days.length === 0 ? 'when asked for' : `on ${days.join(', ')}`}${
    waits && html`, from ${timeOf(pays_from)} on`
  }: keeps ${keep}, ${smallest} to ${cap} ${currency} at once (${setBy})`;
}

function linksOf(desk: Desk): Html {
  const links = [
    desk.may('getStatement') && ['statement', 'Statement'],
    desk.may('listKeys') && ['keys', 'Keys'],
    desk.may('listCallbacks') && ['callbacks', 'Callbacks'],
    desk.may('getLimits') && ['limits', 'Limits'],
    desk.may('getFees') && ['fees', 'Fees'],
    ['settlement', 'Settlement'],
  ] as const;
  return html`<ul>${links.map((one) => one && html`<li><a href="${merchantAt(desk.id)}/${one[0]}">${one[1]}</a></li>`)}</ul>`;
}

function namingOf(desk: Desk): Html | null {
  if (!desk.mayPropose('accounts.display-name')) return null;
  const fields = [
    { name: 'display_name', label: 'As its customers know it', hint: 'On the pages where they pay' },
    { name: 'reason', label: 'Why' },
  ];
  return folded(desk, 'Its name to customers', { act: 'display-name', label: 'Propose it', fields });
}

function batchesOf(desk: Desk, { batches_need_another: needed }: Answer<'getAccount'>): Html | null {
  if (!desk.mayPropose('accounts.batches')) return null;
  return folded(desk, 'Who starts its batches', {
    act: 'batches',
    label: `Propose ${startersOf(!needed)}`,
    keep: { need_another: String(!needed) },
    fields: [{ name: 'reason', label: 'Why' }],
    ...(needed ? { note: 'Then one person of the merchant pays whom they like.' } : {}),
  });
}

function fundingOf(desk: Desk): Html | null {
  if (!desk.mayPropose('accounts.top-up')) return null;
  const fields = [
    { name: 'amount', label: `Amount in ${CURRENCY}` },
    { name: 'reference', label: "The bank's reference", hint: 'It counts once, over all merchants' },
    { name: 'note', label: 'Why, for the books', isOptional: true },
  ];
  const way = (act: string, title: string) =>
    folded(desk, title, { act, label: 'Propose it', fields, note: 'Another operator has to approve it.' });
  return html`<h2>Money outside any network</h2>${way('top-up', 'Top up: money of the merchant has reached our bank account')}${way('withdraw', 'Withdraw: money of the merchant has left it')}`;
}

function freezingOf(desk: Desk, { account }: Answer<'getAccount'>): Html | null {
  const fields = [reasonField];
  if (account.frozen_at !== null)
    return html`${desk.mayPropose('accounts.unfreeze') && html`<h2>Lift the freeze</h2>${form(desk, { act: 'unfreeze', label: 'Propose to lift it', fields })}`}`;
  return html`<h2>Freeze</h2>${folded(desk, 'Accept nothing new from this merchant, at once', {
    act: 'freeze',
    label: 'Freeze it now',
    fields,
    note: 'What was accepted goes on. To lift it needs two operators.',
  })}`;
}

const callbacks = (desk: Desk) =>
  listOf({
    call: 'listCallbacks',
    id: desk.id,
    filters: [choice('state', 'State', 'every state', { names: callbackStates })],
    columns: [
      ['What', ({ event }) => text(event)],
      ['State', ({ state }) => text(spaced(state))],
      ['When', ({ created_at }) => time(created_at)],
      ['Tried', ({ attempts }) => text(attempts)],
      ['Last', ({ last_at }) => time(last_at)],
      ['Its answer', ({ last_answer }) => text(last_answer)],
      ['Next', ({ next_attempt_at }) => time(next_attempt_at)],
      [
        'Transaction',
        ({ transaction_id }) =>
          transaction_id === null ? text('') : link(transactionAt(transaction_id), 'its transaction'),
      ],
      ['Id', ({ event_id }) => text(event_id)],
    ],
    none: 'There is no such callback.',
    below: ({ event_id }) =>
      desk.may('resendCallback')
        ? form(desk, { act: 'resend', label: 'Send it again', keep: { event_id } })
        : null,
  });

export const callbacksPage: Page = {
  path: 'merchants/{id}/callbacks',
  title: 'Callbacks',
  show: async (desk) => html`${backTo(desk)}${await table(desk, callbacks(desk))}`,
  list: callbacks,
  acts: {
    async resend(desk, form) {
      await desk.ask('resendCallback', { id: desk.id, body: { event_id: form.get('event_id') } });
      return `${merchantAt(desk.id)}/callbacks?done=`;
    },
  },
};

export const limitsPage: Page = {
  path: 'merchants/{id}/limits',
  title: 'Limits of payouts',
  async show(desk) {
    const { limits } = await desk.ask('getLimits', { id: desk.id });
    const fields = limitNames.map((name) => ({
      name,
      label: `${spaced(name)}${limitRules[name].unit === 'money' ? `, in ${CURRENCY}` : ''}`,
      isOptional: true,
      hint: `Now ${describeLimit(name, limits[name])}`,
    }));
    return html`${backTo(desk)}${facts(limitNames.map((name) => [spaced(name), describeLimit(name, limits[name])] as const))}${
      desk.mayPropose('limits.set') &&
      html`<h2>Change</h2>${form(desk, {
        act: 'set',
        label: 'Propose these',
        fields: [...fields, reasonField],
        note: 'What is left empty stays as it is; "none" lifts a limit.',
      })}`
    }`;
  },
  acts: {
    set: proposes('limits.set', ({ id }, form) => {
      const given = limitNames.flatMap((name) => {
        const typed = form.get(name);
        return typed === undefined ? [] : [[name, limitTyped(name, typed)] as const];
      });
      return { account_id: id, limits: Object.fromEntries(given) };
    }),
  },
};

function limitTyped(name: (typeof limitNames)[number], typed: string): number | null {
  if (typed === 'none') return null;
  return limitRules[name].unit === 'money' ? requireAmount(typed, name) : requireNumber(typed, name);
}

export const backTo = ({ id }: Desk) => html`<p><a href="${merchantAt(id)}">To the merchant</a></p>`;
