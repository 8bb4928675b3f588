import { dayOf, localStamp, localTime, UTC_TIMES, withLocalTimes } from '../../domain/day.ts';
import { formatMoney, minor } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import { type Html, html } from '../../platform/http/html.ts';
import { type Column, currencyOf, fileTextOf, isMoney, textOf, valueIn } from '../columns.ts';

export type Cell = {
  shown: Html;
  csv: string;
  /** a file may show this time in UTC */
  at?: string;
  /** currency, for the head if all cells of a column share it; '': the page names it */
  currency?: string;
  inColumn?: Html;
};

export const text = (value: string | number | null): Cell => ({
  shown: html`${value}`,
  csv: String(value ?? ''),
});

/** Files get a plain number. `to`: the page that the amount links to. */
export const money = (amount: string, currency: string, to?: string): Cell => {
  const of = (words: Html) =>
    html`<span class="money">${to === undefined ? words : html`<a href="${to}">${words}</a>`}</span>`;
  return {
    shown: of(html`${amount} ${currency}`),
    csv: amount.replaceAll(',', ''),
    currency,
    inColumn: of(html`${amount}<span class="unit"> ${currency}</span>`),
  };
};

/** Shows minor units. `currency` is left out if the page names it once. */
export const minorOf = (amount: number | null, currency = '', to?: string): Cell =>
  amount === null ? { ...text('unknown'), currency } : money(formatMoney(minor(amount)), currency, to);

export const time = (at: string | null, none = ''): Cell =>
  at === null ? text(none) : { shown: timeOf(at), csv: localStamp(at), at };

/** Pages have links and local times; files have plain text. */
export function shownOf(column: Column, item: unknown): Cell {
  const value = valueIn(column, item);
  if (column.as === 'time') return time(value as string | null, column.none);
  if (column.as === 'sentence') return said(textOf(column, item));
  if (column.as === 'network') return text(networkNameOf(String(value)));
  const csv = fileTextOf(column, item);
  if (!isMoney(column)) return text(csv);
  return value === null
    ? { ...text(csv), currency: currencyOf(column, item) }
    : money(textOf(column, item), currencyOf(column, item));
}

export const dayIn = (at: string) => dayOf(new Date(at));

export const link = (to: string, label: string): Cell => ({
  shown: html`<a href="${to}">${label}</a>`,
  csv: label,
});

/** Converts times to those of Dar es Salaam. */
export const said = (sentence: string): Cell => ({
  shown: sentenceOf(sentence),
  csv: withLocalTimes(sentence),
});

/** The tooltip has UTC. */
export function timeOf(at: string): Html {
  return html`<time datetime="${at}" title="${at.slice(0, 19).replace('T', ' ')} UTC">${localTime(at)}</time>`;
}

export function sentenceOf(sentence: string): Html {
  const named = sentence.match(NAMED) ?? [];
  return html`${sentence.split(NAMED).map((part, at) => [part, named[at] === undefined ? null : namedOf(named[at])])}`;
}

/** Times in sentences become local; items, lines, proposals and runbooks become links. */
const NAMED = new RegExp(
  `${UTC_TIMES.source}|\\bsi_[0-9a-f]{12}\\b|\\bpr_[0-9A-Za-z]{12}\\b|\\b(?:ln|en)_\\d{1,18}\\b|` +
    `docs/operations/[a-z-]+\\.md`,
  'g',
);

function namedOf(named: string): Html {
  const [, runbook] = /^docs\/operations\/(.*)\.md$/.exec(named) ?? [];
  if (runbook !== undefined) return html`<a href="/desk/runbooks/${runbook}">${named}</a>`;
  if (named.startsWith('si_')) return html`<a href="/desk/suspense/${named}">${named}</a>`;
  if (/^(?:ln|en)_/.test(named)) return html`<a href="/desk/lines/${named}">${named}</a>`;
  return named.startsWith('pr_') ? html`<a href="/desk/proposals/${named}">${named}</a>` : timeOf(named);
}

export { spaced } from '../columns.ts';

export const segment = encodeURIComponent;

export function facts(rows: readonly (readonly [string, Cell | Html | string | null])[]): Html {
  const isGiven = (value: Cell | Html | string | null) =>
    value !== null && (typeof value === 'object' && 'csv' in value ? value.csv : value) !== '';
  const given = rows.filter(([, value]) => isGiven(value));
  return html`<dl>${given.map(
    ([name, value]) =>
      html`<dt>${name}</dt><dd>${typeof value === 'object' && value !== null && 'shown' in value ? value.shown : value}</dd>`,
  )}</dl>`;
}

export function sentences(list: readonly string[]): Html | null {
  return list.length === 0 ? null : html`<ul>${list.map((one) => html`<li>${sentenceOf(one)}</li>`)}</ul>`;
}
