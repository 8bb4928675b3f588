import type { FlowTiming } from './timing.ts';

/**
 * Returns for how long, in milliseconds, a send stays open for the notification after its channel took it: until the
 * first enquiry is due. Null: the send ends with the channel's answer. That is so where the first enquiry is due before
 * the answer, or so late that nobody would learn in time that the worker died before it sent.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
