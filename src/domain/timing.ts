import type { HealthRules } from './channel-health.ts';
import { type BilledMode, type ChannelMode, kinds, type Mode } from './kinds.ts';
import { healthRules } from './network.ts';

/** Durations are milliseconds, frozen at acceptance: a changed setting changes no running payment. */
export type FlowTiming = {
  /** an older submission is refused as `submission_expired` */
  submissionMaxAgeMs: number;
  /** longest wait in the channel's queue; after it nothing was sent, and the transaction fails safely */
  sendQueueMs: number;
  sendTimeoutMs: number;
  /** life of the customer's prompt; 0 without one */
  promptMs: number;
  /** time until the first enquiry about an accepted send without a notification */
  firstEnquiryMs: number;
  /** time until the first enquiry about an unclear send */
  unclearEnquiryMs: number;
  /** pauses between enquiries; the last one repeats */
  enquiryDelaysMs: number[];
  /** enquiries without an answer for this long raise attention */
  attentionAfterMs: number;
  /** pause between enquiries after that time */
  overdueEnquiryMs: number;
  /** after operators decided, enquiries continue with `overdueEnquiryMs` for this long */
  afterDecisionMs: number;
  /** a prompt may be sent again until this long after the first: later nobody expects it (0: no prompt) */
  resendWithinMs: number;
  /** `not found` must hold this long before a second send with the same reference */
  settleTimeMs: number;
  /** `not found` must hold this long before the transaction fails because it never arrived */
  neverArrivedMs: number;
  /** a send that provably did nothing (connection refused, credentials) is repeated for this long */
  notSentRetryMs: number;
  /** pause between these repeats */
  notSentPauseMs: number;
  /** longest wait from acceptance for a closed channel; 0: it fails, because its customer waits */
  channelWaitMs: number;
  channelLookMs: [first: number, longest: number];
  /** sends in all; 1 if a channel does not deduplicate, so nothing is ever sent twice */
  sendsMax: number;
};

/** A bill or QR code waits for its customer until `expiresAt` of its request; nothing is sent. */
export type BilledTiming = {
  /** null: a bill is never too late, because a refusal would block its payment number for ever */
  submissionMaxAgeMs: number | null;
};

export type TimingOf<M extends Mode> = M extends BilledMode ? BilledTiming : FlowTiming;

export const billTiming: BilledTiming = { submissionMaxAgeMs: null };
/** A refusal uses up no payment number, so a late QR code is refused. */
export const qrTiming: BilledTiming = { submissionMaxAgeMs: 2 * 60_000 };

/** Durations are milliseconds. */
export type ChannelTiming = {
  /** 0 without a prompt */
  promptTtlMs: number;
  /** when to ask about an unanswered prompt, after the send; we also ask at the prompt's end */
  promptEnquiriesMs: readonly number[];
  firstEnquiryAfterMs: number;
  settleTimeMs: number;
  sendTimeoutMs: number;
  /** false if it cannot look up a reference: then a person is notified early */
  enquires: boolean;
  /** false if it accepts a reference twice: then we send once, ever */
  deduplicates: boolean;
};

export type GatewayTiming = 'normal' | 'fast';

const minutes = (n: number) => n * 60_000;

/** Includes the first send; a second follows only after `not found` has held its time. */
const SENDS_MAX = 3;

const ENQUIRY_DELAYS_MS = [1, 2, 5, 10, 15].map(minutes);

