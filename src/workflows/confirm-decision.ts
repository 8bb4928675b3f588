import type { EnquireReport } from '../activities/enquire.ts';
import type { Cause } from '../domain/settlement.ts';
import { showDetails, stateOf } from './details.ts';
import type { ChannelFlow } from './flow.ts';
import { enquirer, money } from './proxies.ts';

/**
 * A decision of operators is no proof, so the channel is asked on. Its answer is noted. An answer that contradicts the
 * decision is booked to suspense and shown to a person. Ends with that answer, or when the time for asking is over.
 */
export async function confirmDecision(flow: ChannelFlow): Promise<void> {
  const { transactionId, channel, timing } = flow.input;
  showDetails(flow, `Decided by people. Asking ${channel} whether they were right`);
  const report = await enquirer(channel, timing).enquire({
    transactionId,
    delaysMs: [timing.overdueEnquiryMs],
    overdueAfterMs: timing.afterDecisionMs,
    notFoundHoldMs: timing.neverArrivedMs,
    // A success with another amount is booked by the enquiry, and answers nothing.
    mismatchFlagged: true,
    timeoutMs: timing.sendTimeoutMs,
  });
  flow.known = await money.settle(transactionId, causeOf(report));
  showDetails(flow, stateOf(flow.known));
}

function causeOf(report: EnquireReport): Cause {
  switch (report.kind) {
    case 'overdue':
      return { kind: 'unanswered' };
    case 'not_found':
      return { kind: 'never_arrived' };
    default:
      return { kind: 'answer', result: report };
  }
}
