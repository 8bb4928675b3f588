import { outstandingOf } from '../../domain/bill.ts';
import { UTC_TIMES } from '../../domain/day.ts';
import { inLanguage, type Language } from '../../domain/language.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, type Minor } from '../../domain/money.ts';
import { networks } from '../../domain/network.ts';
import { Html, html } from '../../platform/http/html.ts';
import type { Payable, Prompt } from '../../transactions/rows/payable.ts';
import { saidDay, saidHour, saidTime } from './said-time.ts';
import { style } from './style.ts';

export type Shown = {
  payable: Payable;
  prompt: Prompt | null;
  code: string;
  path: string;
  here: string;
  language: Language;
  by: RunBy;
  refused?: { why: Message | string; phone: string; amount: string };
  /** milliseconds since 1970 */
  now: number;
  /** one form makes one push, however often it is sent */
  once: string;
};

/** SERVICE_NAME and SUPPORT_CONTACT; unset: not shown. */
export type RunBy = { service: string | undefined; support: string | undefined };

export function footOf(note: Message, { service, support }: RunBy, text: Text): Html {
  const through = service === undefined ? [] : [say('foot_through', { service })];
  const help = support === undefined ? [] : [say('foot_help', { support })];
  const said = [...through, note, ...help].map((message) => `${text(message)}.`).join(' ');
  return html`<p><small>${said}</small></p>`;
}

export function pageOf(asked: {
  title: string;
  language: Language;
  here: string;
  body: Html;
  preview?: Html;
}): string {
  const { title, language, here, body, preview } = asked;
  const other = language === 'sw' ? 'en' : 'sw';
  const page = html`<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${preview}<style>${rawStyle}</style></head>
<body><header class="l"><a href="${here}?lang=${other}" lang="${other}" hreflang="${other}">${inLanguage(say('page_other_language'), language)}</a></header>
<main>${body}</main></body></html>`;
  return `<!doctype html>${page.markup}`;
}

const rawStyle = Html.of([style], []);

/** The page says what to pay, how, and the result, but never who paid. */
export function payPage(shown: Shown): string {
  const { payable, language, here } = shown;
  const text = (message: Message) => inLanguage(message, language);
  const { merchantName: merchant, description } = payable;
  const title = text(say('page_title', { merchant }));
  const isOpen = payable.state === 'open';
  const body = html`<h1>${title}</h1>${description !== null && html`<p>${description}</p>`}
${stateOf(shown, text)}${factsOf(shown, text)}
${isOpen && mayAskAgain(shown.prompt) && formOf(shown, text)}${isOpen && mayAskAgain(shown.prompt) && (payable.kind === 'link' ? codeShown(shown, text) : byNumber(shown, text))}${footOf(say('page_foot'), shown.by, text)}`;
  const preview =
    payable.kind === 'link' &&
    html`<meta property="og:title" content="${title}"><meta property="og:description" content="${previewOf(payable, text)}">`;
  return pageOf({ title, language, here, body, ...(preview ? { preview } : {}) });
}

/** A customer who waits for an answer, or paid too late, must not be led to pay twice. */
function mayAskAgain(prompt: Prompt | null): boolean {
  return prompt === null || (prompt.status !== 'pending' && prompt.fate !== 'held');
}

/**
 * Returns milliseconds since a pending push's prompt ended on the phone: negative before, null after the push
 * ended.
 */
function silentMs({ prompt, now }: Shown): number | null {
  return prompt?.status === 'pending' && prompt.fate === null ? now - Date.parse(prompt.promptEndsAt) : null;
}

/** A page checks its prompt less and less often, then no more. */
const LOOKS = [
  { untilMs: 60_000, seconds: 5 },
  { untilMs: 5 * 60_000, seconds: 15 },
  { untilMs: 30 * 60_000, seconds: 60 },
];

/** Returns seconds until a page checks again; null if it waits for nothing. */
export function lookAgainSeconds(shown: Shown): number | null {
  const ms = silentMs(shown);
  return ms === null ? null : (LOOKS.find(({ untilMs }) => ms < untilMs)?.seconds ?? null);
}

function previewOf({ description, minimum, maximum }: Payable, text: Text): string {
  const amount = minimum === maximum ? money(minimum) : text(say('page_step_any_amount'));
  return [description, amount].filter((part) => part !== null).join(' · ');
}

export type Text = (message: Message) => string;
export const whole = (amount: Minor) => formatMoney(amount).replace(/\.00$/, '');
export const money = (amount: Minor) => `${whole(amount)} TZS`;
/** Writes 7700 0000 0067, as people read it aloud. */
const grouped = (number: string) => number.replace(/(\d{4})(?=\d)/g, '$1 ');

function factsOf({ payable, language }: Shown, text: Text): Html {
  const { kind, amount, paid, minimum, maximum, expiresAt, state } = payable;
  const within = say('page_any_amount', { minimum: money(minimum), maximum: money(maximum) });
  const named = minimum === maximum ? money(minimum) : text(within);
  const facts: [Message, string][] = [[say('page_amount'), kind === 'bill' ? money(amount) : named]];
  if (paid > 0) facts.push([say('page_paid'), money(paid)]);
  if (paid > 0 && state === 'open') facts.push([say('page_missing'), money(outstandingOf(payable, amount))]);
  if (expiresAt !== null && state === 'open') facts.push([say('page_until'), saidTime(expiresAt, language)]);
  return html`<dl>${facts.map(([name, value]) => html`<dt>${text(name)}</dt><dd>${value}</dd>`)}</dl>`;
}

