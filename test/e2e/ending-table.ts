import { bankPayoutBody, mobilePayoutBody, pushBody } from '../support/gateway.ts';

export type Kind = 'push' | 'mobile' | 'bank';
export const kinds: Kind[] = ['push', 'mobile', 'bank'];

/** What the merchant sees of an ending: a final state, or one failure code per kind of order. */
type Expectation = 'succeeds' | 'pending' | Record<Kind, string>;

const customerIsGone = { push: 'customer_timeout', mobile: 'network_error', bank: 'network_unavailable' };

export const endings: Record<string, Expectation> = {
  '019': { push: 'payer_limit_reached', mobile: 'recipient_limit_reached', bank: 'recipient_limit_reached' },
  '029': { push: 'payer_not_found', mobile: 'recipient_not_found', bank: 'invalid_account' },
  '039': { push: 'customer_declined', mobile: 'account_blocked', bank: 'account_blocked' },
  '049': { push: 'insufficient_funds', mobile: 'insufficient_float', bank: 'insufficient_float' },
  '059': customerIsGone,
  '069': { push: 'network_error', mobile: 'network_error', bank: 'network_error' },
  '129': 'pending',
  '139': 'succeeds',
  '149': 'succeeds',
  '159': 'succeeds',
  '169': 'succeeds',
  '179': 'succeeds',
  '189': 'succeeds',
  '199': customerIsGone,
  '209': 'pending',
  '219': 'succeeds',
  '229': customerIsGone,
  '239': 'succeeds',
  '456': 'succeeds',
};

export const LATE_SUCCESS = ['199', '229'];
export const WRONG_AMOUNT = '209';
/** endings whose money the networks' book shows, although the transaction is not successful */
export const ODD_MONEY = [...LATE_SUCCESS, WRONG_AMOUNT];

export const order = {
  push: {
    path: 'payments/ussd',
    family: 'payments',
    amount: 5_000,
    party: (e: string) => `255754123${e}`,
    way: 'in',
  },
  mobile: {
    path: 'payouts/mobile',
    family: 'payouts',
    amount: 50_000,
    party: (e: string) => `255754123${e}`,
    way: 'out',
  },
  bank: {
    path: 'payouts/bank',
    family: 'payouts',
    amount: 400_000,
    party: (e: string) => `0150123456${e}`,
    way: 'out',
  },
} as const;

export const bodyOf = { push: pushBody, mobile: mobilePayoutBody, bank: bankPayoutBody };

/** A bank that returns the money has a second event. */
export const eventsExpected = (kind: Kind, ending: string) => (kind === 'bank' && ending === '239' ? 2 : 1);
