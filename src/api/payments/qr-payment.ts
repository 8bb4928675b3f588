import { qrAnswer } from '../../contract/answer-schemas.ts';
import { say } from '../../domain/messages.ts';
import { qrLimits } from '../../domain/network.ts';
import type { QrRequest } from '../../domain/operation.ts';
import { qrTiming } from '../../domain/timing.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import type { ApiRequest } from '../kit/call.ts';
import { type BillSettings, call } from '../kit/gateway-call.ts';
import { toTimestamp } from '../kit/moments.ts';
import { amountWithin, currencyField, descriptionField, metadataField } from '../kit/request-fields.ts';
import { amountProblems } from '../kit/request-rules.ts';
import { admitBill } from './bill-order.ts';

const fields = {
  amount: amountWithin(qrLimits),
  currency: currencyField,
  description: descriptionField.optional(),
  metadata: metadataField,
};

export const createQr = call(
  {
    method: 'POST',
    paths: ['payments/qr'],
    summary: 'Make a QR code that a customer scans and pays',
    purpose:
      'Show a code at a counter or on a web page that any TANQR app can scan and pay. The answer has ' +
      'the image and the text inside it; the code is for one payment and lives for minutes.',
    scopes: ['payments:write'],
    body: fields,
    idempotencyKey: 'required',
    answer: qrAnswer,
    links: { to: ['getPayment', 'cancelPayment', 'getTransaction', 'getEntries'], at: '/transaction_id' },
    refusals: ['unsupported_currency', 'amount_out_of_range', 'submission_expired'],
  },
  (request, deps) =>
    deps.start(request, 'qr', async (transactionId) => {
      const qr = readQr(request, deps.bills);
      await admitBill(deps, request);
      return { request: { ...qr, payUrl: deps.bills.payUrlOf(transactionId) }, timing: qrTiming };
    }),
);

function readQr(request: Pick<ApiRequest, 'known' | 'receivedAt'>, settings: BillSettings): QrRequest {
  const read = readFields(fields, request.known);
  read.problems.push(...amountProblems(read.values.amount, qrLimits, say('a_qr_payment')));
  const { amount, currency, description = null } = acceptFields(read);
  return {
    mode: 'qr',
    channel: 'dynamic-qr',
    amount,
    currency,
    description,
    controlNumberPrefix: settings.controlNumberPrefix,
    expiresAt: toTimestamp(Date.parse(request.receivedAt) + settings.qrExpirySeconds * 1000),
    payee: settings.payee,
  };
}
