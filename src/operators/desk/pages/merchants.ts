import { startersOf } from '../../../domain/batch.ts';
import { describeLimit, limitNames } from '../../../domain/limits.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { merchantAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { folded, form } from '../form.ts';
import { listAt, table } from '../list.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { facts, link, money, segment, spaced, time, timeOf } from '../words.ts';

const list = (desk: Desk) => listAt(desk, lists.accounts);

export const merchantsPage: Page = {
  path: 'merchants',
  title: 'Merchants',
  menu: 'Merchants',
  isFor: (desk) => desk.may('listAccounts'),
  show: async (desk) =>
    html`${await table(desk, list(desk))}${
      desk.may('createAccount') &&
      folded(desk, 'Open an account', {
        act: 'create',
        label: 'Open it',
        fields: [{ name: 'name', label: "The merchant's name" }],
      })
    }`,
  list,
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
    return html`${accountShown(answer)}${linksOf(desk)}${proposalsOf(desk, answer)}${freezingOf(desk, answer)}`;
  },
};

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
  const payments =
    desk.may('listPayments') &&
    html`<li><a href="/desk/payments?merchant=${segment(desk.id)}">Payments of today</a></li>`;
  return html`<ul>${payments}${links.map((one) => one && html`<li><a href="${merchantAt(desk.id)}/${one[0]}">${one[1]}</a></li>`)}</ul>`;
}

function proposalsOf(desk: Desk, answer: Answer<'getAccount'>): Html {
  const seen = { account_id: desk.id };
  const needed = answer.batches_need_another;
  return html`${proposing(desk, 'accounts.display-name', { seen })}${proposing(desk, 'accounts.batches', { seen, values: { need_another: needed ? 'no' : 'yes' } })}${
    desk.mayAsk('accounts.top-up') && html`<h2>Money outside any network</h2>`
  }${proposing(desk, 'accounts.top-up', { seen })}${proposing(desk, 'accounts.withdraw', { seen })}`;
}

function freezingOf(desk: Desk, { account }: Answer<'getAccount'>): Html {
  const { id: account_id, frozen_at } = account;
  const seen = { account_id, key_id: undefined };
  if (frozen_at === null) return html`<h2>Freeze</h2>${proposing(desk, 'accounts.freeze', { seen })}`;
  return html`<h2>Frozen</h2>${proposing(desk, 'accounts.unfreeze', { seen: { ...seen, frozen_at }, isUsual: true })}`;
}

const callbacks = (desk: Desk) =>
  listAt(desk, lists.callbacks, {
    id: desk.id,
    below: ({ event_id }) =>
      desk.may('resendCallback')
        ? form(desk, { act: 'resend', label: 'Send it again', keep: { event_id } })
        : null,
  });

export const callbacksPage: Page = {
  path: 'merchants/{id}/callbacks',
  title: 'Callbacks',
  show: async (desk) =>
    html`${backTo(desk)}${await table(desk, callbacks(desk))}${proposing(desk, 'callbacks.resend', { seen: { account_id: desk.id } })}`,
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
    return html`${backTo(desk)}${facts(limitNames.map((name) => [spaced(name), describeLimit(name, limits[name])] as const))}${proposing(
      desk,
      'limits.set',
      { seen: { account_id: desk.id, key_id: undefined, before: limits } },
    )}`;
  },
};

export const backTo = ({ id }: Desk) => html`<p><a href="${merchantAt(id)}">To the merchant</a></p>`;
