import type {
  CallOptions,
  Enquiry,
  EnquiryResult,
  PushOrder,
  SendResult,
  Unknown,
} from '../../domain/channel.ts';
import { type Minor, minorSaid, toUnits } from '../../domain/money.ts';
import { aboutAnother } from '../kit/about.ts';
import { asSeen, seen, turnedAway, unknown } from '../kit/unclear.ts';
import type { SelcomAnswer, SelcomClient } from './client.ts';
import type { SelcomSettings } from './settings.ts';
import {
  amountInMessage,
  describe,
  orderOf,
  referenceOf,
  refusalOf,
  refusesThatItself,
  unclearEnquiry,
  unclearSend,
  verdictOf,
} from './translate.ts';
import {
  firstOf,
  orderSchema,
  SELCOM_PATHS,
  SELCOM_WEBHOOK_PATH,
  type WireEnvelope,
  type WireOrder,
} from './wire.ts';

/** Selcom collects in two ways. Neither returns the customer's name. */
type CollectionDeps = {
  client: SelcomClient;
  settings: SelcomSettings;
  publicUrl: string;
};

const REMARKS_MAX = 100;

/**
 * A push is two calls: an order, then its payment from a wallet. The first asks no customer and moves no
 * money: if it fails, the push is `not_sent`, and the next try repeats it with the same `order_id`. The
 * second is made once; after it only an enquiry gives the outcome.
 */
export function createCheckout({ client, settings, publicUrl }: CollectionDeps) {
  const webhook = Buffer.from(`${publicUrl}${SELCOM_WEBHOOK_PATH}`).toString('base64');

  async function push(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const budget = withinOne(call);
    const stopped = await makeOrder(order, budget);
    if (stopped) return stopped;
    const fields = {
      transid: order.reference,
      order_id: order.reference,
      msisdn: order.party.msisdn,
    };
    const answer = await client.post(SELCOM_PATHS.walletPayment, fields, budget());
    const result = pushResultOf(answer, order.reference, settings);
    return asSeen(result);
  }

  /** Returns null if the order waits for its payment. */
  async function makeOrder(order: PushOrder, budget: () => CallOptions): Promise<SendResult | null> {
    const fields = {
      vendor: settings.vendor,
      order_id: order.reference,
      buyer_email: settings.buyerEmail,
      buyer_name: settings.buyerName,
      buyer_phone: order.party.msisdn,
      amount: toUnits(order.amount),
      currency: order.currency,
      webhook,
      buyer_remarks: order.description.slice(0, REMARKS_MAX),
      merchant_remarks: order.reference,
      no_of_items: 1,
      expiry: settings.orderExpiryMinutes,
    };
    const answer = await client.post(SELCOM_PATHS.createOrder, fields, budget());
    if (answer.kind === 'not_sent') return answer;
    const unasked = (): SendResult => ({
      kind: 'not_sent',
      detail: `the order is unclear (${describe(answer)}), and nobody was asked`,
    });
    if (answer.kind === 'unclear') return unasked();
    const verdict = verdictOf(answer, 'collection', settings);
    if (verdict.kind === 'done') return null;
    if (verdict.kind !== 'refused' && verdict.kind !== 'duplicate') return unasked();
    // The code for a repeated order_id is not documented. The order itself shows if an earlier try made it.
    const first = await findOrder(order.reference, budget());
    if (first.kind === 'found') return verdictOfFirst(first.order, order);
    // The gateway answers 999 both for a missing order and for anything unclear.
    const lost = first.kind === 'unclear' && first.answer.kind !== 'envelope';
    if (lost || verdict.kind === 'duplicate') return unasked();
    const refusal = refusalOf(answer, { direction: 'collection', code: verdict.code });
    return refusal.kind === 'failed' ? { ...refusal, channelReference: null } : unasked();
  }

  async function findOrder(reference: string, call: CallOptions) {
    const answer = await client.get(SELCOM_PATHS.orderStatus, { order_id: reference }, call);
    if (answer.kind !== 'envelope') return { kind: 'unclear', verdict: undefined, answer } as const;
    const verdict = verdictOf(answer, 'collection', settings);
    const order = firstOf(orderSchema, answer.envelope.data);
    if (verdict.kind === 'done' && order) return { kind: 'found', order } as const;
    if (verdict.kind === 'not_found' || verdict.kind === 'refused')
      return { kind: 'none', verdict, answer } as const;
    return { kind: 'unclear', verdict, answer } as const;
  }

  async function enquire(enquiry: Enquiry, call: CallOptions): Promise<EnquiryResult> {
    const found = await findOrder(enquiry.reference, call);
    const { reference } = enquiry;
    if (found.kind === 'found') return orderOf(found.order, { reference, currency: settings.currency });
    // A refusal of the question proves nothing about the order, unless the settings list its code.
    if (found.kind === 'none' && found.verdict.kind === 'not_found')
      return aboutAnotherOrder(reference, found.answer.envelope) ?? { kind: 'not_found' };
    return unclearEnquiry(found.answer, found.verdict);
  }

  return { push, enquire };
}

