import { CURRENCY, formatMoney, minor } from '../../domain/money.ts';
import { type Html, html } from '../../platform/http/html.ts';
import type { Figure } from '../api/figure.ts';

/** Pages stretch the height; lines keep their width. */
const HEIGHT = 100;
const STEP = 10;
/** A bar is visible even if no payment succeeded. */
const LEAST = 2;

type Values = Figure['series'][number]['values'];

const round = (value: number) => Math.round(value * 10) / 10;

const said = (unit: Figure['unit'], value: number | null): string => {
  if (value === null) return '–';
  if (unit === 'minor') return formatMoney(minor(value));
  return unit === 'percent' ? `${value} %` : String(value);
};

/** If the figures come too late, the page has no chart: people must be able to work. */
export async function drawnOf<Of>(asked: Promise<Of>, draw: (figure: Of) => Html): Promise<Html> {
  const figure = await asked.catch(() => null);
  return figure === null ? html`<p class="note">The chart cannot be drawn now.</p>` : draw(figure);
}

/** Draws a figure's numbers, a chart for each panel (its bars first), and a table of all values. */
export function picture(title: string, { at, series, unit, numbers }: Figure): Html {
  const panels = [...new Set(series.map(({ panel }) => panel))];
  if (panels.length === 0) return html`${numbersOf(numbers)}<p>${title}: nothing to show yet.</p>`;
  const axis = html`<p class="axis"><span>${at[0]}</span><span>${at.at(-1)}</span></p>`;
  const charts = panels.map((panel) => {
    const own = series.filter((one) => one.panel === panel);
    const values = own.flatMap((one) => one.values.filter((value) => value !== null));
    const most = unit === 'percent' ? 100 : Math.max(1, ...values);
    const heightOf = (value: number) => round((Math.max(0, value) / most) * HEIGHT);
    const least = unit === 'percent' ? LEAST : 0;
    return html`<figure><figcaption>${panel}${own.map(({ name }, nth) => html`<span class="key s${nth}">${name}</span>`)}<small>${values.some((value) => value > 0) ? `up to ${said(unit, most)}` : 'nothing'}</small></figcaption>
<svg role="img" viewBox="0 0 ${at.length * STEP} ${HEIGHT}" preserveAspectRatio="none"><title>${title}: ${panel}</title>${own.map(
      ({ values }, nth) =>
        nth === 0
          ? bars(values.map((value) => (value === null ? null : Math.max(least, heightOf(value)))))
          : line(values, nth, heightOf),
    )}</svg>${axis}</figure>`;
  });
  const cells = (nth: number) =>
    series.map(({ values }) => (values[nth] === null ? '' : said(unit, values[nth] ?? null)));
  const head = ['', ...series.map(({ panel, name }) => `${panel}, ${name}`)];
  const body = at.map((place, nth) => [place, ...cells(nth)]);
  return html`${numbersOf(numbers)}<div class="panels">${charts}</div>${plainTable(title, head, body)}`;
}

/** One path draws all bars: an element for each would be half of a page of four networks. */
function bars(heights: Values): Html {
  const drawn = heights.map((height) =>
    height === null ? `h${STEP}` : `v-${height}h${STEP - 2}v${height}h2`,
  );
  return html`<path class="s0" d="M1 ${HEIGHT}${drawn.join('')}"/>`;
}

/** A missing value breaks the line; a single value is a short dash. */
function line(values: Values, nth: number, heightOf: (value: number) => number): Html {
  const points = values.map((value, at) => {
    if (value === null) return '';
    const begins = at === 0 || values[at - 1] === null;
    const isAlone = begins && (values[at + 1] ?? null) === null;
    const y = round(HEIGHT - heightOf(value));
    return `${begins ? 'M' : 'L'}${at * STEP + STEP / 2} ${y}${isAlone ? 'h2' : ''}`;
  });
  return html`<path class="line s${nth}" d="${points.join('')}"/>`;
}

export function squares(
  title: string,
  rows: readonly { name: string; cells: readonly { at: string; is: string }[] }[],
): Html {
  const columns = rows[0]?.cells.map(({ at }) => at) ?? [];
  const size = STEP;
  return html`<figure class="squares">${rows.map(
    ({ name, cells }) =>
      html`<p><span>${name}</span><svg role="img" viewBox="0 0 ${cells.length * size} ${size}"><title>${title}, ${name}: ${countsIn(cells)}</title>${cells.map(
        ({ is, at }, nth) =>
          html`<rect class="${is}" x="${nth * size + 1}" y="1" width="${size - 2}" height="${size - 2}"><title>${at}: ${is}</title></rect>`,
      )}</svg></p>`,
  )}<p><span></span><span class="axis"><span>${columns[0]}</span><span>${columns.at(-1)}</span></span></p>
<figcaption>${[...new Set(rows.flatMap(({ cells }) => cells.map(({ is }) => is)))].map((is) => html`<span class="key ${is}">${is}</span>`)}</figcaption></figure>${plainTable(
    title,
    ['Day', ...rows.map(({ name }) => name)],
    columns.map((at, nth) => [at, ...rows.map(({ cells }) => cells[nth]?.is ?? '')]),
  )}`;
}

function countsIn(cells: readonly { is: string }[]): string {
  const states = [...new Set(cells.map(({ is }) => is))];
  return states.map((state) => `${cells.filter(({ is }) => is === state).length} ${state}`).join(', ');
}

/** Cells do not repeat their heads, so hundreds of them stay small. */
function plainTable(title: string, head: readonly string[], body: readonly (readonly string[])[]): Html {
  return html`<details><summary>The numbers: ${title}</summary><div class="wide" tabindex="0" role="region" aria-label="${title}"><table class="plain"><thead><tr>${head.map(
    (one) => html`<th scope="col">${one}</th>`,
  )}</tr></thead><tbody>${body.map(
    ([first, ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;
}

function numbersOf(numbers: Figure['numbers']): Html | null {
  if (numbers.length === 0) return null;
  return html`<dl class="numbers">${numbers.map(
    ({ name, value, unit }) =>
      html`<div><dt>${unit === 'minor' ? `${name}, ${CURRENCY}` : name}</dt><dd>${said(unit, value)}</dd></div>`,
  )}</dl>`;
}
