import { clockTimeOf } from '../../../domain/day.ts';
import { CURRENCY, formatMoney, minor } from '../../../domain/money.ts';
import { html } from '../../../platform/http/html.ts';
import { transactionAt } from '../case.ts';
import { listOf } from '../list.ts';
import { listPage } from '../page.ts';
import { dayIn, link, minorOf, text, time } from '../words.ts';

/** Months are those of Dar es Salaam. */
function lastMonth(): { from: string; to: string } {
  const [year = 0, month = 0] = clockTimeOf(Date.now()).split('-').map(Number);
  const first = (at: number) => new Date(Date.UTC(year, at, 1)).toISOString().slice(0, 10);
  return { from: first(month - 2), to: first(month - 1) };
}

const range = () => {
  const { from, to } = lastMonth();
  return [
    { name: 'from', label: 'From the day', kind: 'day' as const, value: from },
    { name: 'to', label: 'Before the day', kind: 'day' as const, value: to, hint: 'At most 31 days later' },
  ];
};

const volumes = () =>
  listOf({
    call: 'listVolumes',
    filters: range(),
    columns: [
      ['Month', ({ month }) => text(month)],
      ['What', ({ kind }) => text(kind)],
      ['Network or bank', ({ channel }) => text(channel)],
      ['Direction', ({ direction }) => text(direction)],
      ['How many', ({ number }) => text(number)],
      ['Value', ({ value_minor }) => minorOf(value_minor, CURRENCY)],
    ],
    totals: ['Value'],
    none: 'Nothing moved in these days.',
    head: () =>
      html`<p>All money that moved between us and a network or bank, without our fees. “in” is money that the network or bank received for us: a payment, or a payout that came back.</p>
<p><a href="/desk/extracts/large">Single large movements</a></p>`,
  });

const large = () =>
  listOf({
    call: 'listLargeMovements',
    filters: range(),
    columns: [
      ['When', ({ at }) => time(at), ['Day', ({ at }) => dayIn(at)]],
      ['Direction', ({ direction }) => text(direction)],
      ['What', ({ kind }) => text(kind)],
      ['Network or bank', ({ channel }) => text(channel)],
      ['Amount', ({ amount_minor }) => minorOf(amount_minor, CURRENCY)],
      ['Receipt', ({ receipt }) => text(receipt)],
      ['Party', ({ party, bic }) => text([party, bic].filter(Boolean).join(' at '))],
      ['Name', ({ full_name }) => text(full_name)],
      ['Merchant', ({ merchant }) => text(merchant)],
      ['Transaction', ({ transaction_id: id }) => (id === null ? text('') : link(transactionAt(id), id))],
    ],
    none: 'No single movement was that large in these days.',
    head: ({ report_from_minor }) =>
      html`<p>Single movements from ${formatMoney(minor(report_from_minor))} ${CURRENCY} on (data/extracts.json), oldest first. The audit log records whose movements you have read.</p>
<p><a href="/desk/extracts/volumes">Number and value of all</a></p>`,
  });

/** docs/operations/extracts.md explains these pages. */
export const volumesPage = listPage('listVolumes', volumes, {
  path: 'extracts/volumes',
  title: 'Volumes',
  menu: ['Books', 'Reports'],
});

export const largePage = listPage('listLargeMovements', large, {
  path: 'extracts/large',
  title: 'Large movements',
});
