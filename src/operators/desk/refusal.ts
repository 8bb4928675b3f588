import type { Context } from 'koa';
import type { GatewayError } from '../../domain/errors.ts';
import { inEnglish } from '../../domain/messages.ts';
import { type Html, html } from '../../platform/http/html.ts';
import { sentenceOf } from './words.ts';

export function problemOf({ message, detail }: GatewayError): Html {
  const { errors = [] } = detail;
  return html`<div class="problem" role="alert"><p>${sentenceOf(message)}.</p>${
    errors.length > 1 &&
    html`<ul>${errors.map(({ field, message }) => html`<li>${field.replace(/^payload\./, '')} ${inEnglish(message)}</li>`)}</ul>`
  }</div>`;
}

export function sendPage(context: Context, page: string): void {
  context.set('Content-Type', 'text/html; charset=utf-8');
  context.set('Content-Language', 'en');
  context.body = page;
}
