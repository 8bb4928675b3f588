import { type Html, html } from '../../../platform/http/html.ts';
import { itemClasses, itemStates } from '../../../reconciliation/items.ts';
import type { LineWay } from '../../actions/line-actions.ts';
import { LINES_MAX } from '../../api/reconciliation.ts';
import { transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { choice } from '../form.ts';
import { listOf } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { days, facts, link, minorOf, segment, spaced, text } from '../words.ts';

type Line = Answer<'getLine'>['line'];

export const accountField = {
  name: 'account',
  label: 'Account',
  hint: 'At a network or a bank, as the channels file names it',
} as const;

const moneyOf = ({ amount_minor, currency }: Line) => minorOf(amount_minor, currency);

const list = listOf({
  call: 'listLines',
  filters: [
    accountField,
    choice('state', 'State', 'open or waiting', { names: itemStates }),
    choice('class', 'Class', 'every class', { names: itemClasses }),
  ],
  columns: [
    [
      'Amount',
      ({ id, amount_minor, currency }) => minorOf(amount_minor, currency, `/desk/lines/${segment(id)}`),
    ],
    ['Account', ({ account }) => text(account)],
    ['Day', ({ day }) => text(day)],
    ['State', ({ state }) => text(state)],
    ['Class', (one) => text(spaced(one.class ?? ''))],
    ['What it is', ({ kind }) => text(spaced(kind))],
    ['Receipt', ({ receipt }) => text(receipt)],
    ['Reference', ({ reference }) => text(reference)],
    ['Age', ({ age_days }) => text(days(age_days))],
    ['Line', ({ id }) => text(id)],
  ],
  totals: ['Amount'],
  none: 'There is no such line.',
  head: ({ lines }) =>
    html`<p class="note">Above zero it came to the account, below zero it left.</p>${lines.length === LINES_MAX && html`<p class="note">These are the oldest ${LINES_MAX}: there may be more.</p>`}`,
});

export const linesPage = listPage('listLines', () => list, {
  path: 'lines',
  title: 'Lines of statements',
  menu: ['Books', 'Lines'],
});

/** A proposal here says what a line is; another operator approves it. */
export const linePage: Page = {
  path: 'lines/{id}',
  title: 'Line of a statement',
  async show(desk) {
    const { line, suggestions } = await desk.ask('getLine', { id: desk.id });
    return html`${lineShown(desk, line)}${suggestions.length > 0 && suggested(suggestions)}
${line.state === 'open' && desk.mayPropose('lines.charge') ? waysOf(desk, line) : null}${line.statement !== null && line.state !== 'decided' && proposing(desk, 'statements.void', { seen: { statement: line.statement } })}`;
  },
};

const suggested = (transactions: readonly string[]): Html =>
  html`<h2>It may be</h2><p>By amount, visible digits and time. Look before you believe it:</p>
<ul>${transactions.map((id) => html`<li><a href="${transactionAt(id)}">${id}</a></li>`)}</ul>`;

const isOurs = ({ id }: Line) => id.startsWith('en_');

function lineShown(desk: Desk, line: Line): Html {
  const known = line.receipt ?? line.reference;
  return facts([
    ['Amount', moneyOf(line)],
    [
      'It is',
      isOurs(line) ? 'a movement of ours that no line of theirs shows as done' : 'a line of their statement',
    ],
    ['State', line.class === null ? line.state : `${line.state}: ${spaced(line.class)}`],
    ['Account', link(`/desk/lines?account=${segment(line.account)}`, line.account)],
    ['Day', html`${line.day} (${days(line.age_days)} ago)`],
    ['What it is about', spaced(line.kind)],
    ['Receipt', line.receipt],
    ['Reference', line.reference],
    ['What we moved', known && desk.may('find') ? link(`/desk?q=${segment(known)}`, `find ${known}`) : null],
    ['In suspense', line.item && link(`/desk/suspense/${segment(line.item)}`, line.item)],
    ['Id', html`<code>${line.id}</code>`],
  ]);
}

function waysOf(desk: Desk, line: Line): Html {
  const { id, currency } = line;
  const seen = { line: id, amount: line.item_amount_minor ?? line.amount_minor, currency };
  const way = (one: LineWay) => proposing(desk, `lines.${one}`, { seen });
  if (isOurs(line)) return html`<h2>What became of it</h2>${way('ours')}`;
  if (line.class === 'changed')
    return html`<h2>What became of it</h2>${way('stands')}
<p>Or the first statement was wrong: make it void, and import this one again.</p>`;
  if (line.item === null) return html`<p>It is not in suspense: their next statement says what it is.</p>`;
  return html`<h2>What it is</h2>${way('charge')}${way('sweep')}${way('own')}
<p>Or it belongs to a merchant or a payer: <a href="/desk/suspense/${segment(line.item)}">release it from suspense</a>.</p>`;
}
