import { z } from 'zod';

/**
 * We serve these bills of the GSMA Mobile Money API 1.2; the provider is the client. Unknown fields are
 * ignored. The simulator imports this file.
 */
export const GSMA_BILLS_PATH = '/channels/gsma';

const text = z.string().max(256);
const amount = z.string().regex(/^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[0-9])?$/);
const pairs = z.array(z.object({ key: text, value: text })).max(20);

/** `POST …/payments` has this body. `paidAmount` is the deprecated name of `amountPaid`. */
export const billPaymentRequestSchema = z.object({
  currency: z.string().regex(/^[A-Z]{3}$/),
  // Any text is readable, because an unreadable amount gets its own refusal.
  amountPaid: text.optional(),
  paidAmount: text.optional(),
  paymentType: z.enum(['fullpayment', 'partialpayment']).optional(),
  /** receipt */
  requestingOrganisationTransactionReference: text.optional(),
  customerReference: text.optional(),
  /** payer, if the provider sends it: `msisdn`, `fullName` */
  metadata: pairs.optional(),
});
export type WireBillPaymentRequest = z.infer<typeof billPaymentRequestSchema>;

export const PAYER_NUMBER_KEY = 'msisdn';
export const PAYER_NAME_KEY = 'fullName';

/** `billPaymentStatus` is a free string; ours is always `completed`. */
export const billPaymentSchema = z.object({
  currency: z.string(),
  amountPaid: amount,
  billPaymentStatus: z.string(),
  serviceProviderPaymentReference: text.optional(),
  requestingOrganisationTransactionReference: text.optional(),
  customerReference: text.optional(),
  paymentType: z.enum(['fullpayment', 'partialpayment']).optional(),
  creationDate: z.string().optional(),
});
export type WireBillPayment = z.infer<typeof billPaymentSchema>;

/** `billdescription` has a small d in the standard. */
const billSchema = z.object({
  billReference: text.optional(),
  billStatus: z.enum(['unpaid', 'paid', 'partialpaid']).optional(),
  amountDue: amount.optional(),
  minimumAmountDue: amount.optional(),
  currency: z.string().optional(),
  billdescription: text.optional(),
  dueDate: z.string().optional(),
  creationDate: z.string().optional(),
  modificationDate: z.string().optional(),
});
export type WireBill = z.infer<typeof billSchema>;
export const billsSchema = z.array(billSchema).max(1);
