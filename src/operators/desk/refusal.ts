import type { Context } from 'koa';
import type { GatewayError } from '../../domain/errors.ts';
import { inEnglish } from '../../domain/messages.ts';
import { type Html, html } from '../../platform/http/html.ts';
import { sentenceOf, spaced } from './words.ts';

/** The form shows the problem beside its field too. */
export function problemOf({ message, detail }: GatewayError): Html {
  const errors = (detail.errors ?? []).map(({ field, message }) => `${nameOf(field)} ${inEnglish(message)}`);
  const [only, ...more] = errors;
  const list = more.length > 0 && html`<ul>${errors.map((one) => html`<li>${one}</li>`)}</ul>`;
  const said = more.length > 0 ? 'Nothing was done. Please correct:' : `${only ?? message}.`;
  return html`<div class="problem" role="alert"><p>${sentenceOf(said)}</p>${list}</div>`;
}

const nameOf = (field: string) => spaced((field.split('.').at(-1) ?? field).replace(/_id$/, ''));

export function sendPage(context: Context, page: string): void {
  context.set('Content-Type', 'text/html; charset=utf-8');
  context.set('Content-Language', 'en');
  context.body = page;
}
