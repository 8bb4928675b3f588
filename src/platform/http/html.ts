import { writtenOut } from '../../domain/plain-text.ts';

/** Only `html` makes markup, so text from others is shown as text. */
export class Html {
  readonly markup: string;
  private constructor(markup: string) {
    this.markup = markup;
  }
  /** Only the template below calls this, with literal parts from our code. */
  static of(parts: readonly string[], values: readonly Part[]): Html {
    return new Html(parts.map((part, at) => part + markupOf(values[at])).join(''));
  }
}

/** Text is escaped, markup is kept; null, undefined and false print nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** `html`<b>${name}</b>`` escapes every value, for text and for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...values: Part[]): Html {
  return Html.of(parts, values);
}

function markupOf(value: Part): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escaped(String(value));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes hidden characters and direction marks visible, so that people approve the real text. */
function escaped(text: string): string {
  return writtenOut(text).replace(/[&<>"']/g, (one) => entities[one] ?? one);
}
