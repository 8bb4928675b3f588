import { type Html, html } from '../../platform/http/html.ts';
import { memberOf } from '../columns.ts';
import type { AnyView } from '../view.ts';
import type { Answer, Desk } from './desk.ts';
import { cellAt, columnsAt, rows } from './list.ts';
import { facts } from './words.ts';

export function viewAt<V extends AnyView>(
  desk: Desk,
  { fields, sections = [] }: V,
  { answer, below = {} }: { answer: Answer<V['call']>; below?: Record<string, (item: never) => Html | null> },
): Html {
  const shown = fields.filter(({ not }) => !not?.includes('page'));
  const parts = sections.map(({ title, of, columns }) => {
    const items = memberOf(answer, of) as readonly never[];
    const table = { columns: columnsAt<never>(desk, columns), below: below[of] ?? (() => null) };
    return items.length > 0 && html`<h2>${title}</h2>${rows(table, items)}`;
  });
  return html`${facts(shown.map((column) => [column.head, cellAt(desk, column, answer)]))}${parts}`;
}
