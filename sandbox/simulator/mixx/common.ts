import type { Order } from '../core/order.ts';
import type { Refusal } from '../core/scenario.ts';

export type MixxOptions = {
  /** required for tokens and pushes if set; otherwise every caller is accepted */
  username?: string | undefined;
  password?: string | undefined;
  billerCode?: string;
  billerMsisdn?: string;
  /** the PIN of the paying and asking account; default: any */
  pin?: string | undefined;
  /** where customers' answers are posted; without it none is sent */
  callbackUrl?: string | undefined;
};

export const MIXX_RAIL = 'mixx';
/** Paths are below the simulator's address. Names begin with the partner's, here SIM. */
export const MIXX_PATHS = {
  token: '/mixx/SIM2DM-GetToken',
  push: '/mixx/SIM2DM-PushBillpay',
  payout: '/mixx/SIM2Tigo',
  status: '/mixx/SIM2TigoTQS',
} as const;
export const MIXX_BILLER_CODE = 'SIMB';
export const MIXX_BILLER_MSISDN = '255650000001';

const sentences: Record<Refusal, Record<'in' | 'out', string>> = {
  limit_reached: { in: 'Customer limit reached', out: 'Recipient limit reached' },
  not_registered: { in: 'Customer is not registered', out: 'Recipient is not registered' },
  declined: { in: 'Customer declined the request', out: 'Recipient account is barred' },
  insufficient_funds: { in: 'Customer has insufficient funds', out: 'Insufficient funds in sender account' },
  expired: { in: 'Request timed out', out: 'Request timed out' },
  network_error: { in: 'The request could not be processed', out: 'The request could not be processed' },
};

/** Why it failed, in our words: the network's own sentences are not known. */
export function sentenceOf(order: Order): string {
  return sentences[order.refusal ?? 'network_error'][order.direction];
}
