import type { BillPayment, BillView, ReportedPayment } from '../../domain/bill.ts';
import { type BillReply, billReplyMessage } from '../../domain/bill-reply.ts';
import { type Minor, readAmount, toDecimal } from '../../domain/money.ts';
import { payerOf } from '../kit/bill-attempt.ts';
import {
  billPaymentRequestSchema,
  PAYER_NAME_KEY,
  PAYER_NUMBER_KEY,
  type WireBill,
  type WireBillPayment,
  type WireBillPaymentRequest,
} from './bill-wire.ts';
import type { WireError } from './wire.ts';

export type GsmaBillPayment = Pick<
  ReportedPayment,
  'amount' | 'amountAsSent' | 'currency' | 'msisdn' | 'payerAccount' | 'fullName'
> & {
  /** null if the body has none */
  receipt: string | null;
  sent: WireBillPaymentRequest;
};

/** Reads `POST …/payments`, or returns what is wrong. A null member counts as missing. */
export function readBillPayment(body: object): GsmaBillPayment | { wrong: GsmaFault; message: string } {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const parsed = billPaymentRequestSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') || 'body';
    if (issue?.path.length === 1 && !Object.hasOwn(given, field))
      return { wrong: 'mandatoryValueNotSupplied', message: `${field} is required` };
    return { wrong: 'formatError', message: `${field}: ${issue?.message}` };
  }
  const sent = parsed.data;
  const metadataOf = (key: string) => sent.metadata?.find((pair) => pair.key === key)?.value.trim() || null;
  return {
    receipt: sent.requestingOrganisationTransactionReference?.trim() || null,
    ...readAmount(sent.amountPaid ?? sent.paidAmount),
    currency: sent.currency,
    ...payerOf(metadataOf(PAYER_NUMBER_KEY)),
    fullName: metadataOf(PAYER_NAME_KEY),
    sent,
  };
}

/**
 * Answers 201 if we took the payment, or if we cannot read its amount and a refusal would return no money.
 */
export function acceptedPayment(
  payment: Omit<GsmaBillPayment, 'receipt'> & { receipt: string },
  reference: string | null,
): WireBillPayment {
  const { customerReference, paymentType, amountPaid, paidAmount } = payment.sent;
  return {
    currency: payment.currency,
    amountPaid: payment.amount === null ? (amountPaid ?? paidAmount ?? '') : toDecimal(payment.amount),
    billPaymentStatus: 'completed',
    ...(reference === null ? {} : { serviceProviderPaymentReference: reference }),
    requestingOrganisationTransactionReference: payment.receipt,
    ...(customerReference === undefined ? {} : { customerReference }),
    ...(paymentType === undefined ? {} : { paymentType }),
  };
}

export function listedPayment(
  payment: Pick<BillPayment, 'receipt' | 'amount' | 'receivedAt'> & { currency: string; reference: string },
): WireBillPayment {
  return {
    currency: payment.currency,
    amountPaid: toDecimal(payment.amount),
    billPaymentStatus: 'completed',
    serviceProviderPaymentReference: payment.reference,
    requestingOrganisationTransactionReference: payment.receipt,
    creationDate: payment.receivedAt,
  };
}

/** A flexible bill takes at least one cent. */
export function billOf(bill: BillView): WireBill {
  const isPaid = bill.outstanding === 0;
  const due = toDecimal(bill.outstanding ?? (0 as Minor));
  const least = bill.mode === 'exact' || isPaid ? due : '0.01';
  const description = [bill.merchantName, bill.description].filter(Boolean).join(': ');
  return {
    billReference: bill.controlNumber,
    billStatus: isPaid ? 'paid' : bill.paid > 0 ? 'partialpaid' : 'unpaid',
    amountDue: due,
    minimumAmountDue: least,
    currency: bill.currency,
    billdescription: [...description].slice(0, 256).join(''),
    ...(bill.expiresAt === null ? {} : { dueDate: bill.expiresAt.slice(0, 10) }),
    creationDate: bill.createdAt,
    modificationDate: bill.updatedAt,
  };
}

const categoryOf = {
  clientAuthorisationError: { status: 401, category: 'authorisation' },
  identifierError: { status: 404, category: 'identification' },
  formatError: { status: 400, category: 'validation' },
  lengthError: { status: 400, category: 'validation' },
  mandatoryValueNotSupplied: { status: 400, category: 'validation' },
  currencyNotSupported: { status: 400, category: 'validation' },
  incorrectState: { status: 400, category: 'businessRule' },
  underPaymentNotAllowed: { status: 400, category: 'businessRule' },
  overPaymentNotAllowed: { status: 400, category: 'businessRule' },
  genericError: { status: 503, category: 'serviceUnavailable' },
} as const satisfies Record<string, { status: number; category: string }>;

export type GsmaFault = keyof typeof categoryOf;

export type GsmaErrorAnswer = { status: number; error: WireError };

type Refusal = Exclude<BillReply, 'ok' | 'duplicate'>;
const replies: Record<Refusal, GsmaFault> = {
  unknown_reference: 'identifierError',
  bill_closed: 'incorrectState',
  in_progress: 'incorrectState',
  amount_invalid: 'formatError',
  amount_too_high: 'overPaymentNotAllowed',
  amount_too_low: 'underPaymentNotAllowed',
  try_again: 'genericError',
};

export function billRefusal(reply: Refusal, at: Date): GsmaErrorAnswer {
  return gsmaFault(replies[reply], { message: billReplyMessage[reply], at });
}

export function gsmaFault(code: GsmaFault, { message, at }: { message: string; at: Date }): GsmaErrorAnswer {
  const { status, category } = categoryOf[code];
  return {
    status,
    error: {
      errorCategory: category,
      errorCode: code,
      errordescription: message.slice(0, 256),
      errorDateTime: at.toISOString(),
    },
  };
}
