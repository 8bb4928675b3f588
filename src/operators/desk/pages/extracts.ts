import { clockTimeOf } from '../../../domain/day.ts';
import { CURRENCY, formatMoney, minor } from '../../../domain/money.ts';
import { html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import { listPage } from '../page.ts';

/** Months are those of Dar es Salaam. */
function lastMonth(): { from: string; to: string } {
  const [year = 0, month = 0] = clockTimeOf(Date.now()).split('-').map(Number);
  const first = (at: number) => new Date(Date.UTC(year, at, 1)).toISOString().slice(0, 10);
  return { from: first(month - 2), to: first(month - 1) };
}

/** docs/operations/extracts.md explains these pages. */
export const volumesPage = listPage(lists.volumes, {
  path: 'extracts/volumes',
  title: 'Volumes',
  menu: ['Books', 'Reports'],
  more: () => ({
    values: lastMonth(),
    totals: ['Value'],
    head: () =>
      html`<p>All money that moved between us and a network or bank, without our fees. “in” is money that the network or bank received for us: a payment, or a payout that came back.</p>
<p><a href="/desk/extracts/large">Single large movements</a></p>`,
  }),
});

export const largePage = listPage(lists.large, {
  path: 'extracts/large',
  title: 'Large movements',
  more: () => ({
    values: lastMonth(),
    head: ({ report_from_minor }) =>
      html`<p>Single movements from ${formatMoney(minor(report_from_minor))} ${CURRENCY} on (data/extracts.json), oldest first. The audit log records whose movements you have read.</p>
<p><a href="/desk/extracts/volumes">Number and value of all</a></p>`,
  }),
});
