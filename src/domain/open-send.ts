import type { FlowTiming } from './timing.ts';

/**
 * How long a send that its channel took stays open for the channel's word: until the first enquiry is due. Null: it ends
 * with the channel's answer, because the first enquiry is due before that answer has to be there, or so late that a send
 * whose worker died before it left could not be made in time.
 */
export function openSendMs({ firstEnquiryMs, sendTimeoutMs, notSentRetryMs }: FlowTiming): number | null {
  return firstEnquiryMs > sendTimeoutMs && firstEnquiryMs < notSentRetryMs ? firstEnquiryMs : null;
}
