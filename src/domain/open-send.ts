import type { FlowTiming } from './timing.ts';

/**
 * Returns for how long, in milliseconds, an accepted send stays open for its notification: until the first
 * enquiry is due. Null: the send ends with the channel's answer, because the first enquiry is due before
 * the answer, or so late that a worker that died before it sent would be noticed too late.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
