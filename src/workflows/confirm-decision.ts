import type { EnquireReport } from '../activities/enquire.ts';
import type { Cause } from '../domain/ending.ts';
import { showDetails, stateOf } from './details.ts';
import type { ChannelFlow } from './flow.ts';
import { enquirer, money } from './proxies.ts';

/** Keeps asking after operators decided. A contradicting answer goes to suspense and notifies a person. */
export async function confirmDecision(flow: ChannelFlow): Promise<void> {
  const { transactionId, channel, timing } = flow.input;
  showDetails(flow, `Decided by people. Asking ${channel} whether they were right`);
  const report = await enquirer(channel, timing).enquire({
    transactionId,
    delaysMs: [timing.overdueEnquiryMs],
    overdueAfterMs: timing.afterDecisionMs,
    notFoundHoldMs: timing.neverArrivedMs,
    // The enquiry books a success with another amount, which does not answer the decision.
    mismatchFlagged: true,
    timeoutMs: timing.sendTimeoutMs,
  });
  flow.known = await money.tryToEnd(transactionId, causeOf(report));
  showDetails(flow, stateOf(flow.known));
}

function causeOf(report: EnquireReport): Cause {
  switch (report.kind) {
    case 'overdue':
      return { kind: 'unanswered' };
    case 'not_found':
      return { kind: 'never_arrived', afterDecision: true };
    default:
      return { kind: 'answer', result: report };
  }
}
