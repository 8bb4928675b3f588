import { formatMoney, minor } from '../../../domain/money.ts';
import { type Html, html } from '../../../platform/http/html.ts';
import type { LineWay } from '../../actions/line-actions.ts';
import { LINES_MAX } from '../../api/reconciliation.ts';
import { lists } from '../../list-table.ts';
import { views } from '../../view-table.ts';
import { transactionAt } from '../case.ts';
import type { Answer, Desk } from '../desk.ts';
import { listPage, type Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { viewAt } from '../view.ts';
import { facts, minorOf, segment } from '../words.ts';

type Line = Answer<'getLine'>['line'];

export const linesPage = listPage(lists.lines, {
  path: 'lines',
  title: 'Lines of statements',
  menu: ['Books', 'Lines'],
  more: () => ({
    totals: ['Amount'],
    head: ({ lines }) =>
      html`<p class="note">Above zero it came to the account, below zero it left.</p>${lines.length === LINES_MAX && html`<p class="note">These are the oldest ${LINES_MAX}: there may be more.</p>`}`,
  }),
});

export const linePage: Page = {
  path: 'lines/{id}',
  title: 'Line of a statement',
  async show(desk) {
    const answer = await desk.ask('getLine', { id: desk.id });
    const { line, suggestions } = answer;
    return html`${differs(line)}${viewAt(desk, views.line, { answer })}${suggestions.length > 0 && suggested(suggestions)}
${line.state === 'open' && desk.mayAsk('lines.charge') ? waysOf(desk, answer) : null}${line.statement !== null && line.state !== 'decided' && proposing(desk, 'statements.void', { seen: { statement: line.statement } })}`;
  },
};

/** People decide on the difference alone. */
function differs({ amount_minor: said, item_amount_minor: open, currency }: Line): Html | null {
  if (open === null || open === said) return null;
  return facts([
    ['They say', minorOf(said, currency)],
    ['We booked', minorOf(said - open, currency)],
    ['The difference', html`<strong>${minorOf(open, currency).shown}</strong>`],
  ]);
}

const suggested = (transactions: readonly string[]): Html =>
  html`<h2>Possible transactions</h2><p>They fit by amount, visible digits and time. Check before you decide:</p>
<ul>${transactions.map((id) => html`<li><a href="${transactionAt(id)}">${id}</a></li>`)}</ul>`;

const isOurs = ({ id }: Line) => id.startsWith('en_');

function waysOf(desk: Desk, { line, halves }: Answer<'getLine'>): Html {
  const { id, currency } = line;
  const seen = { line: id, amount: line.item_amount_minor ?? line.amount_minor, currency };
  const half = halves.map(
    (one) => [one.id, `${one.account} on ${one.day}, ${one.receipt ?? one.id}`] as const,
  );
  const way = (one: LineWay, title?: string, isUsual = false) =>
    proposing(desk, `lines.${one}`, {
      seen,
      isUsual,
      options: { half },
      ...(title !== undefined && { title }),
    });
  const sum = `${formatMoney(minor(Math.abs(seen.amount)))} ${currency}`;
  if (isOurs(line)) return html`<h2>What happened to it</h2>${way('ours')}`;
  if (line.class === 'changed')
    return html`<h2>What happened to it</h2>${way('stands')}
<p>Or the first statement was wrong: make it void, and import this one again.</p>`;
  if (line.item === null) return html`<p>It is not in suspense: the next statement shows what it is.</p>`;
  return html`<h2>What it is</h2>${way('charge', `Book ${sum} as a charge of ${line.account}`, seen.amount !== line.amount_minor)}${way('sweep', `Book ${sum} as a transfer between our own accounts`)}${way('own', `Book ${sum} as the company's own money`)}
<p>Or it belongs to a merchant or a payer: <a href="/desk/suspense/${segment(line.item)}">release it from suspense</a>.</p>`;
}
