import type { Context } from 'koa';
import type { RailContext } from '../core/rail.ts';
import { createSelcomCheckout } from './checkout.ts';
import { createSelcomGate, fieldsOf, type SelcomGateOptions } from './gate.ts';
import { refusal, reply } from './messages.ts';
import { createSelcomNotifier, type SelcomNotifyOptions } from './notify.ts';
import { createSelcomQuestions, type SelcomQuestionOptions } from './questions.ts';
import { requestOf } from './requests.ts';
import { createSelcomTaker, SELCOM_RAIL } from './take.ts';
import { PATHS } from './wire.ts';

export type SelcomOptions = SelcomGateOptions &
  SelcomNotifyOptions &
  SelcomQuestionOptions & {
    /** the collecting till, and the paying float account with its PIN; default: any */
    vendor?: string | undefined;
    floatVendor?: string | undefined;
    floatPin?: string | undefined;
    /** how long a payout's answer waits for its end; then it is 111 */
    payoutAnswerMs?: number;
  };

const PREFIX = '/v1';

export function addSelcom(rail: RailContext, options: SelcomOptions): void {
  const gate = createSelcomGate(options, Date.now);
  const take = createSelcomTaker(rail, options);
  const checkout = createSelcomCheckout(rail, options, take);
  const questions = createSelcomQuestions(rail, options);
  rail.orders.attach(SELCOM_RAIL, createSelcomNotifier(options));

  /** True if account and PIN match, or none are set; otherwise answers a refusal. */
  function isOurs(context: Context, vendor: string | undefined, pin?: string): boolean {
    const given = fieldsOf(context);
    const isKnown =
      (vendor === undefined || given.vendor === vendor) && (pin === undefined || String(given.pin) === pin);
    if (!isKnown) reply(context, refusal('738', 'Invalid vendor or PIN'));
    return isKnown;
  }

  async function payOut(context: Context, product: 'wallet' | 'bank'): Promise<void> {
    const wanted = requestOf(product, fieldsOf(context));
    if ('fields' in wanted && !isOurs(context, options.floatVendor, options.floatPin)) return;
    await take(context, wanted, product);
  }

  async function push(context: Context): Promise<void> {
    if (isOurs(context, options.vendor)) await take(context, requestOf('push', fieldsOf(context)), 'push');
  }

  async function create(context: Context): Promise<void> {
    if (isOurs(context, options.vendor)) await checkout.create(context);
  }

  type Handle = (context: Context) => Promise<void>;
  const posts: Record<string, Handle> = {
    [PATHS.createOrder]: create,
    [PATHS.walletPayment]: checkout.pay,
    [PATHS.pushUssd]: push,
    [PATHS.walletPayout]: (context) => payOut(context, 'wallet'),
    [PATHS.bankPayout]: (context) => payOut(context, 'bank'),
    [PATHS.balance]: questions.balance,
  };
  const gets: Record<string, Handle> = {
    [PATHS.orderStatus]: checkout.show,
    [PATHS.pushStatus]: (context) => questions.status(context, 'push'),
    [PATHS.walletPayoutStatus]: (context) => questions.status(context, 'wallet'),
    [PATHS.bankPayoutStatus]: (context) => questions.status(context, 'bank'),
    [PATHS.walletName]: (context) => questions.name(context, fieldsOf(context).utilityref),
    [PATHS.bankName]: (context) => questions.name(context, fieldsOf(context).account),
  };
  for (const [path, handle] of Object.entries(posts)) rail.router.post(`${PREFIX}${path}`, gate, handle);
  for (const [path, handle] of Object.entries(gets)) rail.router.get(`${PREFIX}${path}`, gate, handle);
}
