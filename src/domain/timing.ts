import type { Network } from './network.ts';

/**
 * Every duration a flow needs, in milliseconds. Frozen on the transaction when it is accepted, so that a
 * workflow reads no configuration and a changed setting never changes a running payment.
 */
export type FlowTiming = {
  /** a submission that waited longer before it was accepted is refused as `submission_expired` */
  submissionMaxAgeMs: number;
  /** how long a send may wait in its channel's queue; beyond it nothing was sent and the transaction fails safely */
  sendQueueMs: number;
  /** how long a channel may take to answer a send */
  sendTimeoutMs: number;
  /** how long the customer's prompt lives (pushes; 0 for payouts) */
  promptMs: number;
  /** an accepted send without a notification is first enquired about after this */
  firstEnquiryMs: number;
  /** an unclear send is first enquired about after this */
  unclearEnquiryMs: number;
  /** pauses between enquiries; the last repeats */
  enquiryDelaysMs: number[];
  /** enquiries without an answer for this long raise attention … */
  attentionAfterMs: number;
  /** … and go on at this pace */
  overdueEnquiryMs: number;
  /** a push may be sent a second time this long after the first: later its customer expects no prompt (0: payouts) */
  resendWithinMs: number;
  /** `not found` must hold this long before a second send with the same reference */
  settleTimeMs: number;
  /** `not found` must hold this long before the transaction fails because it never arrived */
  neverArrivedMs: number;
  /** a send that provably did nothing (connection refused, credentials) is repeated for this long … */
  notSentRetryMs: number;
  /** … with this pause */
  notSentPauseMs: number;
  /** sends in all; 1 where a channel does not deduplicate, so that nothing is ever sent twice */
  sendsMax: number;
};

/** A bill or QR code waits for its customer until it expires (`expiresAt` of its request); nothing is sent. */
export type BilledTiming = {
  /** null: a bill is never too late to be made, and a refusal would block its payment number for ever */
  submissionMaxAgeMs: number | null;
};

export const billTiming: BilledTiming = { submissionMaxAgeMs: null };
export const qrTiming: BilledTiming = { submissionMaxAgeMs: 2 * 60_000 };

export type GatewayTiming = 'normal' | 'fast';

const minutes = (n: number) => n * 60_000;

/** The sends of one transaction, the first included (a second only after `not found` has held its time). */
const SENDS_MAX = 3;

const ENQUIRY_DELAYS_MS = [1, 2, 5, 10, 15].map(minutes);

/** Durations of a flow. `fast` is for tests and benchmarks and refused in production. */
export function flowTiming(
  kind: 'push' | 'payout',
  channel: Pick<Network, 'promptTtlMs' | 'firstEnquiryAfterMs' | 'settleTimeMs'>,
  mode: GatewayTiming,
): FlowTiming {
  const submissionMaxAgeMs = kind === 'push' ? minutes(2) : minutes(15);
  if (mode === 'fast') return { submissionMaxAgeMs, ...fastTiming(kind) };
  return {
    submissionMaxAgeMs,
    sendQueueMs: kind === 'push' ? minutes(2) : minutes(15),
    sendTimeoutMs: 15_000,
    promptMs: kind === 'push' ? channel.promptTtlMs : 0,
    firstEnquiryMs: kind === 'push' ? channel.promptTtlMs : channel.firstEnquiryAfterMs,
    unclearEnquiryMs: channel.firstEnquiryAfterMs,
    enquiryDelaysMs: ENQUIRY_DELAYS_MS,
    attentionAfterMs: minutes(24 * 60),
    overdueEnquiryMs: minutes(60),
    resendWithinMs: kind === 'push' ? channel.promptTtlMs : 0,
    settleTimeMs: channel.settleTimeMs,
    neverArrivedMs: minutes(20),
    notSentRetryMs: minutes(5),
    notSentPauseMs: 15_000,
    sendsMax: SENDS_MAX,
  };
}

function fastTiming(kind: 'push' | 'payout'): Omit<FlowTiming, 'submissionMaxAgeMs'> {
  return {
    // No shorter than a killed worker is away on a busy machine.
    sendQueueMs: 60_000,
    sendTimeoutMs: 4_000,
    promptMs: kind === 'push' ? 5_000 : 0,
    firstEnquiryMs: kind === 'push' ? 5_000 : 1_000,
    unclearEnquiryMs: 500,
    enquiryDelaysMs: [500, 500, 1_000, 1_000, 2_000],
    attentionAfterMs: minutes(24 * 60),
    overdueEnquiryMs: minutes(60),
    // Longer than the prompt: on a busy machine the enquiries that prove "not found" alone take that long.
    resendWithinMs: kind === 'push' ? 20_000 : 0,
    settleTimeMs: 2_000,
    neverArrivedMs: 8_000,
    notSentRetryMs: 20_000,
    notSentPauseMs: 500,
    sendsMax: SENDS_MAX,
  };
}

/** Pauses between the attempts of one callback (docs/callbacks.md). */
export function callbackDelaysMs(mode: GatewayTiming): readonly number[] {
  if (mode === 'fast') return [200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000];
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
