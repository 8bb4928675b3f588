import { type Html, html } from '../../../platform/http/html.ts';
import { historyOf, storyOf } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { form } from '../form.ts';
import { rowsAt } from '../list.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { sentenceOf, spaced, timeOf } from '../words.ts';
import { OFF } from './attention.ts';

type Transaction = Answer<'getTransaction'>['transaction'];

export const transactionPage: Page = {
  path: 'transactions/{id}',
  title: 'Transaction',
  async show(desk) {
    const { transaction } = await desk.ask('getTransaction', { id: desk.id });
    return html`${storyOf(transaction)}${attentionOf(desk, transaction)}${historyOf(transaction)}
${callbacksOf(desk, transaction)}
${transaction.entries.length > 0 && html`<h2>Its entries in the ledger</h2><p class="note">Above zero: the account received money. Below zero: it gave money. The sum is zero.</p>${rowsAt(desk, entryColumns, transaction.entries)}`}
${actsOf(desk, transaction)}`;
  },
  acts: {
    async enquire(desk) {
      await desk.ask('enquire', { id: desk.id });
      return '?done=';
    },
    async resend(desk, form) {
      const body = { event_id: form.get('event_id') };
      await desk.ask('resendCallback', { id: form.get('account') ?? '', body });
      return '?done=';
    },
  },
};

function attentionOf(desk: Desk, { attention, status }: Transaction): Html | null {
  if (attention.length === 0) return null;
  const lines = attention.map(
    ({ reason, raised_at, todo, page }) =>
      html`<li><strong>${spaced(reason)}</strong> since ${timeOf(raised_at)}. ${todo} (${sentenceOf(page)})</li>`,
  );
  return html`<h2>Why a person is needed</h2><ul>${lines}</ul>${
    status !== 'pending' && proposing(desk, 'attention.close', { seen: { subject: desk.id }, title: OFF })
  }`;
}

function callbacksOf(desk: Desk, { callbacks, account_id: account }: Transaction): Html | null {
  if (callbacks.length === 0) return null;
  return html`<h2>Callbacks</h2><ul>${callbacks.map(
    ({ event, event_id, state, attempts, last_at, last_answer, next_attempt_at }) =>
      html`<li>${event}: ${state}${last_at && html`, ${attempts} tried, the last ${timeOf(last_at)}: ${last_answer}`}${next_attempt_at && html`, next ${timeOf(next_attempt_at)}`}
${account !== null && desk.may('resendCallback') && form(desk, { act: 'resend', label: 'Send it again', keep: { event_id, account } })}</li>`,
  )}</ul>`;
}

const entryColumns = [
  { head: 'When', of: 'at', as: 'time' },
  { head: 'What', of: 'kind', as: 'words' },
  { head: 'Account', of: 'account' },
  { head: 'Amount', of: 'amount', as: 'amount', in: 'currency' },
] as const;

function actsOf(desk: Desk, { id, status }: Transaction): Html | null {
  if (status !== 'pending') return null;
  return html`${
    desk.may('enquire') &&
    html`<h2>Ask its network now</h2>${form(desk, { act: 'enquire', label: 'Ask now', note: 'At most once a minute. The answer is on this page a moment later.' })}`
  }${proposing(desk, 'attention.decide', { seen: { transaction_id: id }, isUsual: true })}`;
}
