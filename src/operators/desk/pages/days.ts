import { DAY_MS, DAY_OFFSET, dayOf } from '../../../domain/day.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer } from '../desk.ts';
import { columnsAt, rows } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { squares } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { timeOf } from '../words.ts';

const EQUATION = html`<p>In shillings, as of the end of the day: their closing balance = our books + unbooked (their lines that we have not booked) − unseen (our movements that they do not show). Accounts that are proven together share one equation.</p>`;

const notOver = (day: string) =>
  html`<p class="note">Everything is explained so far, but no statement shows the end of this day. You can close it from ${timeOf(new Date(Date.parse(`${day}T00:00:00${DAY_OFFSET}`) + DAY_MS).toISOString())} on, once a statement does.</p>`;

const CALENDAR_DAYS = 35;

/** Shows five weeks. The last square is today, which has not ended. */
function calendarOf(days: Answer<'listDays'>['days']): Html | null {
  if (days.length === 0) return null;
  const shown = Array.from({ length: CALENDAR_DAYS }, (_, at) =>
    dayOf(new Date(Date.now() - (CALENDAR_DAYS - 1 - at) * DAY_MS)),
  );
  const rows = [...new Set(days.map(({ account }) => account))].map((name) => ({
    name,
    cells: shown.map((at) => ({
      at,
      is: days.find(({ account, day }) => account === name && day === at)?.state ?? 'missing',
    })),
  }));
  return squares('Days of statement accounts', rows);
}

export const daysPage = listPage(lists.days, {
  path: 'days',
  title: 'Days',
  menu: ['Books', 'Days'],
  more: (desk) => ({
    isReversed: true,
    head: ({ days }) =>
      html`${calendarOf(days)}${EQUATION}${
        desk.may('dailyReport') && html`<p><a href="/desk/days/yesterday">The report of yesterday</a></p>`
      }`,
    below: ({ account, day, state, open, is_covered }) => {
      if (state === 'open') return open === 0 && !is_covered ? notOver(day) : null;
      return proposing(desk, state === 'closed' ? 'days.reopen' : 'days.close', { seen: { account, day } });
    },
  }),
});

/** The page prints without menu and forms. */
export const dayPage: Page = {
  path: 'days/{id}',
  title: 'Report of a day',
  async show(desk) {
    const { day, days, open, missing } = await desk.ask('dailyReport', { id: desk.id });
    const beside = (count: number) => dayOf(new Date(Date.parse(`${day}T12:00:00Z`) + count * DAY_MS));
    const columns = columnsAt<Answer<'listDays'>['days'][number]>(desk, lists.days.columns);
    return html`<p><strong>${day}</strong></p>${EQUATION}${
      days.length > 0 && rows({ columns: columns.filter(([head]) => head !== 'Day') }, days)
    }${missing.map((account) => html`<p>No statement of ${account} shows this day.</p>`)}
<h2>Open lines of all days</h2>${open.length === 0 ? html`<p>Nothing.</p>` : rows({ columns: columnsAt(desk, openColumns), totals: ['Amount'] }, open)}
<p class="pages"><a href="/desk/days/${beside(-1)}" rel="prev">${beside(-1)}</a> <a href="/desk/days/${beside(1)}" rel="next">${beside(1)}</a> <a href="/desk/days">All days</a></p>`;
  },
};

const openColumns = [
  { head: 'Account', of: 'account', to: '/desk/lines?account={account}' },
  { head: 'Why', of: 'class', as: 'words' },
  { head: 'Items', of: 'count', as: 'number' },
  { head: 'Amount', of: 'amount_minor', as: 'minor' },
  { head: 'The oldest is open', of: 'oldest_days', as: 'days' },
] as const;
