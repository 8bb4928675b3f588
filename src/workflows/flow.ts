import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { SentSoFar } from '../activities/sent-so-far.ts';
import type { Cause, Ended, FlowResult } from '../domain/ending.ts';
import type { ChannelMode, Mode } from '../domain/kinds.ts';
import type { Accepted, FlowInput } from '../domain/operation.ts';
import { type Courier, createCourier } from './courier.ts';
import { resultOf, showDetails, stateOf } from './details.ts';
import { type ChannelNews, cancel, channelResult, searchAttributes, submit } from './messages.ts';
import { money } from './proxies.ts';

type Cancellation = { answered: boolean };

/** Handlers only record here and wake the main function. */
export type Flow<M extends Mode = Mode> = {
  readonly input: FlowInput<M>;
  readonly courier: Courier;
  accepted: Accepted | undefined;
  failed: boolean;
  ended: Ended | undefined;
  /** result of the last attempt to end it, final or not */
  known: Ended | undefined;
  state: string;
  /** news since the last look; a stored notification outranks a hint */
  news: ChannelNews | undefined;
  cancellations: Cancellation[];
};

export type ChannelFlow = Flow<ChannelMode>;

/** Sets the handlers before the first await. `afterDecision` runs while callbacks are delivered. */
export async function runFlow<M extends Mode>(
  input: FlowInput<M>,
  work: (flow: Flow<M>) => Promise<Ended>,
  afterDecision: (flow: Flow<M>) => Promise<void> = async () => {},
): Promise<FlowResult> {
  const flow = openFlow(input);
  return CancellationScope.nonCancellable(async () => {
    try {
      const outcome = await runAccepted(flow, work, afterDecision);
      await condition(allHandlersFinished);
      return outcome;
    } catch (error) {
      flow.failed = true;
      await condition(allHandlersFinished);
      throw error;
    }
  });
}

async function runAccepted<M extends Mode>(
  flow: Flow<M>,
  work: (flow: Flow<M>) => Promise<Ended>,
  afterDecision: (flow: Flow<M>) => Promise<void>,
): Promise<FlowResult> {
  const { submission, transactionId, timing } = flow.input;
  if (submission) {
    flow.accepted = await money.accept({ ...submission, transactionId, timing });
    // It was refused, or another submission has the key: the answer is given, and nothing follows.
    if (!flow.accepted.mine) return { status: 'refused', failure_code: null };
  }
  flow.ended = await work(flow);
  upsertSearchAttributes([{ key: searchAttributes.status, value: flow.ended.status }]);
  flow.known = flow.ended;
  showDetails(flow, stateOf(flow.ended));
  flow.courier.take(flow.ended.events, flow.ended.first);
  if (flow.ended.unconfirmed) await afterDecision(flow);
  await flow.courier.idle();
  return resultOf(flow.ended);
}

function openFlow<M extends Mode>(input: FlowInput<M>): Flow<M> {
  const flow: Flow<M> = {
    input,
    courier: createCourier(),
    accepted: undefined,
    failed: false,
    ended: undefined,
    known: undefined,
    state: '',
    // A resumed flow first reads what came while no flow ran.
    news: isResumed({ input }) ? 'stored' : undefined,
    cancellations: [],
  };
  answerUpdates(flow);
  listenToNews(flow);
  return flow;
}

function answerUpdates(flow: Flow): void {
  const over = () => flow.ended !== undefined || flow.failed || flow.accepted?.mine === false;
  setHandler(submit, async () => {
    // A resumed flow accepts nothing: its answer is in Postgres, where the API looks first.
    await condition(() => flow.accepted !== undefined || flow.failed || isResumed(flow));
    if (!flow.accepted)
      throw ApplicationFailure.nonRetryable('the submission could not be accepted', 'NotAccepted');
    return flow.accepted;
  });
  const answerCancel = async () => {
    const asked = { answered: false };
    flow.cancellations.push(asked);
    await condition(() => asked.answered || over());
    return { cancelled: flow.ended?.status === 'cancelled' };
  };
  setHandler(cancel, answerCancel, {
    description: 'Cancels it while nothing was handed over to the channel',
  });
}

function listenToNews(flow: Flow): void {
  setHandler(channelResult, (news) => {
    // A signal may carry any value, so unknown news is ignored.
    if (news !== 'stored' && news !== 'hint') return;
    if (flow.news !== 'stored') flow.news = news;
  });
  // Cancelling the workflow in the Temporal UI counts as the merchant's cancel.
  CancellationScope.current().cancelRequested.catch(() => {
    flow.cancellations.push({ answered: false });
  });
}

const NOTHING_SENT = {
  last: 0,
  sends: 0,
  mayHaveArrived: false,
  answered: false,
  restored: false,
  ageMs: 0,
  promptLeftMs: 0,
} satisfies SentSoFar;

export async function sentSoFarBy(flow: Flow): Promise<SentSoFar> {
  if (!isResumed(flow)) return NOTHING_SENT;
  // The flow's input is not signed, so it is compared with Postgres.
  return money.sentSoFar(flow.input.transactionId, flow.input);
}

export function interrupted(flow: Flow): boolean {
  return flow.news !== undefined || flow.cancellations.some(isOpen);
}

/** Handles an interruption. Returns the end; undefined if the flow goes on. */
export async function handleInterrupts(flow: Flow): Promise<Ended | undefined> {
  const stored = flow.news === 'stored';
  flow.news = undefined;
  if (stored) {
    const ended = await tryToEnd(flow, { kind: 'notifications' });
    if (ended) return ended;
  }
  for (const asked of flow.cancellations.filter(isOpen)) {
    const ended = await tryToEnd(flow, { kind: 'cancel' });
    if (ended) return ended;
    asked.answered = true;
  }
  return undefined;
}

/** Runs one database transaction that may end it. Undefined while it is pending, even if there are events. */
export async function tryToEnd(flow: Flow, cause: Cause): Promise<Ended | undefined> {
  // The caller of a cancel must not wait for the callback, and the courier keeps a bill's events in order.
  const isAwaited = cause.kind === 'cancel' || flow.cancellations.some(isOpen);
  const end = isAwaited || flow.input.expiresAt !== null ? money.tryToEnd : money.endAndNotify;
  const ended = await end(flow.input.transactionId, cause);
  flow.known = ended;
  if (ended.status !== 'pending') return ended;
  showDetails(flow);
  flow.courier.take(ended.events);
  return undefined;
}

/** True if Postgres has the transaction, so the flow accepts nothing. */
export function isResumed({ input }: { input: FlowInput }): boolean {
  return input.submission === null;
}

function isOpen(asked: Cancellation): boolean {
  return !asked.answered;
}