/** A missing order has no id at Selcom, so an id in the answer repeats our question. */
function aboutAnotherOrder(reference: string, { transid, data }: WireEnvelope): Unknown | null {
  return aboutAnother(reference, transid) ?? aboutAnother(reference, firstOf(orderSchema, data)?.order_id);
}

/** An earlier try's order may be paid for only if no customer was asked yet. */
function verdictOfFirst(first: WireOrder, order: PushOrder): SendResult | null {
  const same = aboutAnother(order.reference, first.order_id) === null && amountOf(first) === order.amount;
  if (!same) return seen('another order has this id');
  return first.payment_status.trim().toUpperCase() === 'PENDING' ? null : seen('the order is under way');
}

function amountOf(order: WireOrder): Minor | null {
  return minorSaid(order.amount ?? '');
}

/** One call makes the prompt appear. The payment is notified as a bill payment for `utilityref`. */
export function createPushUssd({ client, settings }: CollectionDeps) {
  async function push(order: PushOrder, call: CallOptions): Promise<SendResult> {
    const fields = {
      transid: order.reference,
      utilityref: order.reference,
      amount: toUnits(order.amount),
      vendor: settings.vendor,
      msisdn: order.party.msisdn,
    };
    return pushResultOf(await client.post(SELCOM_PATHS.pushUssd, fields, call), order.reference, settings);
  }

  async function enquire(enquiry: Enquiry, call: CallOptions): Promise<EnquiryResult> {
    const answer = await client.get(SELCOM_PATHS.pushStatus, questionOf(enquiry, settings), call);
    if (answer.kind !== 'envelope') return unclearEnquiry(answer);
    const { envelope } = answer;
    const another = aboutAnother(enquiry.reference, envelope.transid);
    if (another) return another;
    // Only this answer may name the receipt: the id in the acceptance is none.
    const channelReference = referenceOf(envelope);
    const verdict = verdictOf(answer, 'collection', settings);
    if (verdict.kind === 'not_found') return { kind: 'not_found' };
    if (verdict.kind === 'pending') return { kind: 'accepted', channelReference };
    if (verdict.kind === 'refused' && refusesThatItself(answer, enquiry.reference))
      return { kind: 'failed', code: verdict.code, channelReference };
    if (verdict.kind !== 'done') return unclearEnquiry(answer, verdict);
    // 000 may mean only that the question was answered, so the sentence must have the amount.
    const amount = amountInMessage(envelope.message, settings.currency);
    if (amount === null) return seen('a success that does not say how much');
    return { kind: 'succeeded', amount, currency: settings.currency, channelReference, fullName: null };
  }

  return { push, enquire };
}

/** Selcom's page requires exactly one of the two. */
function questionOf(enquiry: Enquiry, settings: SelcomSettings): Record<string, string> {
  const { reference, channelReference } = enquiry;
  if (settings.pushStatusBy === 'reference' && channelReference !== null)
    return { reference: channelReference };
  return { transid: reference };
}

/** Success means only that the prompt was sent. */
function pushResultOf(answer: SelcomAnswer, reference: string, settings: SelcomSettings): SendResult {
  if (answer.kind !== 'envelope') return unclearSend(answer);
  const another = aboutAnother(reference, answer.envelope.transid);
  if (another) return another;
  const verdict = verdictOf(answer, 'collection', settings);
  const channelReference = referenceOf(answer.envelope);
  switch (verdict.kind) {
    case 'done':
    case 'pending':
      return { kind: 'accepted', channelReference };
    case 'refused':
      return refusalOf(answer, { direction: 'collection', code: verdict.code });
    case 'setup':
      return turnedAway(`refused: ${describe(answer)}`);
    case 'duplicate':
      return seen(describe(answer));
    default:
      return unknown(describe(answer));
  }
}

/** Two calls share the time of one; each gets a millisecond or more. */
function withinOne(call: CallOptions): () => CallOptions {
  const end = performance.now() + call.timeoutMs;
  return () => ({ ...call, timeoutMs: Math.max(1, Math.ceil(end - performance.now())) });
}
