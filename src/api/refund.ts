import { refundAnswer } from '../contract/answer-schemas.ts';
import type { Database } from '../db/pool.ts';
import { CURRENCY, formatMoney, MINOR_PER_UNIT } from '../domain/money.ts';
import type { RefundRequest } from '../domain/operation.ts';
import { choosePart, REFUND_MIN } from '../domain/refund.ts';
import { type ChannelTiming, flowTiming, type GatewayTiming } from '../domain/timing.ts';
import type { CollectionTransaction } from '../domain/transaction.ts';
import { noteFacts } from '../process/log.ts';
import { paidPartsOf } from '../transactions/odd-money/refunds.ts';
import type { ApiRequest, Endpoint, Handler } from './http/endpoint.ts';
import { acceptFields, type Problem, readFields } from './http/fields.ts';
import { refundAnswers, refundBodies } from './reference/examples/refund.ts';
import {
  AMOUNT,
  billAmountField,
  descriptionField,
  metadataField,
  receiptField,
} from './requests/request-fields.ts';
import type { RouteOf } from './requests/request-rules.ts';
import type { Start } from './start.ts';
import { findOwn } from './transaction.ts';

const fields = {
  amount: billAmountField
    .meta({
      minimum: REFUND_MIN / MINOR_PER_UNIT,
      description: 'Shillings, with decimals only of a bill that has them; left out: all that is left',
      example: 2000,
    })
    .optional(),
  receipt: receiptField.optional(),
  reason: descriptionField.meta({ description: 'Why, in your own words' }).optional(),
  metadata: metadataField,
};

export const refundPayment = {
  method: 'POST',
  paths: ['payments/{id}/refunds'],
  summary: 'Give a payment, or a part of it, back to whoever paid',
  scopes: ['payouts:write'],
  body: fields,
  idempotencyKey: 'required',
  answer: refundAnswer,
  examples: { body: refundBodies, answer: refundAnswers },
  links: {
    to: ['getPayout', 'checkPayout', 'cancelPayout', 'getTransaction', 'getEntries'],
    at: '/transaction_id',
  },
  refusals: [
    'not_refundable',
    'refund_exceeds_payment',
    'insufficient_balance',
    'submission_expired',
    'amount_out_of_range',
  ],
} as const satisfies Endpoint;

export type RefundDeps = {
  database: Database;
  start: Start;
  timing: GatewayTiming;
  /** what carries payouts */
  routeOf: RouteOf;
};

/** Of a refund that nothing can carry: the accepting transaction refuses it, so its flow never gets to use these. */
const NEVER_SENT: ChannelTiming = {
  promptTtlMs: 0,
  promptEnquiriesMs: [],
  firstEnquiryAfterMs: 0,
  settleTimeMs: 0,
  sendTimeoutMs: 0,
  enquires: false,
  deduplicates: false,
};

/** What is known of the payment here only says where a refund would go; whether there is one is decided under its lock. */
export function createRefund(deps: RefundDeps): Handler {
  const { database, start, timing, routeOf } = deps;
  return (request) =>
    start(request, 'refund', async (transactionId) => {
      const payment = await findOwn(database, request, 'payment');
      noteFacts(request.log, { transaction_id: transactionId, refund_of: payment.id });
      const asked = readRefund(request, payment);
      const chosen = choosePart(await paidPartsOf(database, payment), asked.receipt);
      const channel = 'part' in chosen ? chosen.part.channel : payment.channel;
      const route = routeOf(channel);
      return {
        request: { ...asked, channel, connection: route?.connection ?? null },
        timing: flowTiming('refund', route ?? NEVER_SENT, timing),
      };
    });
}

/** Throws with every wrong field. */
function readRefund(
  { known }: Pick<ApiRequest, 'known'>,
  payment: CollectionTransaction,
): Omit<RefundRequest, 'channel' | 'connection'> {
  const read = readFields(fields, known);
  read.problems.push(...amountProblems(read.values.amount, payment));
  const { amount = null, receipt = null, reason = null } = acceptFields(read);
  return { mode: 'refund', refundOf: payment.id, currency: payment.currency, amount, receipt, reason };
}

/** A network's payments are whole shillings; only what a bill received may have cents. */
function amountProblems(amount: number | undefined, { mode }: CollectionTransaction): Problem[] {
  if (amount === undefined) return [];
  if (mode !== 'billpay' && amount % MINOR_PER_UNIT !== 0) return [{ field: 'amount', message: AMOUNT }];
  if (amount >= REFUND_MIN) return [];
  const least = formatMoney(REFUND_MIN);
  const sentence = `A refund is at least ${least} ${CURRENCY}`;
  return [{ field: 'amount', message: `must be at least ${least}`, code: 'amount_out_of_range', sentence }];
}
