import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  setCurrentDetails,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { SendReport } from '../activities/channel.ts';
import type { Settled } from '../domain/settlement.ts';
import { type ChannelFlow, handleInterrupts, interrupted, tryToSettle } from './flow.ts';
import { money } from './proxies.ts';

/** Makes one send with this number. The activity records it first and never makes it twice. */
export type Send = (number: number) => Promise<SendReport>;

/** `never_picked_up`: it waited in its queue for longer than its limit. */
type Sent = SendReport | { kind: 'never_picked_up' };

export type HandedOver = {
  /** the next number to use, should a second send ever be allowed */
  nextNumber: number;
  /** the channel did not say that it took it: enquire soon */
  unclear: boolean;
};

/**
 * Hands the transaction to its channel. A send that provably did nothing is repeated for a while; anything unclear is
 * not. Returns the settlement when it ended here: an explicit answer at once, cancelled before the hand-over, or
 * nothing sent in time.
 */
export async function handOver(
  flow: ChannelFlow,
  send: Send,
  firstNumber: number,
): Promise<Settled | HandedOver> {
  const { timing, channel } = flow.input;
  const giveUpAt = Date.now() + timing.notSentRetryMs;
  setCurrentDetails(`Handing over to ${channel}`);
  for (let number = firstNumber; ; number += 1) {
    const report = await sendUnlessEnded(flow, () => send(number));
    if ('status' in report) return report;
    if (report.kind === 'not_sent' && Date.now() < giveUpAt) {
      const ended = await pauseBeforeNextTry(flow);
      if (ended) return ended;
      continue;
    }
    const settled = await settleWhatIsProven(flow, report);
    return settled ?? { nextNumber: number + 1, unclear: report.kind !== 'accepted' };
  }
}

/** An explicit answer ends the transaction, and so does the proof that nothing was sent; all else has to wait. */
async function settleWhatIsProven(flow: ChannelFlow, report: Sent): Promise<Settled | undefined> {
  switch (report.kind) {
    case 'succeeded':
    case 'failed':
      return tryToSettle(flow, { kind: 'answer', result: report });
    case 'final':
      return tryToSettle(flow, { kind: 'notifications' });
    case 'not_sent':
    case 'never_picked_up':
      return tryToSettle(flow, { kind: 'unsent' });
    case 'accepted':
    case 'unknown':
      return undefined;
  }
}

async function pauseBeforeNextTry(flow: ChannelFlow): Promise<Settled | undefined> {
  const summary = `Nothing reached ${flow.input.channel}: pause before the next try`;
  setCurrentDetails(summary);
  await condition(() => interrupted(flow), flow.input.timing.notSentPauseMs, { summary });
  return handleInterrupts(flow);
}

/** Waits for the send; meanwhile a cancel may win (the send still waits in its queue) or a notification may end it. */
async function sendUnlessEnded(flow: ChannelFlow, send: () => Promise<SendReport>): Promise<Sent | Settled> {
  const scope = new CancellationScope({ cancellable: true });
  let report: Sent | undefined;
  const sending = scope
    .run(send)
    .catch((error: Error) => whatALostSendMeans(flow, error))
    .then((answer) => {
      report = answer;
    });
  while (report === undefined) {
    await Promise.race([sending, condition(() => interrupted(flow))]);
    if (!interrupted(flow)) continue;
    const settled = await handleInterrupts(flow);
    if (settled) {
      if (settled.status === 'cancelled') scope.cancel();
      return settled;
    }
  }
  return report;
}

/**
 * The activity is tried once. When it fails (timed out, its worker died), Postgres knows whether the send was recorded:
 * if not, it never left and may be tried again; if it was, the outcome is unknown and an enquiry decides.
 */
async function whatALostSendMeans(flow: ChannelFlow, error: Error): Promise<Sent> {
  // Dropped because a cancel won: the transaction is settled, and this result is not read.
  if (isCancellation(error)) return { kind: 'unknown' };
  log.warn('a send was lost', { error: error.message });
  const { open } = await money.recover(flow.input.transactionId);
  if (open) return { kind: 'unknown' };
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const waitedTooLong = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
  return { kind: waitedTooLong ? 'never_picked_up' : 'not_sent' };
}
