/**
 * People see services in this order. A kind of transaction names its service (kinds.ts, `fee`); top-ups by a
 * standing number have their own row. `taken` says whether a fee comes out of the payment or is added to a
 * payout.
 */
export const servicesWithFee = {
  ussd: { taken: 'from_value', noun: 'USSD pushes', description: 'USSD pushes' },
  qr: { taken: 'from_value', noun: 'QR codes', description: 'QR codes' },
  billpay: { taken: 'from_value', noun: 'payments of bills', description: 'Payments of bills' },
  number: {
    taken: 'from_value',
    noun: 'payments of standing numbers',
    description: 'Payments of standing numbers',
  },
  top_up: {
    taken: 'from_value',
    noun: 'top-ups by a number',
    description: 'Top-ups of the balance by a standing number',
  },
  mobile: { taken: 'on_top', noun: 'mobile payouts', description: 'Payouts to wallets' },
  refund: { taken: 'on_top', noun: 'refunds', description: 'Refunds' },
  bank: { taken: 'on_top', noun: 'bank payouts', description: 'Payouts to bank accounts' },
  settlement: {
    taken: 'on_top',
    noun: 'settlements',
    description: 'Settlements, to the account that the rule names',
  },
} as const satisfies Record<string, Service>;

export const tierMeanings = {
  from: 'The smallest amount of the tier, in whole shillings',
  to: 'The largest amount of the tier, in whole shillings; null: it has no end',
  fixed: 'In whole shillings, whatever the amount',
  basis_points:
    'What is added to it: hundredths of a percent of the amount, rounded to the whole shilling, ' +
    'half of one upwards',
  min: 'The fee is no less, in whole shillings; no fee of a payment exceeds its amount',
  max: 'The fee is no more, in whole shillings; null: it has no bound',
};
export const tiersMeaning = 'Every amount has one of them';

type Service = { taken: 'from_value' | 'on_top'; noun: string; description: string };

export type FeeService = keyof typeof servicesWithFee;
export const feeServices = Object.keys(servicesWithFee) as FeeService[];

export function forEachService<Value>(of: (service: FeeService) => Value): Record<FeeService, Value> {
  return Object.fromEntries(feeServices.map((service) => [service, of(service)])) as Record<
    FeeService,
    Value
  >;
}
