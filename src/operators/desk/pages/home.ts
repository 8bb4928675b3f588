import { CURRENCY } from '../../../domain/money.ts';
import { channelIds } from '../../../domain/network.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { storyOf, transactionAt } from '../case.ts';
import type { Answer, CallName, Desk } from '../desk.ts';
import { filters } from '../form.ts';
import { type Column, rows, rowsAt } from '../list.ts';
import type { Page } from '../page.ts';
import { drawnOf, picture } from '../picture.ts';
import { link, said, segment, spaced, text, time, timeOf } from '../words.ts';

const HOUR_MS = 3_600_000;

export const homePage: Page = {
  path: '',
  title: 'Home',
  menu: ['Today', 'Home'],
  async show(desk) {
    const asked = desk.query.get('q')?.trim() ?? '';
    const box = desk.may('find') && filters(desk, [searchField]);
    const found = asked !== '' && desk.may('find') ? await desk.ask('find', { query: { q: asked } }) : null;
    if (found) return html`${box}${await listedOf(desk, asked, found)}${foundOf(desk, asked, found)}`;
    const today = await drawnOf(desk.ask('figureOfToday'), (figure) => todayOf(desk, figure));
    return html`${box}${queueOf(desk, await desk.ask('queue'))}${today}${countsOf(
      desk,
      await desk.ask('counts'),
    )}`;
  },
};

const searchField = {
  name: 'q',
  label: 'Search for',
  hint:
    'A phone number, a receipt, a reference, a control number, an order, any id, ' +
    'or the name of a merchant',
} as const;

const LISTED = 20;

/** If the list takes too long, its link is enough. */
async function listedOf(desk: Desk, asked: string, { payments }: Answer<'find'>): Promise<Html | null> {
  if (!payments) return null;
  const query = { ...payments, per_page: LISTED };
  const data = (await desk.ask('listPayments', { query }).catch(() => null))?.data ?? [];
  return html`<p><a href="/desk/payments?${String(new URLSearchParams(payments))}">Payments:
${asked}</a></p>${data.length > 0 && rowsAt(desk, lists.payments.columns, data)}`;
}

function foundOf(desk: Desk, asked: string, found: Answer<'find'>): Html | null {
  const { data, others, merchants, payments, total, total_is_minimum } = found;
  if (data.length + others.length + merchants.length === 0) return payments ? null : missedOf(asked, found);
  return html`${merchants.length > 0 && html`<h2>Merchants</h2>${rowsAt(desk, merchantColumns, merchants)}`}
${others.length > 0 && html`<h2>Other results</h2>${rows({ columns: otherColumns }, others)}`}
${
  data.length > 0 &&
  html`<h2>Transactions</h2>${data.map(
    (one) =>
      html`<section class="card"><h3><a href="${transactionAt(one.id)}">${one.amount} ${one.currency},
${one.type}</a></h3>${storyOf(one)}<p class="note">Found by ${one.matched.join(', ')}</p></section>`,
  )}`
}
${
  total > data.length &&
  html`<p>These are the newest ${data.length} of ${
    total_is_minimum && 'at least '
  }${total}: more exact words find older ones.</p>`
}`;
}

function missedOf(asked: string, { near, looked_for: lookedFor }: Answer<'find'>): Html {
  const meant = near.map(
    ({ what, text }) => html`<li>${what} <a href="/desk?q=${segment(text)}">${text}</a></li>`,
  );
  return html`<p role="status">No results for ${asked}.</p>
${near.length > 0 && html`<p>Was one of these meant?</p><ul>${meant}</ul>`}
<p class="note">It was searched as ${lookedFor.join(', ')}.</p>`;
}

const merchantColumns = [
  { head: 'Merchant', of: 'name', to: '/desk/merchants/{id}' },
  { head: 'Available', of: 'available', as: 'amount', in: 'currency' },
  { head: 'Held', of: 'held', as: 'amount', in: 'currency' },
] as const;

type Other = Answer<'find'>['others'][number];
const otherColumns = [
  ['What', ({ what, id }: Other) => pageOfOther(what, id)],
  ['When', ({ at }: Other) => time(at)],
  ['Where its money is', ({ sentence }: Other) => said(sentence)],
] as const;

