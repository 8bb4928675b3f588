import type { FeeService } from './fee-services.ts';

/**
 * This table holds all that differs between modes. Code that branches on a mode reads it, or is a switch
 * without a default, so a new mode compiles only when every place has decided.
 */
export type Mode =
  | 'ussd'
  | 'billpay'
  | 'qr'
  | 'number'
  | 'mobile'
  | 'bank'
  | 'refund'
  | 'settlement'
  | 'payback';

export type Kind = {
  /** group in lists and lookups */
  type: 'payment' | 'bill' | 'payout' | 'payback';
  /**
   * path of the creating request; fingerprints contain it, so it never changes; null: no request creates it
   */
  operation: `${'payments' | 'payouts'}/${string}` | null;
  flow: 'ussdPush' | 'payout' | 'billOrder' | 'qrPayment' | 'numberPayment';
  /** status of success; `failed` and `cancelled` are final for every mode */
  success: 'completed' | 'paid';
  /** latest event in lookups; nothing is sent about `pending` */
  events: {
    pending: 'payment.pending' | 'payout.pending';
    success: 'payment.received' | 'payout.completed';
    failure: 'payment.failed' | 'payout.failed';
  };
  /**
   * `credit`: success credits the value less the fee. `credit_each_payment`: each payment credits when it
   * comes; the end moves nothing. `hold`: acceptance holds value and fee; the end takes or releases them.
   * `payable`: the start takes the value out of suspense; the end pays it or puts it back.
   */
  money: 'credit' | 'credit_each_payment' | 'hold' | 'payable';
  /** direction in which the channel moves the money: to us, or from us */
  direction: 'collection' | 'payout';
  /** a customer pays it by a control number, of a bill or standing number */
  isBilled: boolean;
  /** has a row of `bills`, and is pending until the bill is paid or ends */
  isOrder: boolean;
  hasPrompt: boolean;
  isRefundable: boolean;
  /** limits that apply: those of payouts, only the guard against duplicates, or none */
  limits: 'payout' | 'twins' | 'none';
  /** allowed amounts (data/networks.json); null: at most the money that it gives back */
  range: 'push' | 'payout' | 'bill' | 'qr' | null;
  /** null: free */
  fee: FeeService | null;
  /** priority in a backlog, 1 first: its customer waits at the phone */
  urgency: 1 | 2 | 3;
  statement: { type: 'payment' | 'payout' | 'refund'; noun: string };
  party: 'wallet' | 'bank' | 'payer' | 'own';
  /** for operators in the Temporal UI, without names; `{money}`, `{network}`, `{bic}` are filled in */
  summary: string;
  /** Temporal shows this instead of the party; null: the party's number, masked */
  masked: string | null;
};

const eventsOfPayment = {
  pending: 'payment.pending',
  success: 'payment.received',
  failure: 'payment.failed',
} as const;

/** Customers pay these by our control number, in one payment or many. */
const billed = {
  success: 'completed',
  events: eventsOfPayment,
  money: 'credit_each_payment',
  direction: 'collection',
  isBilled: true,
  hasPrompt: false,
  isRefundable: true,
  limits: 'none',
  party: 'payer',
} as const;

export const paidOut = {
  flow: 'payout',
  success: 'paid',
  events: { pending: 'payout.pending', success: 'payout.completed', failure: 'payout.failed' },
  direction: 'payout',
  isBilled: false,
  isOrder: false,
  hasPrompt: false,
  isRefundable: false,
  urgency: 3,
} as const;

