import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { breakConnection } from './body.ts';
import type { Reception } from './order.ts';
import type { RailContext } from './rail.ts';
import { newReceipt } from './receipt.ts';
import { IN_PROGRESS, payoutOf, refusal, refuseField, reply } from './selcom-messages.ts';
import type { Missing, Product, Wanted } from './selcom-requests.ts';

export const SELCOM_RAIL = 'selcom';
/** Ending 189 answers when its notification was taken, at most this much later. */
const ANSWER_WAIT_MS_MAX = 5_000;

export type SelcomTaker = (context: Context, wanted: Wanted | Missing, product: Product) => Promise<void>;

/** Takes what asks for money, and answers as its ending wants. A push is always 111; a payout may have ended already. */
export function createSelcomTaker(
  { orders, timing }: RailContext,
  { payoutAnswerMs = 0 }: { payoutAnswerMs?: number },
): SelcomTaker {
  async function answerTaken(
    context: Context,
    { order, answer, done }: Extract<Reception, { kind: 'recorded' }>,
    product: Product,
  ): Promise<void> {
    if (answer === 'late') await pause(timing.slowAnswerMs);
    if (answer === 'after_steps') await Promise.race([done, pause(ANSWER_WAIT_MS_MAX)]);
    if (answer === 'break' || answer === 'server_error') await done;
    if (answer === 'break') return breakConnection(context);
    if (answer === 'server_error') {
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

/** Nothing waits for it: the process may end meanwhile. */
export const pause = (ms: number) => sleep(ms, undefined, { ref: false });
