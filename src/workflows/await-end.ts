import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { EnquireReport } from '../activities/enquire.ts';
import type { Failed, Succeeded } from '../domain/channel.ts';
import type { Ended } from '../domain/ending.ts';
import type { Kind } from '../domain/kinds.ts';
import { gated, type Send } from './await-channel.ts';
import { showDetails } from './details.ts';
import { type ChannelFlow, handleInterrupts, interrupted, isResumed, sentSoFarBy, tryToEnd } from './flow.ts';
import { type Ask, handOver } from './hand-over.ts';
import { enquirer, money } from './proxies.ts';

/** A second send needs `not found` for the settle time; a push also needs a customer who expects a prompt. */
type Progress = {
  hasPrompt: boolean;
  nextNumber: number;
  sendsLeft: number;
  resendUntil: number;
  /** from then on a person must look, however often the channel was asked before */
  overdueAt: number;
  overdue: boolean;
  mismatchFlagged: boolean;
};

/**
 * Takes a pending transaction to its end: hands it over once, then waits for the first answer, by
 * notification or enquiry. It ends only by an explicit answer, a proof that nothing was sent, a cancel before
 * the hand-over, or a decision in Postgres.
 */
export async function runToEnd(
  flow: ChannelFlow,
  send: Send,
  { hasPrompt }: Pick<Kind, 'hasPrompt'>,
): Promise<Ended> {
  const { timing } = flow.input;
  const known = await sentSoFarBy(flow);
  const isTooLate = known.restored || known.ageMs > timing.sendQueueMs;
  const progress: Progress = {
    hasPrompt,
    nextNumber: known.last + 1,
    sendsLeft: isTooLate ? 0 : timing.sendsMax - known.sends,
    resendUntil: Date.now() + known.promptLeftMs + timing.resendWithinMs - timing.promptMs,
    overdueAt: Date.now() + timing.attentionAfterMs - known.ageMs,
    overdue: false,
    mismatchFlagged: false,
  };
  const gatedSend = gated(flow, send, Date.now() + timing.channelWaitMs - known.ageMs);
  // A resumed flow asks the channel first, because a restore may have lost rows. A first flow of a stored
  // transaction has nothing to ask.
  const isUnsent = flow.input.isFirst === true && known.last === 0 && !known.restored;
  let ask: Ask | undefined = isResumed(flow) && !isUnsent ? 'soon' : undefined;
  for (;;) {
    if (ask === undefined) {
      const awaited = awaitedOf(flow, hasPrompt);
      const handedOver = await handOver(flow, { ...gatedSend, firstNumber: progress.nextNumber, awaited });
      if ('status' in handedOver) return handedOver;
      progress.nextNumber = handedOver.nextNumber;
      progress.sendsLeft -= 1;
      progress.resendUntil = handedOver.sentAt + timing.resendWithinMs;
      ask = handedOver.ask;
    }
    const ended = await awaitAnswer(flow, progress, ask);
    if (ended !== 'send again') return ended;
    ask = undefined;
  }
}

async function awaitAnswer(flow: ChannelFlow, progress: Progress, ask: Ask): Promise<Ended | 'send again'> {
  const early = await waitForNews(flow, quietBeforeAsking(flow, progress, ask));
  if (early) return early;
  for (;;) {
    const wantsResend = mayResend(progress);
    const report = await enquireUntilNews(flow, progress, wantsResend);
    if ('status' in report) return report;
    let ended: Ended | undefined;
    switch (report.kind) {
      case 'overdue':
        await flagOverdue(flow, progress);
        break;
      case 'not_found':
        if (!wantsResend) {
          ended = await tryToEnd(flow, { kind: 'never_arrived' });
        } else if (mayResend(progress)) {
          await money.closeSends(flow.input.transactionId, progress.nextNumber - 1);
          return 'send again';
        }
        // If the prompt has ended meanwhile, wait for the longer proof.
        break;
      default:
        ended = await settleAnswer(flow, progress, report);
    }
    if (ended) return ended;
  }
}

