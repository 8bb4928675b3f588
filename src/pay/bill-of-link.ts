import { admitBill } from '../api/bill-order.ts';
import type { BillSettings } from '../api/call.ts';
import { toTimestamp } from '../api/moments.ts';
import { promptLimits } from '../domain/data/prompts.ts';
import { DAY_MS } from '../domain/day.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Message, say } from '../domain/messages.ts';
import { minorTyped, toUnits } from '../domain/money.ts';
import { billTiming } from '../domain/timing.ts';
import { nextBillOf } from '../transactions/rows/link-store.ts';
import { findPage, type Payable } from '../transactions/rows/payable.ts';
import { amountWrong, isWithin, type PromptDeps, requestOf, type ToAsk } from './ask-prompt.ts';
import { amountToPay } from './page.ts';

export type LinkDeps = PromptDeps & { bills: BillSettings };

/**
 * The bill that a payer of a link is asked to pay: an exact one that is over after a day. A link of one payment that says its
 * amount has one at a time, so who asks for it at once meets the same bill.
 */
export async function billOfLink(deps: LinkDeps, asked: ToAsk): Promise<Payable | { why: Message }> {
  const { payable: link, typed } = asked;
  if (link.state !== 'open') return { why: say('page_closed') };
  const amount = amountToPay(link) ?? minorTyped(typed.amount.replace(/[\s,]/g, ''));
  if (amount === null || amount % 100 !== 0 || !isWithin(link, amount)) return { why: amountWrong(link) };
  const next = await nextBillOf(deps.database, link.id);
  if (!next) return { why: say('page_closed') };
  if (next.lastHour > promptLimits.of_number.most) return { why: say('prompt_not_now') };
  const known = {
    amount: toUnits(amount),
    payment_number: next.name,
    payment_mode: 'exact',
    description: link.description ?? '',
  };
  const request = { ...requestOf({ ...asked, now: deps.now() }, known), idempotencyKey: '' };
  try {
    const reply = await deps.start(request, 'billpay', async (id) => {
      await admitBill(deps, request);
      const bill = {
        mode: 'billpay',
        channel: 'billpay',
        amount,
        currency: link.currency,
        paymentNumber: next.name,
        billMode: 'exact',
        description: known.description,
        controlNumberPrefix: deps.bills.controlNumberPrefix,
        expiresAt: toTimestamp(Date.parse(request.receivedAt) + DAY_MS),
        payUrl: deps.bills.payUrlOf(id),
      } as const;
      return { request: bill, timing: billTiming };
    });
    const { transaction_id: id } = JSON.parse(String(reply.body));
    const found = reply.status === 200 ? await findPage(deps.database, [id]) : null;
    return found?.payable ?? { why: say('prompt_not_now') };
  } catch (error) {
    if (error instanceof GatewayError) return { why: say('prompt_not_now') };
    throw error;
  }
}
