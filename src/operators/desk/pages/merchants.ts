import { CURRENCY } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { views } from '../../view-table.ts';
import { merchantAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { folded, form } from '../form.ts';
import { rowsAt } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { viewAt } from '../view.ts';
import { segment } from '../words.ts';

const nameField = { name: 'name', label: "The merchant's name" } as const;

export const merchantsPage = listPage(lists.accounts, {
  path: 'merchants',
  title: 'Merchants',
  menu: ['Merchants', 'Merchants'],
  below: (desk) =>
    desk.may('createAccount')
      ? folded(desk, 'Open an account', { act: 'create', label: 'Open it', fields: [nameField] })
      : null,
  acts: {
    async create(desk, form) {
      const { account } = await desk.ask('createAccount', { body: { name: form.get('name') } });
      return merchantAt(account.id);
    },
  },
});

export const merchantPage: Page = {
  path: 'merchants/{id}',
  title: 'Merchant',
  async show(desk) {
    const answer = await desk.ask('getAccount', { id: desk.id });
    return html`${viewAt(desk, views.account, { answer })}${linksOf(desk)}${await drawnOf(
      desk.ask('figureOfMerchant', { id: desk.id }),
      (figure) => figureShown(desk, figure),
    )}${proposalsOf(desk, answer)}${freezingOf(desk, answer)}`;
  },
};

function figureShown(desk: Desk, { last, ...figure }: Answer<'figureOfMerchant'>): Html {
  const title = `Balance at the end of each of 30 days, in ${CURRENCY}`;
  return html`<h2>30 days</h2>${picture(title, figure)}${
    last.length > 0 && html`<h2>Its newest transactions</h2>${rowsAt(desk, lastColumns, last)}`
  }`;
}

const lastColumns = [
  { head: 'When', of: 'at', as: 'time' },
  { head: 'What', of: 'mode', to: '/desk/transactions/{id}' },
  { head: 'State', of: 'status' },
  { head: 'Amount', of: 'amount', as: 'amount', in: 'currency' },
] as const;

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
  return html`<ul>${payments}${links.map(
    (one) => one && html`<li><a href="${merchantAt(desk.id)}/${one[0]}">${one[1]}</a></li>`,
  )}</ul>`;
}

function proposalsOf(desk: Desk, answer: Answer<'getAccount'>): Html {
  const seen = { account_id: desk.id };
  const needed = answer.batches_need_another;
  return html`${proposing(desk, 'accounts.display-name', { seen })}${proposing(desk, 'accounts.batches', {
    seen,
    values: { need_another: needed ? 'no' : 'yes' },
  })}${
    desk.mayAsk('accounts.top-up') && html`<h2>Bank top-ups and withdrawals</h2>`
  }${proposing(desk, 'accounts.top-up', { seen })}${proposing(desk, 'accounts.withdraw', { seen })}`;
}

function freezingOf(desk: Desk, { account }: Answer<'getAccount'>): Html {
  const { id: account_id, frozen_at } = account;
  const seen = { account_id, key_id: undefined };
  if (frozen_at === null) return html`<h2>Freeze</h2>${proposing(desk, 'accounts.freeze', { seen })}`;
  return html`<h2>Frozen</h2>${proposing(desk, 'accounts.unfreeze', {
    seen: { ...seen, frozen_at },
    isUsual: true,
  })}`;
}

export const callbacksPage = listPage(lists.callbacks, {
  path: 'merchants/{id}/callbacks',
  title: 'Callbacks',
  more: (desk) => ({
    id: desk.id,
    below: ({ event_id }) =>
      desk.may('resendCallback')
        ? form(desk, { act: 'resend', label: 'Send it again', keep: { event_id } })
        : null,
  }),
  above: (desk) => backTo(desk),
  below: (desk) => proposing(desk, 'callbacks.resend', { seen: { account_id: desk.id } }),
  acts: {
    async resend(desk, form) {
      await desk.ask('resendCallback', { id: desk.id, body: { event_id: form.get('event_id') } });
      return '?done=';
    },
  },
});

export const limitsPage: Page = {
  path: 'merchants/{id}/limits',
  title: 'Limits of payouts',
  async show(desk) {
    const answer = await desk.ask('getLimits', { id: desk.id });
    const seen = { account_id: desk.id, key_id: undefined, before: answer.limits };
    return html`${backTo(desk)}${viewAt(desk, views.limits, { answer })}${proposing(desk, 'limits.set', {
      seen,
    })}`;
  },
};

export const backTo = ({ id }: Desk) => html`<p><a href="${merchantAt(id)}">Back to the merchant</a></p>`;
