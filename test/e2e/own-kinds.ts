import { mobilePayoutBody, pushBody } from '../support/gateway.ts';

/** A push to, or a payout to, a number with this prefix: `0784` is Airtel's. */
export const pushTo = (prefix: string) =>
  ({
    path: 'payments/ussd',
    lookup: 'payments',
    success: 'completed',
    body: (ending = '456') => ({ ...pushBody(), phone_number: `${prefix}123${ending}` }),
  }) as const;

export const payoutTo = (prefix: string) =>
  ({
    path: 'payouts/mobile',
    lookup: 'payouts',
    success: 'paid',
    body: (ending = '456') => ({ ...mobilePayoutBody(), phone_number: `${prefix}123${ending}` }),
  }) as const;
