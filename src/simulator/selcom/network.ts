import type { Context } from 'koa';
import { SELCOM_PATHS } from '../../channels/selcom/wire.ts';
import type { RailContext } from '../core/rail.ts';
import { createSelcomCheckout } from './checkout.ts';
import { createSelcomGate, fieldsOf, type SelcomGateOptions } from './gate.ts';
import { refusal, reply } from './messages.ts';
import { createSelcomNotifier, type SelcomNotifyOptions } from './notify.ts';
import { createSelcomQuestions, type SelcomQuestionOptions } from './questions.ts';
import { requestOf } from './requests.ts';
import { createSelcomTaker, SELCOM_RAIL } from './take.ts';

export type SelcomOptions = SelcomGateOptions &
  SelcomNotifyOptions &
  SelcomQuestionOptions & {
    /** the PIN of the float account; any is right without it */
    floatPin?: string | undefined;
    /** how long a payout's answer waits for its end; 111 when it has none by then */
    payoutAnswerMs?: number;
  };

const PREFIX = '/v1';

/** Selcom's API gateway: checkout, pushes, payouts to wallets and banks, names, float. */
export function addSelcom(rail: RailContext, options: SelcomOptions): void {
  const gate = createSelcomGate(options, Date.now);
  const take = createSelcomTaker(rail, options);
  const checkout = createSelcomCheckout(rail, options, take);
  const questions = createSelcomQuestions(rail, options);
  rail.orders.attach(SELCOM_RAIL, createSelcomNotifier(options));

  async function payOut(context: Context, product: 'wallet' | 'bank'): Promise<void> {
    const wanted = requestOf(product, fieldsOf(context));
    const { floatPin } = options;
    if ('fields' in wanted && floatPin !== undefined && String(wanted.fields.pin) !== floatPin)
      return reply(context, refusal('738', 'Invalid vendor or PIN'));
    await take(context, wanted, product);
  }

  type Handle = (context: Context) => Promise<void>;
  const posts: Record<string, Handle> = {
    [SELCOM_PATHS.createOrder]: checkout.create,
    [SELCOM_PATHS.walletPayment]: checkout.pay,
    [SELCOM_PATHS.pushUssd]: (context) => take(context, requestOf('push', fieldsOf(context)), 'push'),
    [SELCOM_PATHS.walletPayout]: (context) => payOut(context, 'wallet'),
    [SELCOM_PATHS.bankPayout]: (context) => payOut(context, 'bank'),
    [SELCOM_PATHS.balance]: questions.balance,
  };
  const gets: Record<string, Handle> = {
    [SELCOM_PATHS.orderStatus]: checkout.show,
    [SELCOM_PATHS.pushStatus]: (context) => questions.status(context, 'push'),
    [SELCOM_PATHS.walletPayoutStatus]: (context) => questions.status(context, 'wallet'),
    [SELCOM_PATHS.bankPayoutStatus]: (context) => questions.status(context, 'bank'),
    [SELCOM_PATHS.walletName]: (context) => questions.name(context, fieldsOf(context).utilityref),
    [SELCOM_PATHS.bankName]: (context) => questions.name(context, fieldsOf(context).account),
  };
  for (const [path, handle] of Object.entries(posts)) rail.router.post(`${PREFIX}${path}`, gate, handle);
  for (const [path, handle] of Object.entries(gets)) rail.router.get(`${PREFIX}${path}`, gate, handle);
}
