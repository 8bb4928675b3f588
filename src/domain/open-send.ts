import type { FlowTiming } from './timing.ts';

/**
 * Returns for how long, in milliseconds, an accepted send stays open for its notification: until the first
 * enquiry is due. Null if that is due before the channel's answer, or so late that a worker's death before
 * the send would be noticed too late.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
