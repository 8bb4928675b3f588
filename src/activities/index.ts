import { Context } from '@temporalio/activity';
import type { KeyRing } from '../base/key-ring.ts';
import { carveItem } from '../batches/accept-item.ts';
import { countBatch } from '../batches/batch-progress.ts';
import { startBatch } from '../batches/batch-start.ts';
import type { Delivery } from '../callbacks/deliver.ts';
import { type Beginning, beginAttempt } from '../callbacks/log.ts';
import type { Channels } from '../channels/kit/registry.ts';
import type { Gate } from '../channels/traffic/gate.ts';
import { type AttentionReason, needOf } from '../domain/attention.ts';
import type { BatchProgress, BatchRun, BatchStart } from '../domain/batch.ts';
import { dayOf } from '../domain/day.ts';
import type { Cause, Ended } from '../domain/ending.ts';
import { UntrustedSubmission } from '../domain/errors.ts';
import type { FetchReport } from '../domain/fetch-report.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { Mark } from '../domain/mark.ts';
import type { MadeNumbers, NumbersRequest } from '../domain/number.ts';
import type { Accepted, FlowInput, Signed, SignedSubmission } from '../domain/operation.ts';
import type { SettleReport } from '../domain/settle-report.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import { isFinal } from '../domain/transaction.ts';
import { isSchemaBehind } from '../platform/db/errors.ts';
import type { Database } from '../platform/db/pool.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { inTime } from '../platform/process/promises.ts';
import { settlementOrigin } from '../settlements/accept-settlement.ts';
import { accept } from '../transactions/acceptance/accept.ts';
import { makeNumbers } from '../transactions/acceptance/numbers.ts';
import { raiseAttention, raiseSchemaBehind } from '../transactions/care/attention.ts';
import { closeFence, TransactionMissing } from '../transactions/care/fence.ts';
import { closeSendsAsNotFound } from '../transactions/channel/sends.ts';
import { tryToEnd } from '../transactions/ending/end.ts';
import { madeBy } from '../transactions/rescue/restore.ts';
import { lockTransaction } from '../transactions/rows/store.ts';
import {
  areSignedNumbers,
  signAccepted,
  signBatch,
  signCancellation,
  signNumbers,
} from '../transactions/rows/submission-mac.ts';
import { createChannelWaits } from './await-channel.ts';
import { createBatchActivities, type ItemFlows } from './batches.ts';
import { createCallbackActivities, createFirstAttempts, type FirstAttempts, LATER } from './callback.ts';
import { createSendActivities } from './channel.ts';
import { createEnquiryActivities } from './enquire.ts';
import { requireOwnWorkflow, requireTrusted, requireTrustedBatch } from './own-workflow.ts';
import { createResultActivities } from './results.ts';
import { type SentSoFar, sentSoFar } from './sent-so-far.ts';
import { toldFailure } from './told-failure.ts';

/** must be below the heartbeat timeouts (workflows/proxies.ts) */
const BEAT_MS = 4_000;
/** part of a local activity's timeout (workflows/proxies.ts) */
const TELL_MS = 1_000;

const ORIGINS = { carve: carveItem, settlement: settlementOrigin };

export type ActivityDependencies = {
  database: Database;
  channels: Pick<Channels, 'channelOf' | 'billConnections'>;
  gate: Gate;
  delivery: Delivery;
  sweep: { sweep(known: Mark | null): Promise<SweepReport> };
  statements?: { fetch(stop: AbortSignal): Promise<FetchReport> };
  /** absent: no daily settlement, and only the sweep begins further parts */
  settlements?: {
    settle(day: string, isAgain?: boolean): Promise<SettleReport>;
    noteGivenUp(day: string): Promise<void>;
    beginParts(ids: readonly string[]): Promise<void>;
  };
  /** starts batch items in Temporal; absent: none is started */
  items?: ItemFlows;
  /** tells the flow of the bill or number about a push's payment */
  tellOfPayment?: (promptId: string) => Promise<void>;
  submissionKeys: KeyRing;
  /** base address of docs/operations; absent: pages are only named */
  runbooksUrl?: string | undefined;
};

