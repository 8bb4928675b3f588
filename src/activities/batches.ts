import { setTimeout as pause } from 'node:timers/promises';
import type { KeyRing } from '../base/key-ring.ts';
import { roundOf } from '../batches/batch-progress.ts';
import { nextSubmissions, noteBegun, runs } from '../batches/batch-slices.ts';
import type { BatchRun } from '../domain/batch.ts';
import type { Round } from '../domain/event.ts';
import type { PayoutRequest, Signed, SignedSubmission, Submission } from '../domain/operation.ts';
import type { Database } from '../platform/db/pool.ts';
import { storedFor } from '../transactions/acceptance/record.ts';
import { closeFence } from '../transactions/care/fence.ts';
import { signSubmission } from '../transactions/rows/submission-mac.ts';
import { requireTrustedBatch } from './own-workflow.ts';
import { toldFailure } from './told-failure.ts';

/** A started item has one of these states. `lost`: its flow has ended, but Postgres does not know the end. */
export type BegunItem = 'begun' | 'lost';

export type ItemFlows = {
  begin(submission: SignedSubmission): Promise<BegunItem>;
  tell(round: Round): Promise<unknown>;
};

/**
 * A batch is not urgent. After each start, all batches in this process pause for `times` × the duration of
 * that start. Starts are slower under load, so batches leave room for urgent requests, and take turns.
 */
const PAUSE = { times: 8, mostMs: 2_000 };

export function createTurns() {
  let free: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    let since = 0;
    const turn = free.then(() => {
      since = performance.now();
      return work();
    });
    // A start that hangs delays the next ones no longer than a pause.
    const over = free.then(() => Promise.race([turn.catch(() => {}), pause(PAUSE.mostMs)]));
    free = over.then(() => pause(Math.min(PAUSE.mostMs, PAUSE.times * (performance.now() - since))));
    return turn;
  };
}

/** Starts the workflows of a batch's items and callback. Everything else is in Postgres. */
export function createBatchActivities({
  database,
  submissionKeys,
  items,
}: {
  database: Database;
  submissionKeys: KeyRing;
  items?: ItemFlows | undefined;
}) {
  const inTurn = createTurns();
  return {
    /** Returns how many it started; 0 while the batch is paused. The next run continues after a crash. */
    async startItems(run: Signed<BatchRun>, stop?: AbortSignal): Promise<number> {
      try {
        requireTrustedBatch(submissionKeys, run);
        const submissions = items ? await nextSubmissions(database, run) : [];
        const begun: string[] = [];
        const begin = async (submission: Submission<PayoutRequest>) => {
          const { transactionId } = submission;
          const became = await items?.begin(signSubmission(submissionKeys, submission));
          // The flow of an earlier attempt may have been accepted and ended since the slice was read.
          if (became === 'lost' && !(await storedFor(database, submission)))
            await closeFence(database, `Temporal knows the end of item ${transactionId}: Postgres lacks it`);
          else begun.push(transactionId);
        };
        try {
          for (const submission of submissions) {
            if (stop?.aborted || !(await runs(database, run))) break;
            await inTurn(() => begin(submission));
          }
        } finally {
          await noteBegun(database, run, begun);
        }
        return begun.length;
      } catch (error) {
        throw await toldFailure(database, error);
      }
    },
    /** The sweep also starts a missing round. */
    async tellOfBatch(eventId: string): Promise<void> {
      const round = await roundOf(database, eventId);
      if (round) await items?.tell(round);
    },
  };
}
