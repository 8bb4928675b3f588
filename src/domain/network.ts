import { networkData as data } from './data/networks.ts';
import { type Kind, kinds, type Mode } from './kinds.ts';
import { MINOR_PER_UNIT, type Minor, minor } from './money.ts';
import type { Msisdn } from './msisdn.ts';

/** A wallet's network as data/networks.json describes it. Limits are minor units, inclusive. */
export type Network = {
  /** lower-case identifier, the form of payouts: `m-pesa` */
  id: string;
  /** upper-case name, the form of payments: `M-PESA` */
  name: string;
  /** as its customers know it: `M-Pesa` */
  customerName: string;
  aliases: string[];
  /** numbers that begin so lead to it */
  prefixes: string[];
  /** merchants see only these prefixes */
  surePrefixes: string[];
  pushLimits: Limits;
  payoutLimits: Limits;
  promptTtlMs: number;
  promptEnquiriesMs: readonly number[];
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
  /** how it asks about bills, and whether the customer gets the money back when we refuse what it reports */
  bill: { protocol: string; refusalReturnsMoney: boolean };
  /** a customer dials the code to pay by control number, then chooses */
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

/** Money can move over these: the networks, and the bank rail. */
export const channelIds: readonly string[] = [...networks.map((network) => network.id), 'bank'];

/** The bank rail's times, in milliseconds. */
export const bankTimes = {
  firstEnquiryAfterMs: data.bank.first_enquiry_after_seconds * 1000,
  settleTimeMs: data.bank.settle_time_seconds * 1000,
};

const { health } = data;
/** The rules by which a channel is up or down (data/networks.json, `health_rule`). Durations are milliseconds. */
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
/** How long after it was paid a payment can be refunded. */
export const refundWithinDays = data.refund.within_days;

/** We accept no amount outside these ranges over a channel; undefined: we accept none at all. */
const ranges: Record<NonNullable<Kind['range']>, (channel: string) => Limits | undefined> = {
  push: (channel) => networkById(channel)?.pushLimits,
  payout: (channel) => (channel === 'bank' ? bankPayoutLimits : networkById(channel)?.payoutLimits),
  bill: () => billLimits,
  qr: () => qrLimits,
};

/** Returns true if we ever accept the amounts, in minor units. A connection may narrow the range. */
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

/** The network whose prefix the number carries: a hint only, numbers are portable (docs/words.md). */
export function networkOfNumber(msisdn: Msisdn): Network | undefined {
  const prefix = `0${msisdn.slice(3, 5)}`;
  return networks.find((n) => n.prefixes.includes(prefix));
}

/** Finds a network by its id, name or an alias, in any case. */
export function networkByName(name: string): Network | undefined {
  const wanted = name.trim().toUpperCase().replace(/[ _]/g, '-');
  return networks.find(
    (n) => n.id.toUpperCase() === wanted || n.name === wanted || n.aliases.includes(wanted),
  );
}

/** Returns the name of a network for payments. One that is disabled, or none, is its id in capitals. */
export function networkNameOf(channel: string): string {
  return networkById(channel)?.name ?? channel.toUpperCase();
}

export function networkById(id: string): Network | undefined {
  return networks.find((n) => n.id === id);
}

function toLimits(range: { min: number; max: number }): Limits {
  return { minimum: minor(range.min * MINOR_PER_UNIT), maximum: minor(range.max * MINOR_PER_UNIT) };
}
