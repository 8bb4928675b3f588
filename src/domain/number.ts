import type { Minor } from './money.ts';

export const PAYERS_MAX = 20;

/** The purpose decides the fee: a customer's payment, or the merchant's own top-up. */
export const numberPurposes = ['collect', 'top_up'] as const;
export type NumberPurpose = (typeof numberPurposes)[number];
/** A payment link is a number found by its code. */
export type Purpose = NumberPurpose | 'link';
export const numberStatuses = ['open', 'closed'] as const;
export type NumberStatus = (typeof numberStatuses)[number];

/** A merchant's request, which never changes. Amounts are minor units. */
export type WantedNumber = {
  id: string;
  customerReference: string;
  purpose: Purpose;
  description: string | null;
  /** limits of each payment */
  minimum: Minor | null;
  maximum: Minor | null;
  currency: string;
  /** JSON text, exactly as sent */
  metadata: string;
  /** phones (255XXXXXXXXX) and accounts of the merchant's own money, sorted; only for a top-up */
  payers?: string[];
  link?: Link;
};

export type Link = { code: string; quantity: LinkQuantity; expiresAt: string | null };

export const linkQuantities = ['once', 'many'] as const;
export type LinkQuantity = (typeof linkQuantities)[number];
export const linkStatuses = ['open', 'closed', 'expired', 'paid'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

export type StandingNumber = WantedNumber & {
  accountId: string;
  /** key that gets its payments' callbacks */
  apiKeyId: string;
  controlNumber: string;
  /** ISO 8601 UTC */
  createdAt: string;
};

/** One account's numbers are made together. Temporal keeps this, so it holds no secret. */
export type NumbersRequest = {
  accountId: string;
  apiKeyId: string;
  requestId: string;
  receivedAt: string;
  controlNumberPrefix: string;
  numbers: WantedNumber[];
};

/** A flow that runs again returns the same numbers. */
export type MadeNumbers = { made: StandingNumber[] };

export const NUMBERS_OF_A_FLOW = 100;
/** numbers per request */
export const NUMBERS_OF_A_BATCH = 1_000;
