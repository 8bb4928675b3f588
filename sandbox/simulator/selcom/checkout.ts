import type { Context } from 'koa';
import type { RailContext } from '../core/rail.ts';
import { newReceipt } from '../core/receipt.ts';
import { fieldsOf } from './gate.ts';
import { orderRow, refusal, refuseField, reply, SUCCESS } from './messages.ts';
import { neverSeen, type SelcomQuestionOptions } from './questions.ts';
import { requestOf, walletPaymentOf } from './requests.ts';
import { SELCOM_RAIL, type SelcomTaker } from './take.ts';

/** An order before a customer is asked to pay it. `at`: milliseconds since 1970. */
export type CreatedOrder = {
  orderId: string;
  amount: number;
  currency: string;
  webhook: string | null;
  at: number;
};

const KIND = 'selcom-order';

/** The first call stores the order in the book; the second asks for the money. */
export function createSelcomCheckout(
  { orders, book }: RailContext,
  options: SelcomQuestionOptions,
  take: SelcomTaker,
) {
  const created = book.recall(KIND) as Map<string, CreatedOrder>;

  return {
    async create(context: Context): Promise<void> {
      const wanted = requestOf('order', fieldsOf(context));
      if ('missing' in wanted) return refuseField(context, wanted.missing);
      const { order_id, amount, currency, webhook = '' } = wanted.fields;
      const orderId = String(order_id);
      if (created.has(orderId)) return reply(context, refusal('409', 'Order ID already exists'));
      const order: CreatedOrder = {
        orderId,
        amount: Number(amount),
        currency: String(currency),
        webhook: Buffer.from(String(webhook), 'base64').toString('utf8') || null,
        at: Date.now(),
      };
      created.set(orderId, order);
      await book.remember(KIND, orderId, order);
      const url = Buffer.from(`https://pg.selcom.invalid/${orderId}`).toString('base64');
      const data = [
        { gateway_buyer_uuid: '12344321', payment_token: '80008000', qr: 'QR', payment_gateway_url: url },
      ];
      reply(context, { ...SUCCESS, reference: newReceipt(), message: 'Payment notification logged', data });
    },

    async pay(context: Context): Promise<void> {
      const fields = fieldsOf(context);
      const order = created.get(String(fields.order_id));
      if (!order) return reply(context, refusal('404', 'Order not found'));
      await take(context, walletPaymentOf(fields, order), 'push');
    },

    async show(context: Context): Promise<void> {
      const orderId = String(fieldsOf(context).order_id);
      const first = created.get(orderId);
      if (!first) return neverSeen(context, options);
      const order = orders.byReference(SELCOM_RAIL, orderId);
      const data = [orderRow(first, order)];
      reply(context, { ...SUCCESS, reference: newReceipt(), message: 'Order fetch successful', data });
      if (order?.state === 'failed') await orders.noteFailureSeen(order);
    },
  };
}
