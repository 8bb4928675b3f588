import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../base/canonical-json.ts';
import { said } from '../kit/said.ts';

export const PATHS = {
  token: '/generate-token',
  push: '/payments/initiate-ussd-push-request',
  payments: '/payments',
  walletPreview: '/payouts/preview-mobile-money-payout',
  walletPayout: '/payouts/create-mobile-money-payout',
  bankPreview: '/payouts/preview-bank-payout',
  bankPayout: '/payouts/create-bank-payout',
  payouts: '/payouts',
  balance: '/account/balance',
} as const;

const text = said();
const amount = said(32);

/** The token contains `Bearer ` and is the whole Authorization header. */
export const tokenSchema = z.object({ token: z.string().regex(/^Bearer [\x21-\x7e]{8,4000}$/) });

/** A payment or payout is the answer to a send, a row of an enquiry, or `data` of a notification. */
export const rowSchema = z.object({
  id: text.optional(),
  orderReference: said(256, 1),
  status: said(64).transform((word) => word.toUpperCase()),
  /** only for payments */
  paymentReference: text.optional(),
  collectedAmount: amount.optional(),
  collectedCurrency: text.optional(),
  customer: z.object({ customerName: text.optional() }).optional(),
  /** a payout's own `amount` includes the fee, so it is not read */
  currency: text.optional(),
  order: z.object({ amount: amount.optional(), currency: text.optional() }).optional(),
  beneficiary: z.object({ amount: amount.optional(), accountName: text.optional() }).optional(),
});
export type WireRow = z.infer<typeof rowSchema>;
export const rowsSchema = z.array(rowSchema).max(100);

/** A failed payment once had `eventType`. A deposit has no order. */
export const notificationSchema = z.object({
  event: text.optional(),
  eventType: text.optional(),
  data: z.unknown(),
});

export const errorSchema = z.object({
  message: z.union([z.string(), z.array(z.string()).max(20).transform(String)]),
});
export const previewSchema = z.object({ receiver: z.object({ accountName: said(256, 1) }) });
export const balancesSchema = z.array(z.object({ currency: text, balance: amount })).max(20);

/**
 * Returns lower-case hex HMAC-SHA256 of the compact JSON with sorted members, without the checksum itself.
 */
export function checksumOf(payload: object, key: string): string {
  const { checksum, checksumMethod, ...signed } = payload as Record<string, unknown>;
  return createHmac('sha256', key).update(canonicalJson(signed), 'utf8').digest('hex');
}
