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

/** What was paid by such a number goes back to it. */
export const refundTo = (prefix: string, channel: string) =>
  ({
    path: 'payments/{id}/refunds',
    paidBy: { msisdn: `255${prefix.slice(1)}123`, channel },
    lookup: 'payouts',
    success: 'paid',
    body: () => ({}),
  }) as const;
