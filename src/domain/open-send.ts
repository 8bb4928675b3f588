import type { FlowTiming } from './timing.ts';

/**
 * Returns for how long, in milliseconds, an accepted send stays open for its notification: until the first
 * enquiry is due. Null if the enquiry is due before the channel must have answered, or so late that no time
 * to send would be left after a worker's death.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