/** Workflows import only the types of these activities. */
export function createActivities(deps: ActivityDependencies) {
  const firstAttempts = createFirstAttempts(deps.delivery);
  const batches = createBatchActivities(deps);
  return {
    money: createMoneyActivities({ ...deps, firstAttempts }),
    batches: {
      ...batches,
      startItems: (run: Signed<BatchRun>) => beating((stop) => batches.startItems(run, stop)),
    },
    sends: createSendActivities(deps),
    waits: createChannelWaits(deps),
    enquiries: createEnquiryActivities(deps),
    callbacks: {
      ...createCallbackActivities(deps.delivery),
      ...createResultActivities({ database: deps.database, billConnections: deps.channels.billConnections }),
    },
    firstCallbacks: { deliverAtOnce: (eventId: string) => firstAttempts.make(eventId, 0) },
    sweep: {
      sweep: (known: Mark | null): Promise<SweepReport> => beating(() => deps.sweep.sweep(known)),
    },
    statements: {
      fetchStatements: (): Promise<FetchReport> =>
        beating(async (stop) => deps.statements?.fetch(stop) ?? { accounts: 0, lines: 0, fenced: false }),
    },
    settlements: {
      /** `at`: a time within the day that is settled */
      settleDaily: (at: string, isAgain?: boolean): Promise<SettleReport> =>
        beating(async () => deps.settlements?.settle(dayOf(new Date(at)), isAgain) ?? { started: 0 }),
      noteGivenUp: async (at: string): Promise<void> => deps.settlements?.noteGivenUp(dayOf(new Date(at))),
    },
  };
}

export type MoneyActivities = ReturnType<typeof createMoneyActivities>;
export type BatchActivities = ReturnType<typeof createBatchActivities>;
export type SendActivities = ReturnType<typeof createSendActivities>;
export type EnquiryActivities = ReturnType<typeof createEnquiryActivities>;
export type WaitActivities = ReturnType<typeof createChannelWaits>;
export type CallbackActivities = ReturnType<typeof createCallbackActivities>;
export type ResultActivities = ReturnType<typeof createResultActivities>;
export type FirstCallbackActivities = ReturnType<typeof createActivities>['firstCallbacks'];
export type SweepActivities = ReturnType<typeof createActivities>['sweep'];
export type SettlementActivities = ReturnType<typeof createActivities>['settlements'];
export type StatementActivities = ReturnType<typeof createActivities>['statements'];

/** `stop`: aborted when the worker must stop, or when nobody waits any more. */
async function beating<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  return work(context.cancellationSignal).finally(() => clearInterval(beat));
}

