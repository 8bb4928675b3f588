import { refundAnswer } from '../../contract/answer-schemas.ts';
import { say } from '../../domain/messages.ts';
import { formatMoney, MINOR_PER_UNIT } from '../../domain/money.ts';
import type { RefundRequest } from '../../domain/operation.ts';
import { choosePart, REFUND_MIN } from '../../domain/refund.ts';
import { type ChannelTiming, flowTiming } from '../../domain/timing.ts';
import { type CollectionTransaction, isBilled } from '../../domain/transaction.ts';
import { acceptFields, type Problem, readFields } from '../../platform/http/fields.ts';
import { noteFacts } from '../../platform/process/log.ts';
import { paidPartsOf } from '../../transactions/odd-money/refunds.ts';
import type { ApiRequest } from '../kit/call.ts';
import { call } from '../kit/gateway-call.ts';
import { billAmountField, descriptionField, metadataField, receiptField } from '../kit/request-fields.ts';
import { tooSmall } from '../kit/request-rules.ts';
import { findOwn } from './transaction.ts';

const fields = {
  amount: billAmountField
    .meta({
      minimum: REFUND_MIN / MINOR_PER_UNIT,
      description: 'Shillings, with decimals only if the bill has them; default: all that is left',
      example: 2000,
    })
    .optional(),
  receipt: receiptField.optional(),
  reason: descriptionField.meta({ description: 'Why, in your own words' }).optional(),
  metadata: metadataField,
};

/** Reads the payment only to choose the channel. Acceptance decides under its lock whether to refund. */
export const refundPayment = call(
  {
    method: 'POST',
    paths: ['payments/{id}/refunds'],
    summary: 'Refund a payment, or a part of it, to its payer',
    purpose:
      'Give a completed payment back to its payer, all of it or a part. ' +
      'Your balance pays the value and the fee; all refunds of a payment together never exceed it.',
    scopes: ['payouts:write'],
    body: fields,
    idempotencyKey: 'required',
    answer: refundAnswer,
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
  },
  (request, { database, start, timing, payoutsOver }) =>
    start(request, 'refund', async (transactionId) => {
      const payment = await findOwn(database, request, 'payment');
      noteFacts(request.log, { transaction_id: transactionId, refund_of: payment.id });
      const asked = readRefund(request, payment);
      const chosen = choosePart(await paidPartsOf(database, payment), asked.receipt);
      const channel = 'part' in chosen ? chosen.part.channel : payment.channel;
      const route = payoutsOver(payment.accountId)(channel);
      return {
        request: { ...asked, channel, connection: route?.connection ?? null },
        timing: flowTiming('refund', route ?? NEVER_SENT, timing),
      };
    }),
);

/** Placeholder timing for a refund without a route. The accepting transaction refuses such a refund. */
const NEVER_SENT: ChannelTiming = {
  promptTtlMs: 0,
  promptEnquiriesMs: [],
  firstEnquiryAfterMs: 0,
  settleTimeMs: 0,
  sendTimeoutMs: 0,
  enquires: false,
  deduplicates: false,
};

function readRefund(
  { known }: Pick<ApiRequest, 'known'>,
  payment: CollectionTransaction,
): Omit<RefundRequest, 'channel' | 'connection'> {
  const read = readFields(fields, known);
  read.problems.push(...amountProblems(read.values.amount, payment));
  const { amount = null, receipt = null, reason = null } = acceptFields(read);
  return { mode: 'refund', refundOf: payment.id, currency: payment.currency, amount, receipt, reason };
}

/** Networks carry whole shillings, so only refunds of bills may have cents. */
function amountProblems(amount: number | undefined, payment: CollectionTransaction): Problem[] {
  if (amount === undefined) return [];
  if (!isBilled(payment) && amount % MINOR_PER_UNIT !== 0)
    return [{ field: 'amount', message: say('must_be_whole_shillings') }];
  return amount >= REFUND_MIN ? [] : [tooSmall(formatMoney(REFUND_MIN), say('a_refund'))];
}
