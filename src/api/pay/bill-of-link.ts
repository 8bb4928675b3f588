import { promptLimits } from '../../domain/data/prompts.ts';
import { DAY_MS } from '../../domain/day.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { type Minor, minorTyped, toUnits } from '../../domain/money.ts';
import { billTiming } from '../../domain/timing.ts';
import { billTransactionIdOf } from '../../transactions/acceptance/idempotency.ts';
import { countPrompts } from '../../transactions/acceptance/prompts.ts';
import { madeOfLink } from '../../transactions/rows/link-store.ts';
import { findPage, type Payable } from '../../transactions/rows/payable.ts';
import type { BillSettings } from '../kit/gateway-call.ts';
import { toTimestamp } from '../kit/moments.ts';
import { admitBill } from '../payments/bill-order.ts';
import { readPush } from '../payments/ussd-push.ts';
import {
  amountWrong,
  isWithin,
  markOf,
  type PromptDeps,
  pushFieldsOf,
  requestOf,
  type ToAsk,
  whyOf,
} from './ask-prompt.ts';
import { amountToPay } from './page.ts';

export type LinkDeps = PromptDeps & { bills: BillSettings };

/**
 * Returns the exact bill that a link's payer pays. It expires after a day, and is made only if the phone may
 * be asked.
 */
export async function billOfLink(deps: LinkDeps, asked: ToAsk): Promise<Payable | { why: Message }> {
  const { payable: link, typed } = asked;
  if (link.state !== 'open') return { why: say('page_closed') };
  const amount = amountToPay(link) ?? minorTyped(typed.amount.replace(/[\s,]/g, ''));
  if (amount === null || amount % 100 !== 0 || !isWithin(link, amount)) return { why: amountWrong(link) };
  const { id: pays, accountId } = link;
  try {
    const known = pushFieldsOf(asked, amount);
    const { msisdn } = readPush(known, deps.paymentsOver(accountId)).push;
    // Prompts are counted first: if a form is sent twice at once, the second finds the bill of the first.
    const { message } = await countPrompts(deps.database, { pays, msisdn, accountId, isBill: false });
    const found = await nextBill(deps, asked, amount);
    if (found === null) return { why: say('prompt_in_progress') };
    if (found.bill) return found.bill;
    if (message) return { why: message };
    if (found.lastHour >= promptLimits.of_number.most) return { why: say('prompt_not_now') };
    return (await makeBill(deps, asked, { amount, name: found.name })) ?? { why: say('prompt_not_now') };
  } catch (error) {
    if (error instanceof GatewayError) return { why: whyOf(error, asked) };
    throw error;
  }
}

type Next = { name: string; lastHour: number; bill: Payable | null };

/**
 * Returns the bill's name for this form, and the bill if it exists. A link for many payments has one bill per
 * form. A link for one payment has one open bill, which another amount cancels; null while somebody pays it.
 */
async function nextBill({ database, flows }: LinkDeps, asked: ToAsk, amount: Minor): Promise<Next | null> {
  const { id: linkId, accountId, controlNumber: code } = asked.payable;
  const read = async (): Promise<Next> => {
    const { quantity, ended, lastHour } = await madeOfLink(database, linkId);
    const number = quantity === 'once' ? ended + 1 : markOf(asked).readUIntBE(0, 6);
    const name = `${code}-${number}`;
    const page = await findPage(database, [billTransactionIdOf(accountId, name)]);
    return { name, lastHour, bill: page?.payable ?? null };
  };
  const next = await read();
  const isOther = ({ bill }: Next) => bill !== null && bill.state === 'open' && bill.amount !== amount;
  if (!next.bill || !isOther(next)) return next;
  await flows.cancel(next.bill.id);
  const after = await read();
  return isOther(after) ? null : after;
}

async function makeBill(
  deps: LinkDeps,
  asked: ToAsk,
  { amount, name }: { amount: Minor; name: string },
): Promise<Payable | null> {
  const { currency, description } = asked.payable;
  const known = {
    amount: toUnits(amount),
    payment_number: name,
    payment_mode: 'exact',
    description: description ?? '',
  };
  const request = { ...requestOf({ ...asked, now: deps.now() }, known), idempotencyKey: '' };
  const reply = await deps.start(request, 'billpay', async (id) => {
    await admitBill(deps, request);
    const bill = {
      mode: 'billpay',
      channel: 'billpay',
      amount,
      currency,
      paymentNumber: name,
      billMode: 'exact',
      description: known.description,
      controlNumberPrefix: deps.bills.controlNumberPrefix,
      expiresAt: toTimestamp(Date.parse(request.receivedAt) + DAY_MS),
      payUrl: deps.bills.payUrlOf(id),
    } as const;
    return { request: bill, timing: billTiming };
  });
  const id = billTransactionIdOf(asked.payable.accountId, name);
  const found = reply.refused === null ? await findPage(deps.database, [id]) : null;
  return found?.payable ?? null;
}