/** The first argument of each local activity is its subject. */
function createMoneyActivities({
  database,
  submissionKeys,
  runbooksUrl,
  tellOfPayment = async () => {},
  firstAttempts,
  settlements,
}: Pick<
  ActivityDependencies,
  'database' | 'submissionKeys' | 'runbooksUrl' | 'tellOfPayment' | 'settlements'
> & { firstAttempts: FirstAttempts }) {
  const inWords = (reason: AttentionReason) => needOf(reason, runbooksUrl);

  async function endInWords(id: string, cause: Cause, last?: Parameters<typeof tryToEnd>[3]): Promise<Ended> {
    const { needs, pays, ...ended } = await tryToEnd(database, id, cause, last);
    // Best effort: the sweep signals the payments that this misses.
    if (pays !== undefined && ended.status === 'completed')
      await inTime(tellOfPayment(id), TELL_MS, () => {}).catch(() => {});
    return {
      ...ended,
      ...(needs ? { needs: needs.map(inWords) } : {}),
      ...(ended.status === 'cancelled' ? { proof: signCancellation(submissionKeys, id) } : {}),
    };
  }

  return {
    accept: money(async (submission: SignedSubmission): Promise<Accepted> => {
      requireTrusted(submissionKeys, submission);
      const accepted = await accept(database, submission, ORIGINS);
      const [, ...others] = madeBy(submission, accepted);
      // Best effort: the sweep begins parts that have no flow.
      if (settlements && others.length > 0)
        await inTime(settlements.beginParts(others), TELL_MS, () => {}).catch(() => {});
      return signAccepted(submissionKeys, accepted);
    }),
    makeNumbers: money(async (wanted: Signed<NumbersRequest>): Promise<Signed<MadeNumbers>> => {
      if (!areSignedNumbers(submissionKeys, wanted))
        throw new UntrustedSubmission('these numbers do not carry the proof that the API wants them');
      return signNumbers(submissionKeys, await makeNumbers(database, wanted));
    }),
    startBatch: money(
      async (signed: Signed<BatchRun>, isLater?: boolean): Promise<BatchStart<Signed<BatchRun>>> => {
        requireTrustedBatch(submissionKeys, signed);
        const started = await startBatch(database, signed, isLater);
        if (started.kind !== 'running') return started;
        return { ...started, run: started.run && signBatch(submissionKeys, started.run) };
      },
    ),
    countBatch: money((run: Signed<BatchRun>): Promise<BatchProgress> => {
      requireTrustedBatch(submissionKeys, run);
      return countBatch(database, run);
    }),
    tryToEnd: money((id: string, cause: Cause) => endInWords(id, cause)),
    /** Ends a transaction and makes the first callback attempt. The end stands, even if the attempt fails. */
    endAndNotify: money(async (id: string, cause: Cause): Promise<Ended> => {
      const since = performance.now();
      let begun: Beginning | undefined;
      const ended = await endInWords(id, cause, async (db, { status, events: [eventId] }) => {
        const isNow = status !== 'pending' && firstAttempts.hasPlace(performance.now() - since);
        begun = eventId !== undefined && isNow ? await beginAttempt(db, { eventId, round: 0 }) : undefined;
      });
      const [eventId] = ended.events;
      if (eventId === undefined || ended.status === 'pending') return ended;
      const sent = begun && firstAttempts.make(eventId, performance.now() - since, begun);
      return { ...ended, first: (await sent?.catch(() => {})) ?? LATER };
    }),
    sentSoFar: money((id: string, input?: FlowInput): Promise<SentSoFar> => sentSoFar(database, id, input)),
    /** `not found` held long enough: the earlier sends no longer block a second one. */
    closeSends: money((id: string, upTo: number) =>
      closeSendsAsNotFound(database, { transactionId: id, upTo }),
    ),
    flagUnknownOutcome: money(async (id: string, detail: string): Promise<string> => {
      await flagUnknownOutcome(database, id, detail);
      return inWords('unknown_outcome');
    }),
  };

  function money<
    Rest extends unknown[],
    Result,
    Of extends string | SignedSubmission | Signed<NumbersRequest> | Signed<BatchRun>,
  >(work: (of: Of, ...rest: Rest) => Promise<Result>): (of: Of, ...rest: Rest) => Promise<Result> {
    return async (of, ...rest) => {
      try {
        if (typeof of === 'string') requireOwnWorkflow(of);
        return await work(of, ...rest);
      } catch (error) {
        // Temporal retries until an operator has restored the transaction.
        if (error instanceof TransactionMissing)
          await closeFence(
            database,
            `a workflow works on ${workflowIdOf(error.transactionId)}, which is not there`,
          );
        // Temporal retries until the migration has run; meanwhile a person is notified.
        if (isSchemaBehind(error)) await raiseSchemaBehind(database, error).catch(() => {});
        throw await toldFailure(database, error);
      }
    };
  }
}

async function flagUnknownOutcome(database: Database, transactionId: string, detail: string): Promise<void> {
  await inTransaction(database, async (db) => {
    // A transaction that ended meanwhile needs no entry.
    const transaction = await lockTransaction(db, transactionId);
    if (transaction && !isFinal(transaction.status))
      await raiseAttention(db, { transactionId, reason: 'unknown_outcome', detail });
  });
}
