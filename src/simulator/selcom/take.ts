import type { Context } from 'koa';
import { pause, untilAnswer } from '../core/answer-style.ts';
import { breakConnection } from '../core/body.ts';
import type { Reception } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { newReceipt } from '../core/receipt.ts';
import { IN_PROGRESS, payoutOf, refusal, refuseField, reply } from './messages.ts';
import type { Missing, Product, Wanted } from './requests.ts';

export const SELCOM_RAIL = 'selcom';

export type SelcomTaker = (context: Context, wanted: Wanted | Missing, product: Product) => Promise<void>;

/** Takes what asks for money, and answers as its ending wants. A push is always 111; a payout may have ended already. */
export function createSelcomTaker(
  { orders, timing }: RailContext,
  { payoutAnswerMs = 0 }: { payoutAnswerMs?: number },
): SelcomTaker {
  async function answerTaken(
    context: Context,
    reception: Extract<Reception, { kind: 'recorded' }>,
    product: Product,
  ): Promise<void> {
    const { order, done } = reception;
    const style = await untilAnswer(context, reception, timing);
    if (style === 'gone') return;
    if (style === 'server_error') {
      context.status = 500;
      context.body = '<html><body>Internal Server Error</body></html>';
      return;
    }
    const names = { reference: order.receipt, transid: order.clientId };
    if (product === 'push') return reply(context, { ...names, ...IN_PROGRESS });
    await Promise.race([done, pause(payoutAnswerMs)]);
    reply(context, { ...names, ...payoutOf(order) });
  }

  return async (context, wanted, product) => {
    if ('missing' in wanted) return refuseField(context, wanted.missing);
    if (!wanted.order) return refuseField(context, 'amount');
    const order = { ...wanted.order, rail: SELCOM_RAIL, receipt: newReceipt() };
    const reception = await orders.receive(order, { returns: false });
    if (reception.kind === 'dropped') return breakConnection(context);
    if (reception.kind === 'duplicate')
      return reply(context, { transid: order.clientId, ...refusal('409', 'Duplicate transaction ID') });
    await answerTaken(context, reception, product);
  };
}
