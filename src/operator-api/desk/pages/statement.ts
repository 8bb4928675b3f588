import { DAY_MS, DAY_OFFSET, startOfDay } from '../../../domain/day.ts';
import { validationFailed } from '../../../domain/errors.ts';
import { CURRENCY } from '../../../domain/money.ts';
import { html } from '../../../http/html.ts';
import { transactionAt } from '../case.ts';
import type { Desk } from '../desk.ts';
import { listOf, table } from '../list.ts';
import type { Page } from '../page.ts';
import { facts, link, money, spaced, text, time } from '../words.ts';
import { backTo } from './merchants.ts';

/** A page shows no more; a file has any range. */
const DAYS_MAX = 92;
/** What is shown where nothing is asked for. */
const DAYS_SHOWN = 31;

const dayOf = (at: number) =>
  new Date(Date.parse(startOfDay(new Date(at))) + 3 * 3_600_000).toISOString().slice(0, 10);

const list = (desk: Desk) =>
  listOf({
    call: 'getStatement',
    id: desk.id,
    filters: [
      {
        name: 'from',
        label: 'From the day',
        kind: 'day',
        value: dayOf(Date.now() - (DAYS_SHOWN - 1) * DAY_MS),
      },
      { name: 'to', label: 'Before the day', kind: 'day', value: dayOf(Date.now() + DAY_MS) },
    ],
    columns: [
      ['Line', ({ line }) => text(line)],
      ['When', ({ at }) => time(at)],
      ['What', ({ type, description }) => text(`${spaced(type)}: ${description}`)],
      ['Reference', ({ reference }) => text(reference)],
      ['Amount', ({ amount }) => money(amount, CURRENCY)],
      ['Balance', ({ balance }) => money(balance, CURRENCY)],
      [
        'Transaction',
        ({ transaction_id }) =>
          transaction_id === null ? text('') : link(transactionAt(transaction_id), transaction_id),
      ],
    ],
    none: 'Nothing changed the balance in these days.',
    head: ({ opening_balance, closing_balance, currency, final }) =>
      facts([
        ['Before', money(opening_balance, currency)],
        ['After', money(closing_balance, currency)],
        ['Final', final ? 'yes: nothing that happens later changes it' : 'not yet'],
      ]),
  });

/** The balance as the merchant reads it, line by line. */
export const statementPage: Page = {
  path: 'merchants/{id}/statement',
  title: 'Statement',
  async show(desk) {
    const [from, to] = [desk.query.get('from'), desk.query.get('to')];
    const length =
      from && to
        ? Date.parse(`${to}T00:00:00${DAY_OFFSET}`) - Date.parse(`${from}T00:00:00${DAY_OFFSET}`)
        : 0;
    if (length > DAYS_MAX * DAY_MS)
      throw validationFailed([
        {
          field: 'to',
          message: `must be at most ${DAYS_MAX} days after the first day: a longer one is a file (add &format=csv to the address)`,
        },
      ]);
    return html`${backTo(desk)}${await table(desk, list(desk))}`;
  },
  list,
};
