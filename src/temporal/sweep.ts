import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { takeUnattendedRounds } from '../callbacks/rounds.ts';
import type { Database } from '../db/pool.ts';
import { workAtOnce } from '../domain/at-once.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { Mark } from '../domain/mark.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import type { Transaction } from '../domain/transaction.ts';
import { submissionExpiredAnswer } from '../transactions/answers.ts';
import { flagControlNumbers } from '../transactions/control-numbers.ts';
import { purgeUses } from '../transactions/daily-uses.ts';
import { passFence } from '../transactions/fence.ts';
import {
  flagOverdue,
  refuseAbandoned,
  takeUnattended,
  unreadNews,
  unsignalledBills,
} from '../transactions/orphans.ts';
import { flagVolume, type VolumeAlarm } from '../transactions/volume.ts';
import { channelResult, type Round, startOfRound, workflowTypes } from '../workflows/messages.ts';
import { startOfResumed } from '../workflows/start-flow.ts';

export type Sweep = ReturnType<typeof createSweep>;

/** So that nothing waits for luck: repeats lost signals, starts lost workflows again, answers abandoned keys. */
export function createSweep(deps: {
  database: Database;
  client: Client;
  unattendedAfterMs: number;
  /** Temporal remembers how far Postgres has come (schedule.ts) */
  keepMark: (mark: Mark) => Promise<void>;
  volumeAlarms?: readonly VolumeAlarm[];
  /** of the control numbers whose space is watched */
  controlNumberPrefix?: string;
}) {
  const { database, client, unattendedAfterMs, keepMark, volumeAlarms = [], controlNumberPrefix } = deps;

  async function signal(transactionId: string): Promise<boolean> {
    try {
      await client.workflow.getHandle(workflowIdOf(transactionId)).signal(channelResult, 'stored');
      return true;
    } catch (error) {
      // Closed or lost: the transaction is pending, so the second half of the sweep starts it again.
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Of a payment that its workflow does not know yet. A final bill is nowhere else on the sweep's list. */
  async function tellOrResume(transaction: Transaction): Promise<boolean> {
    return (await signal(transaction.id)) || resumeTransaction(client, transaction);
  }

  return {
    /** Only closes the fence where Postgres is behind what Temporal knows: what is missing must not be decided upon. */
    async sweep(known: Mark | null = null): Promise<SweepReport> {
      const mark = await passFence(database, known);
      if (mark === null) return { signalled: 0, resumed: 0, resent: 0, flagged: 0, refused: 0, fenced: true };
      await keepMark(mark);
      const errors: unknown[] = [];
      const waiting = await unreadNews(database, Math.min(unattendedAfterMs, 10_000));
      const signalled = await countOf(waiting, signal, errors);
      const unsignalled = await unsignalledBills(database, Math.min(unattendedAfterMs, 10_000));
      const late = await countOf(unsignalled, tellOrResume, errors);
      const unattended = await takeUnattended(database, unattendedAfterMs);
      const resumed = await countOf(unattended, (one) => resumeTransaction(client, one), errors);
      const rounds = await takeUnattendedRounds(database, unattendedAfterMs);
      const resent = await countOf(rounds, (round) => startRound(client, round), errors);
      await purgeUses(database);
      if (controlNumberPrefix !== undefined) await flagControlNumbers(database, controlNumberPrefix);
      const flagged = (await flagOverdue(database)) + (await flagVolume(database, volumeAlarms));
      const refused = await refuseAbandoned(database, submissionExpiredAnswer);
      // One transaction that cannot be started must not keep the others waiting; but it must be seen.
      if (errors.length > 0)
        throw new AggregateError(errors, `${errors.length} transactions or callbacks could not be swept`);
      return { signalled: signalled + late, resumed, resent, flagged, refused, fenced: false };
    },
  };
}

/**
 * Starts a transaction's workflow again, from what Postgres knows of it. False when one is running: the workflow id
 * allows one open run, so two can never work on one transaction.
 */
export async function resumeTransaction(client: Client, transaction: Transaction): Promise<boolean> {
  const { workflowType, ...start } = startOfResumed(transaction);
  try {
    await client.workflow.start(workflowType, {
      ...start,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Starts a resend whose workflow is not there. False when it is: two never work on one round. */
export async function startRound(client: Client, round: Round): Promise<boolean> {
  try {
    const start = { ...startOfRound(round), workflowIdConflictPolicy: 'FAIL' as const };
    await client.workflow.start(workflowTypes.resendCallback, start);
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

async function countOf<T>(
  items: T[],
  work: (item: T) => Promise<boolean>,
  errors: unknown[],
): Promise<number> {
  let count = 0;
  await workAtOnce(items, async (item) => {
    try {
      if (await work(item)) count += 1;
    } catch (error) {
      errors.push(error);
    }
  });
  return count;
}