export const kinds = {
  ussd: {
    type: 'payment',
    operation: 'payments/ussd',
    flow: 'ussdPush',
    success: 'completed',
    events: eventsOfPayment,
    money: 'credit',
    direction: 'collection',
    isBilled: false,
    isOrder: false,
    hasPrompt: true,
    isRefundable: true,
    limits: 'twins',
    range: 'push',
    fee: 'ussd',
    urgency: 1,
    statement: { type: 'payment', noun: 'USSD payment' },
    party: 'wallet',
    summary: 'Collect {money} over {network}',
    masked: null,
  },
  billpay: {
    ...billed,
    type: 'bill',
    operation: 'payments/billpay',
    flow: 'billOrder',
    isOrder: true,
    range: 'bill',
    fee: 'billpay',
    urgency: 2,
    statement: { type: 'payment', noun: 'Payment of a bill' },
    summary: 'Collect {money} by control number',
    masked: 'whoever pays it',
  },
  qr: {
    ...billed,
    type: 'payment',
    operation: 'payments/qr',
    flow: 'qrPayment',
    isOrder: true,
    range: 'qr',
    fee: 'qr',
    urgency: 1,
    statement: { type: 'payment', noun: 'QR payment' },
    summary: 'Collect {money} by QR code',
    masked: 'whoever pays it',
  },
  /** Made when a standing number's payment arrives, already completed. */
  number: {
    ...billed,
    type: 'payment',
    operation: 'payments/numbers',
    flow: 'numberPayment',
    isOrder: false,
    range: 'bill',
    fee: 'number',
    urgency: 2,
    statement: { type: 'payment', noun: 'Payment of a number' },
    summary: 'Tell of {money} paid by a standing number',
    masked: 'whoever paid it',
  },
  mobile: {
    ...paidOut,
    type: 'payout',
    operation: 'payouts/mobile',
    money: 'hold',
    limits: 'payout',
    range: 'payout',
    fee: 'mobile',
    statement: { type: 'payout', noun: 'Mobile payout' },
    party: 'wallet',
    summary: 'Pay {money} over {network}',
    masked: null,
  },
  bank: {
    ...paidOut,
    type: 'payout',
    operation: 'payouts/bank',
    money: 'hold',
    limits: 'payout',
    range: 'payout',
    fee: 'bank',
    statement: { type: 'payout', noun: 'Bank payout' },
    party: 'bank',
    summary: 'Pay {money} to an account at {bic}',
    masked: null,
  },
  refund: {
    ...paidOut,
    type: 'payout',
    operation: 'payments/{id}/refunds',
    money: 'hold',
    // The payment itself limits its refunds; payout limits protect the merchant's own money.
    limits: 'none',
    range: null,
    fee: 'refund',
    statement: { type: 'refund', noun: 'Refund' },
    party: 'wallet',
    summary: 'Refund {money} over {network}',
    masked: 'the payer',
  },
  /** A rule pays this to the merchant's own account. */
  settlement: {
    ...paidOut,
    type: 'payout',
    operation: 'payouts/settlement',
    money: 'hold',
    limits: 'none',
    range: 'payout',
    fee: 'settlement',
    statement: { type: 'payout', noun: 'Settlement' },
    party: 'own',
    summary: 'Settle {money} with the merchant over {network}',
    masked: "the merchant's own account",
  },
  /** Two operators send money in suspense back to its payer. A payback belongs to no merchant. */
  payback: {
    ...paidOut,
    type: 'payback',
    operation: null,
    money: 'payable',
    limits: 'none',
    range: null,
    fee: null,
    statement: { type: 'refund', noun: 'Payback' },
    party: 'wallet',
    summary: 'Give {money} of suspense back over {network}',
    masked: 'the payer',
  },
} as const satisfies Record<Mode, Kind>;

export const modes = Object.keys(kinds) as Mode[];

/** Modes whose row has all of these members: `ModeWith<{ type: 'payout' }>` is `'mobile' | 'bank'`. */
export type ModeWith<Members extends Partial<Kind>> = {
  [M in Mode]: (typeof kinds)[M] extends Members ? M : never;
}[Mode];

export type MerchantMode = Exclude<Mode, ModeWith<{ operation: null }>>;
export const merchantModes = modes.filter(isMerchantMode);

export type TransactionType = (typeof kinds)[MerchantMode]['type'];
export type Operation<M extends MerchantMode = MerchantMode> = (typeof kinds)[M]['operation'];
export type Direction = Kind['direction'];
export type BilledMode = ModeWith<{ isBilled: true }>;
export type OrderMode = ModeWith<{ isOrder: true }>;
export type ChannelMode = Exclude<Mode, BilledMode>;
export type PayoutMode = ModeWith<{ type: 'payout' }>;
/** Payouts to a recipient whom the merchant names; they have previews. */
export type NamedPayoutMode = ModeWith<{ limits: 'payout' }>;

export const transactionTypes: readonly TransactionType[] = [
  ...new Set(merchantModes.map((mode) => kinds[mode].type)),
];

export const payoutModes = merchantModes.filter(isPayoutMode);
export const paymentModes = merchantModes.filter((mode) => !isPayoutMode(mode));

/** Narrows by the table, because the compiler cannot. */
export function isBilledMode(mode: Mode): mode is BilledMode {
  return kinds[mode].isBilled;
}

export function isMerchantMode(mode: Mode): mode is MerchantMode {
  return kinds[mode].operation !== null;
}

export function isPayoutMode(mode: Mode): mode is PayoutMode {
  return kinds[mode].type === 'payout';
}
