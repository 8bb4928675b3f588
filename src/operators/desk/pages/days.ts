import { DAY_MS, dayOf } from '../../../domain/day.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { Answer, Desk } from '../desk.ts';
import { listOf } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { squares } from '../picture.ts';
import { proposing } from '../proposing.ts';
import { link, minorOf, segment, text } from '../words.ts';
import { accountField } from './lines.ts';

const list = (desk: Desk) =>
  listOf({
    call: 'listDays',
    isReversed: true,
    filters: [accountField],
    columns: [
      ['Day', ({ day }) => (desk.may('dailyReport') ? link(`/desk/days/${segment(day)}`, day) : text(day))],
      ['Account', ({ account }) => text(account)],
      ['State', ({ state }) => text(state)],
      ['Lines', ({ lines }) => text(lines)],
      ['Matched', ({ matched }) => text(matched)],
      ['Booked', ({ booked }) => text(booked)],
      [
        'Open',
        ({ account, open }) =>
          open > 0 && desk.may('listLines')
            ? link(`/desk/lines?account=${segment(account)}`, String(open))
            : text(open),
      ],
      ['Their closing', ({ closing_minor }) => minorOf(closing_minor)],
      // Zero has no sign.
      ['Our books', ({ clearing_minor }) => minorOf(0 - clearing_minor)],
      ['Unbooked', ({ unbooked_minor }) => minorOf(unbooked_minor)],
      ['Unseen', ({ unseen_minor }) => minorOf(unseen_minor)],
    ],
    none: 'No statement was imported.',
    head: ({ days }) =>
      html`${calendarOf(days)}<p>In shillings, as of the end of the day: their closing = our books + unbooked (theirs that we have not booked) − unseen (ours that they do not show). Accounts that are proven together have it together.</p>${
        desk.may('dailyReport') && html`<p><a href="/desk/days/yesterday">The report of yesterday</a></p>`
      }`,
    below: ({ account, day, state }) => {
      if (state === 'open') return null;
      return proposing(desk, state === 'closed' ? 'days.reopen' : 'days.close', { seen: { account, day } });
    },
  });

const CALENDAR_DAYS = 35;

/** Shows five weeks; the last square is today, which is not over. */
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

/** Two people close a day whose money agrees with the statements. */
export const daysPage = listPage('listDays', list, {
  path: 'days',
  title: 'Days',
  menu: ['Books', 'Days'],
});

export const dayPage: Page = {
  path: 'days/{id}',
  title: 'Report of a day',
  async show(desk) {
    const { markdown } = await desk.ask('dailyReport', { id: desk.id });
    return html`<pre>${markdown}</pre><p><a href="/desk/days">All days</a></p>`;
  },
};
