import { countUse } from '../../accounts/uses.ts';
import { billAnswer } from '../../contract/answer-schemas.ts';
import { DAY_MS } from '../../domain/day.ts';
import { say } from '../../domain/messages.ts';
import { CURRENCY, toUnits } from '../../domain/money.ts';
import { billLimits } from '../../domain/network.ts';
import type { BillRequest } from '../../domain/operation.ts';
import { billTiming } from '../../domain/timing.ts';
import { acceptFields, type Problem, readFields } from '../../platform/http/fields.ts';
import { requireControlNumbers } from '../../transactions/acceptance/control-numbers.ts';
import { type ApiRequest, callerOf } from '../kit/call.ts';
import { type BillSettings, call, type Deps } from '../kit/gateway-call.ts';
import { moment, toTimestamp } from '../kit/moments.ts';
import {
  billAmountField,
  currencyField,
  descriptionField,
  metadataField,
  paymentModeField,
  paymentNumberField,
} from '../kit/request-fields.ts';
import { amountProblems } from '../kit/request-rules.ts';

const EXPIRY_DAYS_MAX = 366;

const fields = {
  amount: billAmountField.meta({
    minimum: toUnits(billLimits.minimum),
    maximum: toUnits(billLimits.maximum),
  }),
  currency: currencyField.optional().meta({ description: `Default: ${CURRENCY}` }),
  payment_number: paymentNumberField,
  payment_mode: paymentModeField,
  description: descriptionField,
  expires_at: moment.meta({
    description:
      `It can be paid until then: in the future, at most ${EXPIRY_DAYS_MAX} days ahead. ` +
      'A date alone means its first moment, midnight in Dar es Salaam',
    example: '2026-12-31T21:00:00Z',
  }),
  metadata: metadataField,
};

/** The payment number makes a bill idempotent; an optional idempotency key does so too. */
export const createBill = call(
  {
    method: 'POST',
    paths: ['payments/billpay'],
    summary: 'Make a bill that a customer pays by its control number',
    purpose:
      'Collect money that the customer pays later: the answer has a control number that works ' +
      'in every wallet and many banking apps. Choose `exact` for one payment of that amount, ' +
      '`flexible` for parts; each payment sends a callback.',
    scopes: ['payments:write'],
    body: fields,
    idempotencyKey: 'optional',
    answer: billAnswer,
    links: { to: ['getPayment', 'cancelPayment', 'getTransaction', 'getEntries'], at: '/transaction_id' },
    refusals: ['unsupported_currency', 'amount_out_of_range', 'payment_number_taken'],
  },
  (request, deps) =>
    deps.start(request, 'billpay', async (transactionId) => {
      const bill = readBill(request, deps.bills);
      await admitBill(deps, request);
      return { request: { ...bill, payUrl: deps.bills.payUrlOf(transactionId) }, timing: billTiming };
    }),
);

/** Checks and counts a new bill. A repeated request gets its stored answer before this. */
export async function admitBill(
  { database, bills }: Pick<Deps, 'database' | 'bills'>,
  request: ApiRequest,
): Promise<void> {
  const { accountId } = callerOf(request);
  await requireControlNumbers(database, bills.controlNumberPrefix);
  await countUse(database, {
    accountId,
    use: 'bills',
    budget: { most: bills.perDay, every: 'day' },
    now: new Date(request.receivedAt),
  });
}

function readBill(request: Pick<ApiRequest, 'known' | 'receivedAt'>, settings: BillSettings): BillRequest {
  const read = readFields(fields, request.known);
  const receivedMs = Date.parse(request.receivedAt);
  read.problems.push(
    ...amountProblems(read.values.amount, billLimits, say('a_bill')),
    ...expiryProblems(read.values.expires_at, receivedMs),
  );
  const { amount, currency = CURRENCY, payment_number, payment_mode, ...rest } = acceptFields(read);
  return {
    mode: 'billpay',
    channel: 'billpay',
    amount,
    currency,
    paymentNumber: payment_number,
    billMode: payment_mode,
    description: rest.description,
    controlNumberPrefix: settings.controlNumberPrefix,
    expiresAt: rest.expires_at ?? toTimestamp(receivedMs + settings.billExpiryDays * DAY_MS),
  };
}

export function expiryProblems(wanted: string | undefined, receivedMs: number): Problem[] {
  if (wanted === undefined) return [];
  const field = 'expires_at';
  const wantedMs = Date.parse(wanted);
  if (wantedMs <= receivedMs) return [{ field, message: say('must_be_in_future') }];
  if (wantedMs > receivedMs + EXPIRY_DAYS_MAX * DAY_MS)
    return [{ field, message: say('must_be_at_most_days_ahead', { days: EXPIRY_DAYS_MAX }) }];
  return [];
}