async function settleAnswer(
  flow: ChannelFlow,
  progress: Progress,
  result: Succeeded | Failed,
): Promise<Ended | undefined> {
  const ended = await tryToEnd(flow, { kind: 'answer', result });
  if (ended) return ended;
  // A success with another amount is flagged and in suspense. The flow keeps asking and waits for a person.
  progress.mismatchFlagged = true;
  progress.overdue = true;
  showDetails(flow, `${flow.input.channel} moved another amount. It is asked on every hour`);
  return undefined;
}

async function flagOverdue(flow: ChannelFlow, progress: Progress): Promise<void> {
  progress.overdue = true;
  const { transactionId, channel } = flow.input;
  const need = await money.flagUnknownOutcome(transactionId, 'The channel has given no answer in its time');
  flow.known = { status: 'pending', events: [], needs: [need] };
  showDetails(flow, `${channel} has given no answer in its time. It is asked on every hour`);
}

type Quiet = { ms: number; summary: string };

/** Returns how long to wait for notifications before asking, with a sentence for operators; null: ask now. */
function quietBeforeAsking(flow: ChannelFlow, { hasPrompt }: Progress, ask: Ask): Quiet | null {
  const { timing, channel } = flow.input;
  if (ask === 'now') return null;
  if (ask === 'soon')
    return {
      ms: timing.unclearEnquiryMs,
      summary: `Not clear whether ${channel} took it, and it may have been paid: pause before asking`,
    };
  return {
    ms: timing.firstEnquiryMs,
    summary: `Waiting for ${awaitedOf(flow, hasPrompt)}`,
  };
}

function awaitedOf({ input }: ChannelFlow, hasPrompt: boolean): string {
  return hasPrompt ? 'the customer to enter the PIN' : `${input.channel} to pay`;
}

/** Waits for a notification, a cancel or a decision; a hint ends the wait early. */
async function waitForNews(flow: ChannelFlow, quiet: Quiet | null): Promise<Ended | undefined> {
  if (!quiet) return undefined;
  const { summary } = quiet;
  const until = Date.now() + quiet.ms;
  showDetails(flow, `${summary}. ${flow.input.channel} is asked at ${new Date(until).toISOString()}`);
  for (let left = quiet.ms; left > 0; left = until - Date.now()) {
    const woken = await condition(() => interrupted(flow), left, { summary });
    if (!woken) return undefined;
    const hint = flow.news === 'hint';
    const ended = await handleInterrupts(flow);
    if (ended || hint) return ended;
  }
  return undefined;
}

/** Runs one enquiry activity, whose retries are the polls, until news comes. A hint restarts it at once. */
async function enquireUntilNews(
  flow: ChannelFlow,
  progress: Progress,
  wantsResend: boolean,
): Promise<EnquireReport | Ended> {
  for (;;) {
    const scope = new CancellationScope({ cancellable: true });
    let report: EnquireReport | undefined;
    const asking = scope
      .run(() => enquire(flow, progress, wantsResend))
      .then(
        (answer) => {
          report = answer;
        },
        (error) => {
          if (!isCancellation(error)) throw error;
        },
      );
    let askAgain = false;
    while (report === undefined && !askAgain) {
      await Promise.race([asking, condition(() => interrupted(flow))]);
      if (!interrupted(flow)) continue;
      askAgain = flow.news === 'hint';
      const ended = await handleInterrupts(flow);
      if (ended || askAgain) scope.cancel();
      if (ended) return ended;
    }
    if (report) return report;
  }
}

function enquire(flow: ChannelFlow, progress: Progress, wantsResend: boolean): Promise<EnquireReport> {
  const { timing, transactionId, channel } = flow.input;
  // The pending activity shows the time of the next poll.
  if (!progress.overdue)
    showDetails(flow, `Asking ${channel} what became of it: the pending activity says when next`);
  return enquirer(channel, timing).enquire({
    transactionId,
    delaysMs: progress.overdue ? [timing.overdueEnquiryMs] : timing.enquiryDelaysMs,
    overdueAfterMs: progress.overdue ? null : Math.max(0, progress.overdueAt - Date.now()),
    notFoundHoldMs: wantsResend ? timing.settleTimeMs : timing.neverArrivedMs,
    mismatchFlagged: progress.mismatchFlagged,
    timeoutMs: timing.sendTimeoutMs,
  });
}

function mayResend(progress: Progress): boolean {
  if (progress.sendsLeft <= 0) return false;
  return !progress.hasPrompt || Date.now() < progress.resendUntil;
}
