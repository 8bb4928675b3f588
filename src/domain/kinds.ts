import type { FeeService } from './fee-services.ts';

/**
 * Each mode has one row, with everything that differs between modes. A branch on a kind reads this table or
 * is a switch without a default, so a new mode does not compile until every place has decided.
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
  /** how lists and lookups group it */
  type: 'payment' | 'bill' | 'payout' | 'payback';
  /** the path of the request that creates it, part of its fingerprint, so it never changes; null: no merchant asks for it */
  operation: `${'payments' | 'payouts'}/${string}` | null;
  /** the workflow that carries it out */
  flow: 'ussdPush' | 'payout' | 'billOrder' | 'qrPayment' | 'numberPayment';
  /** the status of success; the other final statuses are `failed` and `cancelled` for every mode */
  success: 'completed' | 'paid';
  /** the latest event that lookups show; nothing is sent about `pending` */
  events: {
    pending: 'payment.pending' | 'payout.pending';
    success: 'payment.received' | 'payout.completed';
    failure: 'payment.failed' | 'payout.failed';
  };
  /**
   * `credit`: success credits its value, less the fee. `credit_each_payment`: every payment of the bill is credited when
   * it comes, its end moves nothing. `hold`: value and fee are held when it is accepted, and taken or given back.
   * `payable`: its value is taken out of suspense when it begins, and paid or put back.
   */
  money: 'credit' | 'credit_each_payment' | 'hold' | 'payable';
  /** which way the channel moves the money: to us, or from us */
  direction: 'collection' | 'payout';
  /** a bill or a standing number belongs to it, with a control number that a customer pays */
  isBilled: boolean;
  /** a row of `bills` is made with it, and it is pending until that is paid or ends */
  isOrder: boolean;
  /** a prompt on the customer's phone that lives for a while */
  hasPrompt: boolean;
  /** its payers can get their money back */
  isRefundable: boolean;
  /** which of an account's limits bound it: those of payouts, none but the guard against twins, or none at all */
  limits: 'payout' | 'twins' | 'none';
  /** null: the payment given back bounds the amount (data/networks.json has the ranges) */
  range: 'push' | 'payout' | 'bill' | 'qr' | null;
  /** null: it costs nothing */
  fee: FeeService | null;
  /** its place where work piles up, 1 first: its customer waits with the phone in the hand */
  urgency: 1 | 2 | 3;
  /** a merchant's statement shows its money with this type and noun */
  statement: { type: 'payment' | 'payout' | 'refund'; noun: string };
  /** `own` is the merchant's wallet or bank account */
  party: 'wallet' | 'bank' | 'payer' | 'own';
  /** operators read it in the Temporal UI, no names; `{money}`, `{network}`, `{bic}` are put in */
  summary: string;
  /** Temporal shows this in place of the party; null: the party's number, masked */
  masked: string | null;
};

const eventsOfPayment = {
  pending: 'payment.pending',
  success: 'payment.received',
  failure: 'payment.failed',
} as const;

/** Customers pay these by a control number of ours, in one payment or many. */
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
  /** The door makes this payment of a standing number, completed, when the customer has paid. */
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
    // The payment bounds it; limits of payouts are about money of the merchant's own.
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
  /** Two operators send money in suspense back to its payer. It is no merchant's. */
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

/** The modes whose row has all of these members: `ModeWith<{ type: 'payout' }>` is `'mobile' | 'bank'`. */
export type ModeWith<Members extends Partial<Kind>> = {
  [M in Mode]: (typeof kinds)[M] extends Members ? M : never;
}[Mode];

/** Modes that merchants ask for and see: all but the service's own. */
export type MerchantMode = Exclude<Mode, ModeWith<{ operation: null }>>;
export const merchantModes = modes.filter(isMerchantMode);

export type TransactionType = (typeof kinds)[MerchantMode]['type'];
export type Operation<M extends MerchantMode = MerchantMode> = (typeof kinds)[M]['operation'];
export type Direction = Kind['direction'];
export type BilledMode = ModeWith<{ isBilled: true }>;
/** Modes that have a row of `bills`. */
export type OrderMode = ModeWith<{ isOrder: true }>;
/** Modes that we hand over to a channel and wait for. */
export type ChannelMode = Exclude<Mode, BilledMode>;
export type PayoutMode = ModeWith<{ type: 'payout' }>;
/** The merchant names the recipient of these payouts; they can be previewed. */
export type NamedPayoutMode = ModeWith<{ limits: 'payout' }>;

export const transactionTypes: readonly TransactionType[] = [
  ...new Set(merchantModes.map((mode) => kinds[mode].type)),
];

export const payoutModes = merchantModes.filter(isPayoutMode);
export const paymentModes = merchantModes.filter((mode) => !isPayoutMode(mode));

/** Narrows by the table what the compiler cannot narrow by itself. */
export function isBilledMode(mode: Mode): mode is BilledMode {
  return kinds[mode].isBilled;
}

export function isMerchantMode(mode: Mode): mode is MerchantMode {
  return kinds[mode].operation !== null;
}

export function isPayoutMode(mode: Mode): mode is PayoutMode {
  return kinds[mode].type === 'payout';
}