function pageOfOther(what: string, id: string) {
  if (what === 'proposal') return link(`/desk/proposals/${segment(id)}`, `proposal ${id}`);
  if (what === 'money in suspense') return link(`/desk/suspense/${segment(id)}`, `${what}, ${id}`);
  return text(`${what} ${id}`);
}

function todayOf(desk: Desk, figure: Answer<'figureOfToday'>): Html {
  const waiting = { name: 'Waits for you', value: desk.waiting, unit: 'count' as const };
  const numbers = [...figure.numbers.filter(({ name }) => !name.endsWith('before')), waiting];
  const title = `Today and the same weekday of last week, by hour, in ${CURRENCY}`;
  return html`<h2>Today</h2>${picture(title, { ...figure, numbers })}`;
}

type Queue = Answer<'queue'>;

const waitingColumns = lists.proposals.columns.filter(
  ({ head }) => head !== 'State' && head !== 'Decided by',
);

function queueOf(desk: Desk, { waiting, late, since, changed }: Queue): Html {
  return html`<h2>Waits for you</h2>${
    waiting.length === 0 ? html`<p>No proposal.</p>` : rowsAt(desk, waitingColumns, waiting)
  }${
    desk.waiting > waiting.length &&
    html`<p><a href="/desk/proposals?state=proposed">All ${desk.waiting}</a></p>`
  }
<h2>Late by a day or more</h2>${queuedOf(desk, late, 'Nothing.')}
<h2>New since ${timeOf(since)}: your last sign-in, or two days ago</h2>${queuedOf(desk, changed, 'Nothing.')}`;
}

/** Each queue links to its list, if the person may see that. */
const queues: Record<string, (about: string) => readonly [CallName, to: string, words: string]> = {
  attention: (about) => ['listAttention', `attention?reason=${about}`, spaced(about)],
  suspense: (about) => ['listSuspense', `suspense?channel=${about}`, `money in suspense, ${about}`],
  days: (about) => ['listDays', `days?account=${segment(about)}`, `days of ${about} that are not closed`],
  proposals: (about) => ['listProposals', `proposals?state=${about}`, `proposals ${about}`],
  closed: (about) => ['listChannels', 'networks', `closed: ${about}`],
};

type Queued = Omit<Queue['late'][number], 'since'> & { since?: string };

function queuedOf(desk: Desk, list: readonly Queued[], none: string): Html {
  if (list.length === 0) return html`<p>${none}</p>`;
  return html`<ul>${list.map(({ what, about, count, since }) => {
    const [call, to, words] = queues[what]?.(about) ?? ['queue', '', about];
    const lines = what === 'days' && desk.may('listLines');
    return html`<li>${desk.may(call) ? html`<a href="/desk/${to}">${words}</a>` : words}: ${count}${
      since && html`, since ${timeOf(since)}`
    }${lines && html` (<a href="/desk/lines?account=${segment(about)}">open lines</a>)`}</li>`;
  })}</ul>`;
}

function countsOf(desk: Desk, { hours, transactions, attention }: Answer<'counts'>): Html {
  const needed = attention.map(({ reason, count }) => ({ what: 'attention', about: reason, count }));
  return html`<h2>A person is needed</h2>${queuedOf(desk, needed, 'Nothing needs a person.')}<h2>The last ${hours} hours</h2>
${
  transactions.length === 0
    ? html`<p>No transactions.</p>`
    : rows({ columns: countColumns(desk, hours) }, transactions)
}`;
}

type Count = Answer<'counts'>['transactions'][number];
const countColumns = (desk: Desk, hours: number): Column<Count>[] => [
  ['What', ({ type, mode }) => text(`${type} (${mode})`)],
  ['Network', ({ channel }) => text(channel)],
  ['State', ({ status }) => text(status)],
  [
    'How many',
    ({ mode, channel, status, count }) => {
      const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
      // A bill has no network until somebody pays it.
      const network: Record<string, string> = channelIds.includes(channel) ? { network: channel } : {};
      const filter = new URLSearchParams({ kind: mode, state: status, from, ...network });
      return desk.may('listPayments') ? link(`/desk/payments?${filter}`, String(count)) : text(count);
    },
  ],
];
