import { networkData as data } from './data/networks.ts';
import { type Kind, kinds, type Mode } from './kinds.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';
import type { Msisdn } from './msisdn.ts';

/** Limits are minor units, inclusive (data/networks.json). */
export type Network = {
  /** lower-case identifier, used for payouts: `m-pesa` */
  id: string;
  /** upper-case name, used for payments: `M-PESA` */
  name: string;
  /** customers' spelling: `M-Pesa` */
  customerName: string;
  aliases: string[];
  prefixes: string[];
  /** the prefixes that merchants see */
  surePrefixes: string[];
  pushLimits: Limits;
  payoutLimits: Limits;
  promptTtlMs: number;
  promptEnquiriesMs: readonly number[];
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
  /** protocol for bills, and whether the customer gets the money back when we refuse a report */
  bill: { protocol: string; refusalReturnsMoney: boolean };
  /** code to dial and menu to choose for paying by control number */
  menu: { code: string; sw: string; en: string };
};
export type Limits = { minimum: Minor; maximum: Minor };

export const networks: readonly Network[] = data.networks
  .filter((n) => n.enabled)
  .map((n) => ({
    id: n.id,
    name: n.name,
    customerName: n.customer_name,
    aliases: n.aliases,
    prefixes: [...n.prefixes, ...n.prefixes_unsure],
    surePrefixes: n.prefixes,
    pushLimits: toLimits(n.ussd_push),
    payoutLimits: toLimits(n.payout),
    promptTtlMs: n.ussd_push.prompt_ttl_seconds * 1000,
    promptEnquiriesMs: n.ussd_push.prompt_enquiries_seconds.map((s) => s * 1000),
    firstEnquiryAfterMs: n.first_enquiry_after_seconds * 1000,
    settleTimeMs: n.settle_time_seconds * 1000,
    bill: {
      protocol: n.bill.protocol,
      refusalReturnsMoney: n.bill.refusal_returns_money,
    },
    menu: n.menu,
  }));

export const channelIds: readonly string[] = [...networks.map((network) => network.id), 'bank'];

/** Durations are milliseconds. */
export const bankTimes = {
  firstEnquiryAfterMs: data.bank.first_enquiry_after_seconds * 1000,
  settleTimeMs: data.bank.settle_time_seconds * 1000,
};

const { health } = data;
/** data/networks.json, `health_rule`. Durations are milliseconds. */
export const healthRules = {
  windowMs: health.window_seconds * 1000,
  resultsMin: health.results_min,
  degradedShare: health.degraded_percent / 100,
  downShare: health.down_percent / 100,
  probeFirstMs: health.probe_first_seconds * 1000,
  probeLastMs: health.probe_last_seconds * 1000,
  payoutWaitMs: health.payout_wait_hours * 3_600_000,
};

/** Limits are minor units, inclusive (data/networks.json). */
export const bankPayoutLimits: Limits = toLimits(data.limits.bank_payout);
export const billLimits: Limits = toLimits(data.limits.bill);
export const qrLimits: Limits = toLimits(data.limits.qr);
/** days after the payment */
export const refundWithinDays = data.refund.within_days;

/** A channel accepts these amounts; undefined: none. */
const ranges: Record<NonNullable<Kind['range']>, (channel: string) => Limits | undefined> = {
  push: (channel) => networkById(channel)?.pushLimits,
  payout: (channel) => (channel === 'bank' ? bankPayoutLimits : networkById(channel)?.payoutLimits),
  bill: () => billLimits,
  qr: () => qrLimits,
};

/** Amounts are minor units. A connection may narrow the range. */
export function isInRange(mode: Mode, channel: string, amounts: readonly (number | null)[]): boolean {
  const { range }: Kind = kinds[mode];
  if (range === null) return true;
  const limits = ranges[range](channel);
  return amounts.every(
    (amount) =>
      limits !== undefined &&
      Number.isInteger(amount) &&
      Number(amount) >= limits.minimum &&
      Number(amount) <= limits.maximum,
  );
}

/** Finds the network by prefix: only a hint, because numbers are portable (docs/words.md). */
export function networkOfNumber(msisdn: Msisdn): Network | undefined {
  const prefix = `0${msisdn.slice(3, 5)}`;
  return networks.find((n) => n.prefixes.includes(prefix));
}

export function networkByName(name: string): Network | undefined {
  const wanted = name.trim().toUpperCase().replace(/[ _]/g, '-');
  return networks.find(
    (n) => n.id.toUpperCase() === wanted || n.name === wanted || n.aliases.includes(wanted),
  );
}

/** Returns the name for payments; the id in capitals if disabled or unknown. */
export function networkNameOf(channel: string): string {
  return networkById(channel)?.name ?? channel.toUpperCase();
}

export function networkById(id: string): Network | undefined {
  return networks.find((n) => n.id === id);
}

function toLimits(range: { min: number; max: number }): Limits {
  return { minimum: minor(range.min * MINOR_PER_UNIT), maximum: minor(range.max * MINOR_PER_UNIT) };
}
