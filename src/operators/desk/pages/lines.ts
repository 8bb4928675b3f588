import { formatMoney, minor } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { LineWay } from '../../actions/line-actions.ts';
import { LINES_MAX } from '../../api/reconciliation.ts';
import { lists } from '../../list-table.ts';
import { transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { listAt } from '../list.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { type Cell, days, facts, link, minorOf, segment, spaced } from '../words.ts';

type Line = Answer<'getLine'>['line'];

const moneyOf = ({ amount_minor, currency }: Line) => minorOf(amount_minor, currency);

const list = (desk: Desk) =>
  listAt(desk, lists.lines, {
    totals: ['Amount'],
    head: ({ lines }) =>
      html`<p class="note">Above zero it came to the account, below zero it left.</p>${lines.length === LINES_MAX && html`<p class="note">These are the oldest ${LINES_MAX}: there may be more.</p>`}`,
  });

export const linesPage = listPage('listLines', list, {
  path: 'lines',
  title: 'Lines of statements',
  menu: ['Books', 'Lines'],
});

export const linePage: Page = {
  path: 'lines/{id}',
  title: 'Line of a statement',
  async show(desk) {
    const { line, suggestions } = await desk.ask('getLine', { id: desk.id });
    return html`${lineShown(desk, line)}${suggestions.length > 0 && suggested(suggestions)}
${line.state === 'open' && desk.mayAsk('lines.charge') ? waysOf(desk, line) : null}${line.statement !== null && line.state !== 'decided' && proposing(desk, 'statements.void', { seen: { statement: line.statement } })}`;
  },
};

const suggested = (transactions: readonly string[]): Html =>
  html`<h2>It may be</h2><p>By amount, visible digits and time. Look before you believe it:</p>
<ul>${transactions.map((id) => html`<li><a href="${transactionAt(id)}">${id}</a></li>`)}</ul>`;

const isOurs = ({ id }: Line) => id.startsWith('en_');

/** People decide only on the difference. */
function moneyFacts(line: Line): readonly (readonly [string, Cell | Html])[] {
  const { amount_minor: said, item_amount_minor: open, currency } = line;
  if (open === null || open === said) return [['Amount', moneyOf(line)]];
  return [
    ['They say', moneyOf(line)],
    ['We booked', minorOf(said - open, currency)],
    ['The difference', html`<strong>${minorOf(open, currency).shown}</strong>`],
  ];
}

function lineShown(desk: Desk, line: Line): Html {
  const known = line.receipt ?? line.reference;
  return facts([
    ...moneyFacts(line),
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
  const way = (one: LineWay, title?: string, isUsual = false) =>
    proposing(desk, `lines.${one}`, { seen, isUsual, ...(title !== undefined && { title }) });
  const sum = `${formatMoney(minor(Math.abs(seen.amount)))} ${currency}`;
  if (isOurs(line)) return html`<h2>What became of it</h2>${way('ours')}`;
  if (line.class === 'changed')
    return html`<h2>What became of it</h2>${way('stands')}
<p>Or the first statement was wrong: make it void, and import this one again.</p>`;
  if (line.item === null) return html`<p>It is not in suspense: their next statement says what it is.</p>`;
  return html`<h2>What it is</h2>${way('charge', `Book ${sum} as a charge of ${line.account}`, seen.amount !== line.amount_minor)}${way('sweep', `Book ${sum} as one half of our own money, moved between accounts of ours`)}${way('own', `Book ${sum} as the company's own money`)}
<p>Or it belongs to a merchant or a payer: <a href="/desk/suspense/${segment(line.item)}">release it from suspense</a>.</p>`;
}
