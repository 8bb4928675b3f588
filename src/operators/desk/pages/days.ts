import { html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Desk } from '../desk.ts';
import { listAt } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';

const list = (desk: Desk) =>
  listAt(desk, lists.days, {
    isReversed: true,
    head: () =>
      html`<p>In shillings, as of the end of the day: their closing = our books + unbooked (theirs that we have not booked) − unseen (ours that they do not show). Accounts that are proven together have it together.</p>${
        desk.may('dailyReport') && html`<p><a href="/desk/days/yesterday">The report of yesterday</a></p>`
      }`,
    below: ({ account, day, state }) => {
      if (state === 'open') return null;
      return proposing(desk, state === 'closed' ? 'days.reopen' : 'days.close', { seen: { account, day } });
    },
  });

/** Two people close a day whose money agrees with the statements. */
export const daysPage = listPage('listDays', list, {
  path: 'days',
  title: 'Days',
  menu: 'Days',
});

export const dayPage: Page = {
  path: 'days/{id}',
  title: 'Report of a day',
  async show(desk) {
    const { markdown } = await desk.ask('dailyReport', { id: desk.id });
    return html`<pre>${markdown}</pre><p><a href="/desk/days">All days</a></p>`;
  },
};
