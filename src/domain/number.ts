import type { Minor } from './money.ts';

/** So many payers may a number for top-ups name. */
export const PAYERS_MAX = 20;

/** A customer pays the merchant, or the merchant tops up its own balance: this decides the fee. */
export const numberPurposes = ['collect', 'top_up'] as const;
export type NumberPurpose = (typeof numberPurposes)[number];
/** A payment link is a number that is found by its code. */
export type Purpose = NumberPurpose | 'link';
export const numberStatuses = ['open', 'closed'] as const;
export type NumberStatus = (typeof numberStatuses)[number];

/** A standing number as a merchant asks for it. It never changes. Amounts are minor units. */
export type WantedNumber = {
  /** made from account and customer reference */
  id: string;
  customerReference: string;
  purpose: Purpose;
  description: string | null;
  /** bounds each payment */
  minimum: Minor | null;
  maximum: Minor | null;
  currency: string;
  /** JSON text, exactly as the merchant sent it */
  metadata: string;
  /** phones (255XXXXXXXXX) and accounts of the merchant's own money; only a top-up has them, in order */
  payers?: string[];
  link?: Link;
};

/** How a payment link is found, and when it is over. */
export type Link = { code: string; quantity: LinkQuantity; expiresAt: string | null };

export const linkQuantities = ['once', 'many'] as const;
export type LinkQuantity = (typeof linkQuantities)[number];
export const linkStatuses = ['open', 'closed', 'expired', 'paid'] as const;
export type LinkStatus = (typeof linkStatuses)[number];

/** Customers pay this control number again and again. */
export type StandingNumber = WantedNumber & {
  accountId: string;
  /** callbacks of its payments go to this key */
  apiKeyId: string;
  controlNumber: string;
  /** ISO 8601 UTC */
  createdAt: string;
};

/** One account's numbers are made together. Temporal keeps this request, so it holds no secret. */
export type NumbersRequest = {
  accountId: string;
  apiKeyId: string;
  requestId: string;
  /** ISO 8601 UTC, when the API received it */
  receivedAt: string;
  controlNumberPrefix: string;
  numbers: WantedNumber[];
};

/** A flow that runs again returns the same numbers. */
export type MadeNumbers = { made: StandingNumber[] };

/** Each of them is made by one Postgres transaction, and by one flow. */
export const NUMBERS_OF_A_FLOW = 100;
/** One request may ask for this many. */
export const NUMBERS_OF_A_BATCH = 1_000;