/** `fast`: for tests and benchmarks, refused in production. */
export function flowTiming(mode: ChannelMode, channel: ChannelTiming, speed: GatewayTiming): FlowTiming {
  const { hasPrompt } = kinds[mode];
  const sendsMax = channel.deduplicates ? SENDS_MAX : 1;
  if (speed === 'fast') return { ...fastTiming(hasPrompt), sendsMax };
  const [firstPoll = channel.firstEnquiryAfterMs, ...polls] = hasPrompt ? promptPolls(channel) : [];
  return {
    // No customer is prompted long after the merchant was told that the outcome is unknown.
    submissionMaxAgeMs: hasPrompt ? 30_000 : minutes(15),
    // After a closure, sends leave at the channel's rate, so a payout may wait long in the queue.
    sendQueueMs: hasPrompt ? minutes(2) : healthRules.payoutWaitMs,
    sendTimeoutMs: channel.sendTimeoutMs,
    promptMs: hasPrompt ? channel.promptTtlMs : 0,
    firstEnquiryMs: firstPoll,
    unclearEnquiryMs: channel.firstEnquiryAfterMs,
    enquiryDelaysMs: [...pausesBetween([firstPoll, ...polls]), ...ENQUIRY_DELAYS_MS],
    attentionAfterMs: channel.enquires ? minutes(24 * 60) : minutes(30),
    overdueEnquiryMs: minutes(60),
    afterDecisionMs: minutes(7 * 24 * 60),
    resendWithinMs: hasPrompt ? channel.promptTtlMs : 0,
    settleTimeMs: channel.settleTimeMs,
    neverArrivedMs: minutes(20),
    notSentRetryMs: minutes(5),
    notSentPauseMs: 15_000,
    channelWaitMs: hasPrompt ? 0 : healthRules.payoutWaitMs,
    channelLookMs: [2_000, minutes(5)],
    sendsMax,
  };
}

/** Milliseconds after a send, while the prompt lives, and at its end. */
function promptPolls({ promptTtlMs, promptEnquiriesMs, enquires }: ChannelTiming): number[] {
  const during = enquires ? promptEnquiriesMs.filter((ms) => ms < promptTtlMs) : [];
  return [...during, promptTtlMs];
}

function pausesBetween(moments: readonly number[]): number[] {
  return moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
}

function fastTiming(hasPrompt: boolean): Omit<FlowTiming, 'sendsMax'> {
  return {
    // Longer than sendQueueMs: a killed worker must be back before its submissions are too old.
    submissionMaxAgeMs: hasPrompt ? minutes(2) : minutes(15),
    // At least as long as a killed worker is away on a busy machine.
    sendQueueMs: 60_000,
    sendTimeoutMs: 4_000,
    promptMs: hasPrompt ? 5_000 : 0,
    // Longer than an answer may take, so sends stay open as at normal speed.
    firstEnquiryMs: 5_000,
    unclearEnquiryMs: 500,
    enquiryDelaysMs: [500, 500, 1_000, 1_000, 2_000],
    attentionAfterMs: minutes(24 * 60),
    overdueEnquiryMs: minutes(60),
    afterDecisionMs: minutes(7 * 24 * 60),
    // Longer than the prompt: on a busy machine the enquiries that prove "not found" take that long.
    resendWithinMs: hasPrompt ? 20_000 : 0,
    settleTimeMs: 2_000,
    neverArrivedMs: 8_000,
    // Longer than the tests stop a worker: a payout must still be sent.
    notSentRetryMs: 40_000,
    notSentPauseMs: 500,
    channelWaitMs: hasPrompt ? 0 : healthRules.payoutWaitMs,
    channelLookMs: [300, 2_000],
  };
}

/** Judges channels; `fast` probes a channel that is down sooner. */
export function healthRulesOf(speed: GatewayTiming): HealthRules {
  return speed === 'fast' ? { ...healthRules, probeFirstMs: 500, probeLastMs: 2_000 } : healthRules;
}

export function callbackDelaysMs(speed: GatewayTiming): readonly number[] {
  if (speed === 'fast') return [200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000];
  const hours = (n: number) => minutes(60 * n);
  return [
    5_000,
    30_000,
    minutes(2),
    minutes(10),
    minutes(30),
    hours(2),
    hours(5),
    hours(10),
    hours(14),
    hours(20),
    hours(24),
  ];
}
