import type { Context } from 'koa';
import type { Order } from '../core/order.ts';
import type { RailContext } from '../core/rail.ts';
import { newReceipt } from '../core/receipt.ts';
import { isSlow, ownerOf } from '../core/scenario.ts';
import { pause } from '../core/take.ts';
import { fieldsOf } from './gate.ts';
import { AMBIGUOUS, payoutOf, pushMessage, refusal, refuseField, reply, SUCCESS } from './messages.ts';
import { type Product, requestOf } from './requests.ts';
import { SELCOM_RAIL } from './take.ts';

export type SelcomQuestionOptions = {
  /** the answer for an unknown reference: 999 as the gateway, or a code for `not found` */
  unknownReference?: 'ambiguous' | 'not-found';
};

const BALANCE = '1000000';

export function createSelcomQuestions({ orders, timing }: RailContext, options: SelcomQuestionOptions) {
  return {
    /** Each product knows only its own transactions. */
    async status(context: Context, product: Product): Promise<void> {
      const { transid, reference } = fieldsOf(context);
      if ((transid === undefined) === (reference === undefined))
        return reply(context, refusal('412', 'Exactly one of transid and reference', 412));
      const order =
        transid === undefined
          ? orders.byReceipt(SELCOM_RAIL, String(reference))
          : orders.byClientId(SELCOM_RAIL, String(transid));
      if (!order || order.detail.product !== product) return neverSeen(context, options);
      reply(context, { reference: order.receipt, transid: order.clientId, ...statusOf(order, product) });
      if (order.state === 'failed') await orders.noteFailureSeen(order);
    },

    async name(context: Context, account: unknown): Promise<void> {
      const number = String(account ?? '');
      if (fieldsOf(context).utilitycode === 'VMCASHIN')
        return reply(context, refusal('403', 'Name lookup is not available'));
      if (isSlow(number)) await pause(timing.slowAnswerMs);
      const name = ownerOf(number);
      if (name === null) return reply(context, refusal('010', 'Invalid account or payment reference'));
      const message = 'Name fetch successful';
      reply(context, { ...SUCCESS, reference: newReceipt(), message, data: [{ name }] });
    },

    async balance(context: Context): Promise<void> {
      const wanted = requestOf('balance', fieldsOf(context));
      if ('missing' in wanted) return refuseField(context, wanted.missing);
      const data = [{ balance: BALANCE }];
      reply(context, { ...SUCCESS, reference: newReceipt(), message: 'Balance successful', data });
    },
  };
}

function statusOf(order: Order, product: Product) {
  if (product !== 'push' || order.state !== 'succeeded') return payoutOf(order);
  return { ...SUCCESS, message: pushMessage(order) };
}

export function neverSeen(context: Context, { unknownReference }: SelcomQuestionOptions): void {
  reply(context, unknownReference === 'not-found' ? refusal('404', 'Not found') : AMBIGUOUS);
}
