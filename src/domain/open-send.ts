import type { FlowTiming } from './timing.ts';

/**
 * Returns the milliseconds that an accepted send waits for its notification: until the first enquiry. Null if
 * the enquiry is due before the channel must have answered, or too late to send after a worker's death.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
