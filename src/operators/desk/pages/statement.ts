import { DAY_MS, dayOf } from '../../../domain/day.ts';
import { validationFailed } from '../../../domain/errors.ts';
import { CURRENCY } from '../../../domain/money.ts';
import { html } from '../../../platform/http/html.ts';
import { transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { listOf, table } from '../list.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { dayIn as dayAt, facts, link, money, spaced, text, time } from '../words.ts';
import { backTo } from './merchants.ts';

/** A file may have any range. */
const DAYS_MAX = 92;
const DAYS_SHOWN = 31;

const dayIn = (days: number) => dayOf(new Date(Date.now() + days * DAY_MS));

const list = (desk: Desk) =>
  listOf({
    call: 'getStatement',
    id: desk.id,
    filters: [
      { name: 'from', label: 'From the day', kind: 'day', value: dayIn(1 - DAYS_SHOWN) },
      { name: 'to', label: 'Before the day', kind: 'day', value: dayIn(1) },
    ],
    columns: [
      ['Line', ({ line }) => text(line)],
      ['When', ({ at }) => time(at), ['Day', ({ at }) => dayAt(at)]],
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
    totals: ['Amount'],
    none: 'Nothing changed the balance in these days.',
    head: ({ data, opening_balance, closing_balance, currency, final }) =>
      html`${facts([
        ['Before', money(opening_balance, currency)],
        ['After', money(closing_balance, currency)],
        ['Final', final ? 'yes: it will never change' : 'not yet'],
      ])}<p class="note">Above zero the balance rose, below zero it fell.</p>${correctOf(desk, data)}`,
  });

const correctOf = (desk: Desk, lines: Answer<'getStatement'>['data']) =>
  proposing(desk, 'statements.correct', {
    seen: { account_id: desk.id },
    options: {
      line: lines.map(({ line, description, amount }) => [`${line}`, `${line}: ${description}, ${amount}`]),
    },
  });

export const statementPage: Page = {
  path: 'merchants/{id}/statement',
  title: 'Statement',
  async show(desk) {
    const [from, to] = [desk.query.get('from'), desk.query.get('to')];
    const message =
      `must be at most ${DAYS_MAX} days after the first day: ` +
      'for a longer range download a file (add &format=csv to the address)';
    if (from && to && Date.parse(to) - Date.parse(from) > DAYS_MAX * DAY_MS)
      throw validationFailed([{ field: 'to', message }]);
    return html`${backTo(desk)}${await table(desk, list(desk))}`;
  },
  list,
};
