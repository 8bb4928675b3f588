import { createHash } from 'node:crypto';
import { GatewayError } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import { type Message, say } from '../../domain/messages.ts';
import { type Minor, minorTyped, toUnits } from '../../domain/money.ts';
import type { Reply } from '../../platform/http/call.ts';
import type { Log } from '../../platform/process/log.ts';
import { sentenceIn } from '../../transactions/acceptance/answers.ts';
import { transactionIdOf } from '../../transactions/acceptance/idempotency.ts';
import { findPage, type Payable } from '../../transactions/rows/payable.ts';
import type { ApiRequest } from '../kit/call.ts';
import type { Flows } from '../kit/flows.ts';
import type { Start } from '../kit/start.ts';
import { type PushDeps, planPush } from '../payments/ussd-push.ts';
import { amountToPay, whole } from './page.ts';

export type PromptDeps = PushDeps & { start: Start; flows: Pick<Flows, 'cancel'>; now: () => Date };

export type Typed = { phone: string; network: string; amount: string; once: string };

export type ToAsk = { payable: Payable; typed: Typed; language: Language; requestId: string; log: Log };

/** The push that was sent, or why there is none, in the customer's language. */
export type Asked = { promptId: string } | { why: Message | string };

/**
 * Sends a prompt to a phone: an ordinary push that pays this bill or number, once per form. The amount comes
 * from the bill, never from the form.
 */
export async function askPrompt(deps: PromptDeps, asked: ToAsk): Promise<Asked> {
  const { payable, typed } = asked;
  const { accountId, id: pays } = payable;
  // A form sent again gets its first push, even one that paid the bill: the payer never saw the answer.
  const promptId = transactionIdOf(accountId, keyOf(asked));
  if ((await findPage(deps.database, [promptId]))?.prompt) return { promptId };
  if (payable.state !== 'open') return { why: say('page_closed') };
  const amount = amountToPay(payable) ?? minorTyped(typed.amount.replace(/[\s,]/g, ''));
  if (amount === null || (payable.kind === 'number' && !isWithin(payable, amount)))
    return { why: amountWrong(payable) };
  const known = pushFieldsOf(asked, amount);
  const request = requestOf({ ...asked, now: deps.now() }, known);
  try {
    const reply = await deps.start(request, 'ussd', async (transactionId) => {
      const plan = await planPush(deps, { transactionId, known, accountId });
      return { ...plan, request: { ...plan.request, pays } };
    });
    return reply.refused === null ? { promptId } : refusedBy(reply);
  } catch (error) {
    if (error instanceof GatewayError) return { why: whyOf(error, asked) };
    throw error;
  }
}

export function pushFieldsOf({ payable, typed }: ToAsk, amount: Minor): Record<string, unknown> {
  return {
    amount: toUnits(amount),
    currency: payable.currency,
    phone_number: typed.phone,
    ...(typed.network === '' ? {} : { transaction_channel: typed.network }),
  };
}

/** A form and its input have the same digest however often they are sent. */
export function markOf({ payable, typed }: Pick<ToAsk, 'payable' | 'typed'>): Buffer {
  const { once, phone, network, amount } = typed;
  return createHash('sha256')
    .update(JSON.stringify([payable.id, once, phone, network, amount]))
    .digest();
}

/**
 * Makes the push's Idempotency-Key. It contains a space, which no merchant's key can. Other input makes
 * another push.
 */
export const keyOf = (asked: Pick<ToAsk, 'payable' | 'typed'>) =>
  `page ${markOf(asked).toString('base64url')}`;

export function requestOf(asked: ToAsk & { now: Date }, known: Record<string, unknown>): ApiRequest {
  const { payable, language, requestId, log, now } = asked;
  return {
    requestId,
    receivedAt: now.toISOString(),
    id: '',
    query: new URLSearchParams(),
    principal: { keyId: payable.apiKeyId, accountId: payable.accountId, scopes: [], frozen: null },
    body: null,
    known,
    table: null,
    idempotencyKey: keyOf(asked),
    prefersCsv: false,
    language,
    log,
  };
}

/** The customer reads only why limits refuse the push, no text for merchants. */
function refusedBy({ refused, body }: Reply): Asked {
  return { why: refused === 'limit_exceeded' ? sentenceIn(String(body)) : say('prompt_not_now') };
}

/** The customer may read the network's limits, but never whether a number is registered. */
export function whyOf(error: GatewayError, { payable, typed }: ToAsk): Message {
  const { code, sentence, detail } = error;
  if (code === 'amount_out_of_range' && typeof sentence !== 'string') return sentence;
  const fields = (detail.errors ?? []).map(({ field }) => field);
  if (fields.includes('phone_number')) return phoneWrong(typed.phone);
  if (fields.includes('amount')) return amountWrong(payable);
  return fields.length > 0 ? say('page_wrong_phone') : say('prompt_not_now');
}

function phoneWrong(phone: string): Message {
  const digits = phone.replace(/\D/g, '');
  const national = digits.replace(/^(?:(?:00)?255|0)/, '');
  if (digits === '') return say('page_wrong_phone');
  if (national.length !== 9) return say('page_wrong_digits', { count: national.length + 1 });
  return say('page_wrong_prefix', { prefix: `0${national.slice(0, 2)}` });
}

export function isWithin({ minimum, maximum }: Payable, amount: Minor): boolean {
  return amount >= minimum && amount <= maximum;
}

export function amountWrong({ kind, minimum, maximum }: Payable): Message {
  if (kind === 'bill') return say('prompt_wrong_amount');
  return say('page_wrong_amount', { minimum: whole(minimum), maximum: whole(maximum) });
}
