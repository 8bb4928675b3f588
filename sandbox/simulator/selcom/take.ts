import type { Context } from 'koa';
import type { RailContext } from '../core/rail.ts';
import { pause, takeOrder } from '../core/take.ts';
import { IN_PROGRESS, payoutOf, refusal, refuseField, reply } from './messages.ts';
import type { SelcomNotifyOptions } from './notify.ts';
import type { Missing, Product, Wanted } from './requests.ts';

export const SELCOM_RAIL = 'selcom';

export type SelcomTaker = (context: Context, wanted: Wanted | Missing, product: Product) => Promise<void>;

/** Answers requests for money as their ending says. A push is always 111; a payout may have ended already. */
export function createSelcomTaker(
  rail: RailContext,
  { payoutAnswerMs = 0, c2b }: SelcomNotifyOptions & { payoutAnswerMs?: number },
): SelcomTaker {
  return async (context, asked, product) => {
    if ('missing' in asked) return refuseField(context, asked.missing);
    if (!asked.order) return refuseField(context, 'amount');
    const isC2b = asked.order.detail?.notifies === 'c2b' && c2b !== undefined;
    const wanted = {
      ...asked.order,
      rail: SELCOM_RAIL,
      ...(isC2b ? { callbackUrl: `${c2b.url}/channels/selcom/c2b/notification` } : {}),
    };
    await takeOrder(context, rail, {
      wanted,
      say: {
        duplicate: () =>
          reply(context, { transid: wanted.clientId, ...refusal('409', 'Duplicate transaction ID') }),
        broken() {
          context.status = 500;
          context.body = '<html><body>Internal Server Error</body></html>';
        },
        async taken(order, done) {
          const names = { reference: order.receipt, transid: order.clientId };
          if (product === 'push') return reply(context, { ...names, ...IN_PROGRESS });
          await Promise.race([done, pause(payoutAnswerMs)]);
          reply(context, { ...names, ...payoutOf(order) });
        },
      },
    });
  };
}
