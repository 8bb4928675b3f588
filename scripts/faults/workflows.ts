import { type Fault, inFile } from './plant.ts';

const AWAIT_OUTCOME = 'src/workflows/await-end.ts';
const HAND_OVER = 'src/workflows/hand-over.ts';
const FLOW = 'src/workflows/flow.ts';
const COURIER = 'src/workflows/courier.ts';
const CONFIRM = 'src/workflows/confirm-decision.ts';
const GATED = 'src/workflows/await-channel.ts';
const AWAIT_PAYMENT = 'src/workflows/await-payment.ts';

const BILL = 'test/workflows/bill.test.ts';
const CHANNEL_DOWN = 'test/workflows/channel-down.test.ts';
const DECISION = 'test/workflows/decision.test.ts';
const HARD_CHANNEL = 'test/workflows/hard-channel.test.ts';
const IN_ORDER = 'test/workflows/resend-in-order.test.ts';
const OPEN_SEND = 'test/workflows/open-send.test.ts';
const PAYOUT = 'test/workflows/payout.test.ts';
const PUSH = 'test/workflows/push.test.ts';
const RESUMED = 'test/workflows/resumed.test.ts';
const SWEEP = 'test/workflows/sweep.test.ts';

/** Faults in the flows: what is sent, when a channel is asked, when a flow ends. */
export const workflowFaults: readonly Fault[] = [
  ...inFile(AWAIT_OUTCOME, [
    {
      name: 'what a restored copy knows is sent again',
      text: 'known.restored || known.ageMs > timing.sendQueueMs',
      replacement: 'known.ageMs > timing.sendQueueMs',
      tests: [RESUMED],
    },
    {
      name: 'a resumed flow sends, however long ago it was accepted',
      text: 'known.restored || known.ageMs > timing.sendQueueMs',
      replacement: 'known.restored',
      tests: [RESUMED],
    },
    {
      name: 'a resumed flow sends before it asks',
      text: "isResumed(flow) && !isUnsent ? 'soon' : undefined",
      replacement: 'undefined',
      tests: [RESUMED],
    },
    {
      name: 'sends before the flow was lost are not counted',
      text: 'timing.sendsMax - known.sends',
      replacement: 'timing.sendsMax',
      tests: [RESUMED],
    },
    {
      name: 'a first flow over a restored copy asks nobody',
      text: 'known.last === 0 && !known.restored',
      replacement: 'known.last === 0',
      tests: [RESUMED],
    },
    {
      name: 'sends are not counted',
      text: '      progress.sendsLeft -= 1;\n',
      tests: [PAYOUT],
    },
    {
      name: 'a push is prompted again after its time',
      text: '!progress.hasPrompt || Date.now() < progress.resendUntil',
      replacement: 'true',
      tests: [PUSH],
    },
    {
      name: 'the time for a second prompt begins anew with each send',
      text: 'handedOver.sentAt + timing.resendWithinMs',
      replacement: 'Date.now() + timing.resendWithinMs',
      tests: [OPEN_SEND, PUSH],
    },
    {
      name: '"not found" ends a transaction after the time for a second send',
      text: 'wantsResend ? timing.settleTimeMs : timing.neverArrivedMs',
      replacement: 'timing.settleTimeMs',
      tests: [PAYOUT, PUSH, RESUMED],
    },
    {
      name: '"not found" allows a second send at once',
      text: 'wantsResend ? timing.settleTimeMs : timing.neverArrivedMs',
      replacement: 'wantsResend ? 0 : timing.neverArrivedMs',
      tests: [PAYOUT],
    },
    {
      name: 'a send that is given up stays open',
      text: '          await money.closeSends(flow.input.transactionId, progress.nextNumber - 1);\n',
      tests: [PAYOUT, HARD_CHANNEL],
    },
    {
      name: 'another amount is reported anew with every enquiry',
      text: '  progress.mismatchFlagged = true;\n',
      tests: [PAYOUT],
    },
    {
      name: 'nobody is told that a channel gives no answer',
      text: 'progress.overdue ? null : Math.max(0, progress.overdueAt - Date.now())',
      replacement: 'null',
      tests: [DECISION],
    },
    {
      name: 'a channel without an answer is asked as often as before',
      text: 'delaysMs: progress.overdue ? [timing.overdueEnquiryMs] : timing.enquiryDelaysMs',
      replacement: 'delaysMs: timing.enquiryDelaysMs',
      tests: [DECISION],
    },
    {
      name: 'an unclear send is asked about as late as one that the channel took',
      text: "if (ask === 'soon')",
      replacement: "if (ask === ('never' as string))",
      tests: [PAYOUT],
    },
    {
      name: 'a hint does not end the wait',
      text: 'if (ended || hint) return ended;',
      replacement: 'if (ended) return ended;',
      tests: [PAYOUT],
    },
    {
      name: 'a hint does not make a running enquiry ask again',
      text: "      askAgain = flow.news === 'hint';\n",
      tests: [PAYOUT, PUSH, RESUMED],
    },
  ]),
  ...inFile(HAND_OVER, [
    {
      name: 'a send that did nothing is repeated for ever',
      text: 'isUnsent && openings < OPENINGS_MAX && pages < PAGES_MAX && isInTime()',
      replacement: 'isUnsent',
      tests: [HARD_CHANNEL, PUSH],
    },
    {
      name: 'a send that did nothing is not repeated',
      text: 'isUnsent && openings < OPENINGS_MAX && pages < PAGES_MAX && isInTime()',
      replacement: 'false',
      tests: [HARD_CHANNEL, PUSH],
    },
    {
      name: 'a hint ends the wait for an unanswered send',
      text: "return answered ? { kind: 'left' } : undefined;",
      replacement: "return answered ? { kind: 'left' } : { kind: 'left' };",
      tests: [OPEN_SEND],
    },
    {
      name: 'what the door stored for an open send is a proof that nothing was sent',
      text: "mayHaveArrived ? 'left' : 'not_sent'",
      replacement: "mayHaveArrived ? 'not_sent' : 'left'",
      tests: [OPEN_SEND],
    },
    {
      name: 'a recorded send that was lost is a proof that nothing was sent',
      text: "  if (mayHaveArrived) return { kind: timeout === 'START_TO_CLOSE' ? 'left' : 'unknown' };\n",
      tests: [OPEN_SEND, 'test/workflows/queue.test.ts'],
    },
    {
      name: 'a send that waited too long in its queue is tried again',
      text: "timeout === 'SCHEDULE_TO_START' ? 'never_picked_up' : 'not_sent'",
      replacement: "'not_sent'",
      tests: ['test/workflows/queue.test.ts'],
    },
    {
      name: 'an unclear send is asked about at once',
      text: "return report.kind === 'left' ? 'now' : 'soon';",
      replacement: "return 'now';",
      tests: [PAYOUT],
    },
  ]),
  ...inFile(FLOW, [
    {
      name: 'a flow whose submission was refused goes on',
      text: "    if (!flow.accepted.mine) return { status: 'refused', failure_code: null };\n",
      tests: [PAYOUT],
    },
    {
      name: 'nobody asks whether two people were right',
      text: '  if (flow.ended.unconfirmed) await afterDecision(flow);\n',
      tests: [DECISION],
    },
    {
      name: 'a flow ends before its callbacks are delivered',
      text: '  await flow.courier.idle();\n',
      tests: [PUSH, 'test/workflows/history.test.ts'],
    },
    {
      name: 'a hint hides a stored notification',
      text: "    if (flow.news !== 'stored') flow.news = news;\n",
      replacement: '    flow.news = news;\n',
      tests: [PUSH, RESUMED],
    },
    {
      name: 'a resumed flow does not read what came in while no flow ran',
      text: "isResumed({ input }) ? 'stored' : undefined",
      replacement: 'undefined',
      tests: [RESUMED, SWEEP],
    },
    {
      name: 'a cancelled workflow stops where it is',
      text: 'return CancellationScope.nonCancellable(async () => {',
      replacement: 'return CancellationScope.cancellable(async () => {',
      tests: [PAYOUT],
    },
    {
      name: 'the input of a resumed flow is not compared with Postgres',
      text: 'money.sentSoFar(flow.input.transactionId, flow.input)',
      replacement: 'money.sentSoFar(flow.input.transactionId)',
      tests: ['test/workflows/untrusted.test.ts'],
    },
  ]),
  ...inFile(COURIER, [
    {
      name: 'callbacks of a transaction overtake each other',
      text: 'queue = queue.then(() => deliver(eventId, at === 0 ? first : undefined));',
      replacement: 'queue = Promise.all([queue, deliver(eventId)]).then(() => {});',
      tests: [BILL, IN_ORDER],
    },
    {
      name: 'an event is delivered twice',
      text: '        if (taken.has(eventId)) continue;\n',
      tests: [BILL],
    },
    {
      name: 'a callback that failed once is not tried again',
      text: "  if (outcome.kind === 'retry') await callbacks",
      replacement: "  if (outcome.kind !== 'retry') await callbacks",
      tests: [PUSH, 'test/workflows/resend-callback.test.ts'],
    },
  ]),
  ...inFile(CONFIRM, [
    {
      name: '"not found" counts at once after a decision',
      text: 'notFoundHoldMs: timing.neverArrivedMs',
      replacement: 'notFoundHoldMs: 0',
      tests: [DECISION],
    },
    {
      name: 'a channel is asked after a decision for ever',
      text: 'overdueAfterMs: timing.afterDecisionMs',
      replacement: 'overdueAfterMs: null',
      tests: [DECISION],
    },
    {
      name: 'another amount confirms a decision',
      text: 'mismatchFlagged: true',
      replacement: 'mismatchFlagged: false',
      tests: [DECISION],
    },
  ]),
  ...inFile(GATED, [
    {
      name: 'a push waits for a channel that is down',
      text: "report?.kind !== 'closed' || timing.channelWaitMs === 0",
      replacement: "report?.kind !== 'closed'",
      tests: [CHANNEL_DOWN],
    },
    {
      name: 'what waited for its channel for as long as it may goes on waiting',
      text: "        if (kind === 'over') return report;\n",
      tests: [CHANNEL_DOWN],
    },
  ]),
  ...inFile(AWAIT_PAYMENT, [
    {
      name: 'a bill whose time is over asks for news instead of ending',
      text: "tryToEnd(flow, { kind: 'expired' })",
      replacement: "tryToEnd(flow, { kind: 'notifications' })",
      tests: [BILL],
    },
  ]),
];