function stateOf(shown: Shown, text: Text): Html | null {
  const { payable, prompt, path, here, language } = shown;
  const { state, merchantName: merchant } = payable;
  const said = prompt === null ? null : promptOf(shown, prompt, text);
  const why = state === 'open' || prompt?.status === 'completed' ? null : overOf(state, merchant);
  const over = why && html`<p class="${state === 'paid' ? 'd' : 'x'}">${text(why)}.</p>`;
  if (said === null) return over;
  const isPending = prompt?.status === 'pending';
  const to = `${isPending ? here : path}?lang=${language}`;
  const next = text(say(isPending ? 'page_again' : 'page_back'));
  return html`<div role="status">${said}</div>${over}<p class="f"><a href="${to}">${next}</a></p>`;
}

function overOf(state: 'paid' | 'expired' | 'closed', merchant: string): Message {
  return state === 'paid' ? say('page_is_paid') : say(`page_is_${state}`, { merchant });
}

/** Shows neither why a prompt failed nor whether a number is registered. */
function promptOf(shown: Shown, prompt: Prompt, text: Text): Html {
  const { language } = shown;
  const silent = silentMs(shown);
  const { status, amount, receipt, fate, at } = prompt;
  const reference = html`<dt>${text(say('prompt_reference'))}</dt><dd>${prompt.id}</dd>`;
  if (silent !== null && silent < 0) return html`<p class="d">${text(say('prompt_pending'))}.</p>`;
  if (silent !== null) return html`<p class="x">${text(say('prompt_unknown'))}.</p><dl>${reference}</dl>`;
  if (status !== 'completed' && fate === null) return html`<p class="x">${text(say('prompt_failed'))}.</p>`;
  const isOver = fate === null || fate === 'credited';
  const day = saidDay(at, language);
  const message =
    fate === 'given_back'
      ? say('prompt_given_back', { amount: money(amount), day })
      : say(isOver ? 'prompt_paid' : 'prompt_suspended', { amount: money(amount) });
  return html`<p class="${isOver ? 'd' : 'x'}">${text(message)}.</p><dl>${
    receipt !== null && html`<dt>${text(say('prompt_receipt'))}</dt><dd>${receipt}</dd>`
  }<dt>${text(say('prompt_time'))}</dt><dd>${saidTime(at, language)}</dd>${!isOver && reference}</dl>`;
}

function formOf({ payable, path, language, refused, once }: Shown, text: Text): Html {
  const why = typeof refused?.why === 'string' ? refused.why : refused && text(refused.why);
  const names = payable.kind !== 'bill' && payable.minimum !== payable.maximum;
  const amount = html`<label for="amount">${text(say('page_amount_to_pay'))}</label><input id="amount" name="amount" inputmode="numeric" autocomplete="off" required value="${refused?.amount ?? ''}">`;
  return html`<h2>${text(say('page_by_push'))}</h2>${why !== undefined && html`<p class="x" role="alert">${why.replace(UTC_TIMES, (at) => saidHour(at, language))}.</p>`}
<form method="post" action="${path}?lang=${language}"><input type="hidden" name="once" value="${once}">
<label for="phone">${text(say('page_phone'))}</label><input id="phone" name="phone" type="tel" autocomplete="tel" required value="${refused?.phone ?? ''}">
<label for="network">${text(say('page_network'))}</label><select id="network" name="network"><option value="">${text(say('page_network_by_number'))}</option>${networks.map(({ id, customerName }) => html`<option value="${id}">${customerName}</option>`)}</select>
${names && amount}<button>${text(say('page_ask'))}</button><small>${text(say('page_ask_note'))}.</small></form>`;
}

function byNumber({ payable, code, language }: Shown, text: Text): Html {
  const number = grouped(payable.controlNumber);
  const fixed = amountToPay(payable);
  const amount =
    fixed === null ? say('page_step_any_amount') : say('page_step_amount', { amount: money(fixed) });
  return html`<h2>${text(say('page_by_number'))}</h2><p class="n">${number}</p><ol><li>${text(say('page_step_dial'))}:<ul>${networks.map(
    ({ customerName, menu }) =>
      html`<li>${customerName}: <a href="tel:${menu.code.replace('#', '%23')}">${menu.code}</a>, ${menu[language]}</li>`,
  )}</ul></li><li>${text(say('page_step_number', { number }))}</li><li>${text(amount)}</li><li>${text(say('page_step_pin'))}</li></ol>
${codeShown({ payable, code }, text)}`;
}

function codeShown({ payable, code }: Pick<Shown, 'payable' | 'code'>, text: Text): Html {
  const { kind, controlNumber } = payable;
  const isLink = kind === 'link';
  const alt = isLink ? say('page_code_of_link') : say('page_code_of', { number: grouped(controlNumber) });
  return html`<h2>${text(say('page_by_code'))}</h2><p>${text(say(isLink ? 'page_scan_link' : 'page_scan'))}.</p><img class="q" src="${code}" alt="${text(alt)}">`;
}

export function amountToPay(payable: Payable): Minor | null {
  const { kind, amount, minimum, maximum } = payable;
  if (kind === 'bill') return outstandingOf(payable, amount);
  return minimum === maximum ? minimum : null;
}
