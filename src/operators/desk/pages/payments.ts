import { DAY_MS, dayOf } from '../../../domain/day.ts';
import { html } from '../../../platform/http/html.ts';
import { lists } from '../../list-table.ts';
import type { Answer } from '../desk.ts';
import { listPage } from '../page.ts';

const FILE_MAX = 100_000;

type Listed = Answer<'listPayments'>;
const tooMany = ({ more_than }: Listed) =>
  html`${
    more_than !== null && html`<p class="note">More than ${more_than}: they take too long to add up.</p>`
  }`;

function noFile({ totals, more_than }: Listed): string | null {
  const count = totals?.reduce((sum, one) => sum + one.count, 0) ?? Infinity;
  return count <= FILE_MAX
    ? null
    : `must be a shorter range: a file has at most ${FILE_MAX} payments, ` +
        `and this range has more than ${more_than ?? FILE_MAX}`;
}

export const paymentsPage = listPage(lists.payments, {
  path: 'payments',
  title: 'Payments',
  menu: ['Money', 'Payments'],
  more: () => ({
    values: { from: dayOf(new Date()), to: dayOf(new Date(Date.now() + DAY_MS)) },
    // This keeps a page below 40 KB.
    perPage: 40,
    head: tooMany,
    noFile,
  }),
});
