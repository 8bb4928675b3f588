import { attentionReasons } from '../../../domain/attention.ts';
import { html } from '../../../platform/http/html.ts';
import { ownerOf, transactionAt } from '../case.ts';
import { choice, folded } from '../form.ts';
import { listOf } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { dayIn, days, link, money, said, sentenceOf, spaced, text, time, timeOf } from '../words.ts';

/** Only items without a transaction are closed here. */
export const attentionPage = listPage('listAttention', (desk) => list(desk), {
  path: 'attention',
  title: 'Attention',
  menu: ['Today', 'Attention'],
  acts: {
    async close(desk, form) {
      const body = { subject: form.get('subject'), note: form.get('note') };
      await desk.ask('closeAttention', { body });
      return '/desk/attention?done=';
    },
  },
});

const list = (desk: Parameters<Page['show']>[0]) =>
  listOf({
    call: 'listAttention',
    filters: [choice('reason', 'Reason', 'every reason', { names: attentionReasons })],
    columns: [
      [
        'Reason',
        ({ subject, reason, about }) =>
          about ? link(transactionAt(subject), spaced(reason)) : text(spaced(reason)),
        ['Id', ({ subject }) => subject],
      ],
      ['Amount', ({ about }) => (about ? money(about.amount, about.currency) : text(''))],
      ['Merchant', ({ about }) => (about ? ownerOf(about) : text(''))],
      ['Party', ({ about, subject }) => text(about?.party ?? subject)],
      [
        'Since',
        ({ raised_at, age_days }) => ({
          ...time(raised_at),
          shown: html`${timeOf(raised_at)} (${days(age_days)})`,
        }),
        ['Day', ({ raised_at }) => dayIn(raised_at)],
      ],
      ['Detail', ({ detail }) => said(detail)],
      [
        'What to do',
        ({ todo, page }) => ({
          csv: `${todo} (${page})`,
          shown: html`${todo}<small>${sentenceOf(page)}</small>`,
        }),
      ],
    ],
    none: 'Nothing: no person is needed.',
    below: ({ about, subject }) =>
      about || !desk.may('closeAttention')
        ? null
        : folded(desk, OFF, { act: 'close', label: OFF, keep: { subject }, fields: [noteField] }),
  });

export const OFF = 'Take it off the list';
export const noteField = {
  name: 'note',
  label: 'What was done about it',
  kind: 'area',
  hint: 'Kept for ever: no names and numbers of customers',
} as const;
