/**
 * Services in the order shown. Each kind of transaction names its service (kinds.ts, `fee`); top-ups by a
 * standing number have a row of their own. `taken`: from a payment, or on top of a payout. `noun` is for
 * operators, `description` for merchants.
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
    description: 'Payments of standing numbers that top your own balance up',
  },
  mobile: { taken: 'on_top', noun: 'mobile payouts', description: 'Payouts to wallets' },
  refund: { taken: 'on_top', noun: 'refunds', description: 'Refunds' },
  bank: { taken: 'on_top', noun: 'bank payouts', description: 'Payouts to bank accounts' },
  settlement: { taken: 'on_top', noun: 'settlements', description: 'Payouts to your own account' },
} as const satisfies Record<string, Service>;

type Service = { taken: 'from_value' | 'on_top'; noun: string; description: string };

export type FeeService = keyof typeof servicesWithFee;
export const feeServices = Object.keys(servicesWithFee) as FeeService[];

export function forEachService<Value>(of: (service: FeeService) => Value): Record<FeeService, Value> {
  return Object.fromEntries(feeServices.map((service) => [service, of(service)])) as Record<
    FeeService,
    Value
  >;
}
