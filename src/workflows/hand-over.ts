import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { SendReport } from '../activities/channel.ts';
import type { Ended } from '../domain/ending.ts';
import type { GatedSend } from './await-channel.ts';
import { showDetails } from './details.ts';
import { type ChannelFlow, handleInterrupts, interrupted, tryToEnd } from './flow.ts';
import { money } from './proxies.ts';

/**
 * `never_picked_up`: it waited in its queue beyond the limit. `left`: it was sent, and the first enquiry is
 * due, or an unproven sender says that there is news.
 */
type Sent = { kind: Exclude<SendReport['kind'], 'notified'> | 'never_picked_up' | 'left' };

export type HandedOver = {
  /** number of a second send, if one is ever allowed */
  nextNumber: number;
  /** time of the last hand-over; waiting for its notification is part of the prompt's time */
  sentAt: number;
  ask: Ask;
};

/** The first enquiry comes `later` if the channel accepted the send, `soon` if that is unknown. */
export type Ask = 'later' | 'soon' | 'now';

/**
 * Hands the transaction to its channel. A send that provably did nothing is repeated for a while; an unclear
 * one is not. An accepted send waits for its notification. Returns the end after an explicit answer, a
 * cancel, or if nothing was sent in time.
 */
export async function handOver(
  flow: ChannelFlow,
  { send, openSince, firstNumber, awaited }: GatedSend & { firstNumber: number; awaited: string },
): Promise<Ended | HandedOver> {
  const { timing, channel } = flow.input;
  const begun = Date.now();
  const isInTime = () => Date.now() < Math.max(begun, openSince()) + timing.notSentRetryMs;
  let [pages, openings, known] = [0, 0, openSince()];
  showDetails(flow, `Handing over to ${channel}, then waiting for ${awaited}`);
  for (let number = firstNumber; ; number += 1) {
    const sentAt = Date.now();
    const report = await sendUnlessEnded(flow, () => send(number));
    if ('status' in report) return report;
    if (report.kind === 'turned_away') pages += 1;
    if (openSince() !== known) {
      known = openSince();
      openings += 1;
    }
    const isUnsent = report.kind === 'not_sent' || report.kind === 'turned_away';
    if (isUnsent && openings < OPENINGS_MAX && pages < PAGES_MAX && isInTime()) {
      const ended = await pauseBeforeNextTry(flow, openings);
      if (ended) return ended;
      continue;
    }
    const ended = await endWhatIsProven(flow, report);
    return ended ?? { nextNumber: number + 1, sentAt, ask: whenToAsk(report) };
  }
}

/** Limits a flow's history, however often its channel closes and opens. */
const OPENINGS_MAX = 11;
/** A web page that answers in place of the API will also answer the next send. */
const PAGES_MAX = 3;
/** Each opening without success doubles the pause, up to this many times the first. */
const PAUSES_MAX = 16;

/** Ends the transaction after an explicit answer, or if nothing was sent. Postgres has the send's outcome. */
async function endWhatIsProven(flow: ChannelFlow, report: Sent): Promise<Ended | undefined> {
  switch (report.kind) {
    case 'answered':
    case 'final':
      return tryToEnd(flow, { kind: 'notifications' });
    case 'not_sent':
    case 'turned_away':
    case 'closed':
    case 'never_picked_up':
      return tryToEnd(flow, { kind: 'unsent' });
    case 'accepted':
    case 'left':
    case 'unknown':
      return undefined;
  }
}

function whenToAsk(report: Sent): Ask {
  if (report.kind === 'accepted') return 'later';
  return report.kind === 'left' ? 'now' : 'soon';
}

async function pauseBeforeNextTry(flow: ChannelFlow, openings: number): Promise<Ended | undefined> {
  const summary = `Nothing reached ${flow.input.channel}: pause before the next try`;
  showDetails(flow, summary);
  const pauseMs = flow.input.timing.notSentPauseMs * Math.min(2 ** openings, PAUSES_MAX);
  await condition(() => interrupted(flow), pauseMs, { summary });
  return handleInterrupts(flow);
}

/**
 * Waits for the send and, once accepted, for its notification. Meanwhile a cancel may win if the send is
 * still queued, a decision may end the transaction, and a hint ends the wait. A notification may still
 * complete a send that the flow left, because the server keeps it open; that wakes the flow like a signal.
 */
async function sendUnlessEnded(flow: ChannelFlow, send: () => Promise<SendReport>): Promise<Sent | Ended> {
  const scope = new CancellationScope({ cancellable: true });
  let report: SendReport | Sent | undefined;
  let isLeft = false;
  const leave = <T>(ended: T): T => {
    isLeft = true;
    scope.cancel();
    return ended;
  };
  const sending = scope
    .run(send)
    // Anyone who can write to Temporal can complete an open send with any value.
    .then((answer): SendReport => ({ kind: answer?.kind ?? 'unknown' }))
    .catch((error: Error): Promise<Sent> | Sent =>
      isLeft ? { kind: 'unknown' } : whatALostSendMeans(flow, error),
    )
    .then((answer) => {
      report = answer;
      if (isLeft && answer.kind === 'notified') flow.news = 'stored';
    });
  while (report === undefined) {
    await Promise.race([sending, condition(() => interrupted(flow))]);
    if (!interrupted(flow)) continue;
    const isHint = flow.news === 'hint';
    const ended = await handleInterrupts(flow);
    if (ended) return leave(ended);
    const waited = isHint ? await endOfWait(flow) : undefined;
    // A notification that arrived meanwhile outranks the hint.
    if (waited && report === undefined) return leave(waited);
  }
  const { kind } = report;
  return kind === 'notified' ? whatTheDoorMeans(flow) : { kind };
}

/** While a send is unanswered, ignore hints: its answer will say the same. */
async function endOfWait(flow: ChannelFlow): Promise<Sent | undefined> {
  const { answered } = await money.sentSoFar(flow.input.transactionId);
  return answered ? { kind: 'left' } : undefined;
}

/** Reads the notification. If it ended nothing, enquires if the send may have arrived, else sends again. */
async function whatTheDoorMeans(flow: ChannelFlow): Promise<Sent | Ended> {
  const ended = await tryToEnd(flow, { kind: 'notifications' });
  if (ended) return ended;
  const { mayHaveArrived } = await money.sentSoFar(flow.input.transactionId);
  return { kind: mayHaveArrived ? 'left' : 'not_sent' };
}

/**
 * The activity is tried once. If it fails (timeout, dead worker), Postgres knows whether the send was
 * recorded. If not, nothing left us, and the flow may send again. If so, an enquiry decides, at once if the
 * wait for a notification is over.
 */
async function whatALostSendMeans(flow: ChannelFlow, error: Error): Promise<Sent> {
  // The flow does not read the result of a cancelled send.
  if (isCancellation(error)) return { kind: 'unknown' };
  const { mayHaveArrived, answered } = await money.sentSoFar(flow.input.transactionId);
  if (!answered) log.warn('a send was lost', { error: error.message });
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const timeout = cause instanceof TimeoutFailure ? cause.timeoutType : undefined;
  if (mayHaveArrived) return { kind: timeout === 'START_TO_CLOSE' ? 'left' : 'unknown' };
  return { kind: timeout === 'SCHEDULE_TO_START' ? 'never_picked_up' : 'not_sent' };
}
