import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { purgeUses } from '../accounts/uses.ts';
import type { KeyRing } from '../base/key-ring.ts';
import { dropOldDrafts } from '../batches/batch-drafts.ts';
import { takeOpenBatches } from '../batches/batch-progress.ts';
import { heldRunOf, lockBatch } from '../batches/batch-store.ts';
import { takeBehind, takeUnattendedRounds, takeUndelivered } from '../callbacks/unattended.ts';
import { forgetResults } from '../channels/traffic/results.ts';
import type { Round } from '../domain/event.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { Mark } from '../domain/mark.ts';
import type { SweepReport } from '../domain/sweep-report.ts';
import type { Transaction } from '../domain/transaction.ts';
import { addUpEntries } from '../ledger/sums.ts';
import type { Database } from '../platform/db/pool.ts';
import { keepPartitions } from '../platform/db/retention.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import type { AccountInUse } from '../reconciliation/explain.ts';
import { flagControlNumbers } from '../transactions/acceptance/control-numbers.ts';
import { flagCertificates, type WatchedCertificate } from '../transactions/care/certificates.ts';
import { noteSwept, passFence } from '../transactions/care/fence.ts';
import { takeUnposted } from '../transactions/ending/owed-results.ts';
import { flagVolume, type VolumeAlarm } from '../transactions/ending/volume.ts';
import {
  flagOverdue,
  refuseAbandoned,
  takeUnattended,
  takeUnconfirmed,
  takeWithNews,
  unreadNews,
  unsignalledPayments,
} from '../transactions/rescue/orphans.ts';
import { signBatch } from '../transactions/rows/submission-mac.ts';
import {
  channelResult,
  startOfBatch,
  startOfReport,
  startOfRound,
  workflowTypes,
} from '../workflows/messages.ts';
import { startOfResumed } from '../workflows/start-flow.ts';
import { type Links, showAttention } from './attention.ts';
import { explainLines } from './explain-lines.ts';
import { signalPayment } from './signal-payment.ts';
import { closeUnstuck, flagIfStuck, flagStuckSubmissions } from './stuck.ts';
import { createTally, type Duty, outcomeOf, type Tally } from './sweep-tally.ts';

type SweepDeps = {
  database: Database;
  client: Client;
  unattendedAfterMs: number;
  /** sign the payments of bills that are signalled */
  submissionKeys: KeyRing;
  /** Temporal remembers how far Postgres has come (schedule.ts) */
  keepMark: (mark: Mark) => Promise<void>;
  volumeAlarms?: readonly VolumeAlarm[];
  certificates?: readonly WatchedCertificate[];
  /** whose lines may wait; left out: there are none */
  statementAccounts?: readonly AccountInUse[];
  /** of the control numbers whose space is watched */
  controlNumberPrefix?: string;
  /** of entries of the attention list; left out: none */
  links?: Links;
  /** counts duties that failed */
  observeFailure?: (duty: string) => void;
};

/** Wakes the flow of a transaction, or starts it again where it is gone. */
function createWaking({ database, client }: Pick<SweepDeps, 'database' | 'client'>) {
  /** It has news that its workflow does not know: signal it again, or resume it at once where the workflow is gone. */
  async function signalOrResume(id: string): Promise<'signalled' | 'resumed' | null> {
    if (await signal(client, id)) {
      await flagIfStuck({ database, client }, id);
      return 'signalled';
    }
    const transaction = await takeWithNews(database, id);
    return transaction && (await resumeTransaction(client, transaction)) ? 'resumed' : null;
  }

  /** One that runs although its next step is late may be unable to make it. */
  async function resumeOrFlag(transaction: Transaction): Promise<'resumed' | null> {
    if (await resumeTransaction(client, transaction)) return 'resumed';
    await flagIfStuck({ database, client }, transaction.id);
    return null;
  }

  /** A flow that runs does not know of an event that was made anew after a restore: it looks when it is signalled. */
  async function resumeById(id: string): Promise<'resumed' | null> {
    const transaction = await takeWithNews(database, id);
    const resumed = transaction && (await resumeOrFlag(transaction));
    if (transaction && resumed === null) await signal(client, id);
    return resumed;
  }

  return { signalOrResume, resumeOrFlag, resumeById };
}

/** So that nothing waits for luck: repeats lost signals, starts lost workflows again, answers abandoned keys. */
export function createSweep(deps: SweepDeps) {
  const { database, client, unattendedAfterMs, keepMark, controlNumberPrefix, volumeAlarms = [] } = deps;
  const { certificates = [], observeFailure = () => {}, links = { workflowUrl: () => null } } = deps;
  const newsAfterMs = Math.min(unattendedAfterMs, 10_000);

  const { signalOrResume, resumeOrFlag, resumeById } = createWaking(deps);

  /** Each is a few short transactions of its own. None stops another. */
  const duties: Record<string, Duty> = {
    'signal notifications and decisions': async (tally) =>
      tally.each(await unreadNews(database, newsAfterMs), signalOrResume),
    'signal payments of bills': (tally) =>
      tally.batches(
        () => unsignalledPayments(database, newsAfterMs),
        (one) => signalPayment(deps, one),
      ),
    'resume what is late': (tally) =>
      tally.batches(() => takeUnattended(database, unattendedAfterMs), resumeOrFlag),
    'confirm decisions': (tally) =>
      tally.batches(() => takeUnconfirmed(database, unattendedAfterMs), resumeOrFlag),
    'deliver what is late': (tally) =>
      tally.batches(() => takeUndelivered(database, unattendedAfterMs), resumeById),
    'look at events behind others': async (tally) =>
      tally.each(await takeBehind(database, unattendedAfterMs), resumeById),
    'start lost batches': async (tally) =>
      tally.each(await takeOpenBatches(database, unattendedAfterMs), async (id) =>
        (await resumeBatch(deps, id)) ? 'resumed' : null,
      ),
    'drop old drafts of batches': () => dropOldDrafts(database),
    'start lost resends': (tally) =>
      tally.batches(
        () => takeUnattendedRounds(database, unattendedAfterMs),
        async (round) => ((await startRound(client, round)) ? 'resent' : null),
      ),
    'report results that are owed': (tally) =>
      tally.batches(
        () => takeUnposted(database, unattendedAfterMs),
        async (id) => ((await startReport(client, id)) ? 'resent' : null),
      ),
    'flag what is overdue': async (tally) => tally.add('flagged', await flagOverdue(database)),
    'flag submissions that are stuck': async (tally) =>
      tally.add('flagged', await flagStuckSubmissions({ database, client }, unattendedAfterMs)),
    'close what is stuck no more': () => closeUnstuck({ database, client }),
    'flag unusual volume': async (tally) => tally.add('flagged', await flagVolume(database, volumeAlarms)),
    'flag certificates that end': () => flagCertificates(database, certificates, new Date()),
    'flag few control numbers': async () => {
      if (controlNumberPrefix !== undefined) await flagControlNumbers(database, controlNumberPrefix);
    },
    'answer abandoned keys': async (tally) => tally.add('refused', await refuseAbandoned(database)),
    'explain lines of statements': (tally) =>
      explainLines(database, deps.statementAccounts, toldOf(client, tally)),
    'forget old uses': () => purgeUses(database),
    'keep the partitions': () => keepPartitions(database),
    'forget old results of channels': () => forgetResults(database),
    'add up the ledger': () => addUpEntries(database),
    // Last: it asks Temporal most, and no money waits for it.
    'show the attention list in Temporal': (tally) => showAttention({ database, client, links }, tally.each),
  };

  return {
    /** by name, as they fail */
    duties: ['keep the mark', ...Object.keys(duties)],
    /** Only closes the fence where Postgres is behind what Temporal knows: what is missing must not be decided upon. */
    async sweep(known: Mark | null = null): Promise<SweepReport> {
      const tally = createTally();
      const mark = await passFence(database, known);
      if (mark === null) return { ...tally.report, fenced: true };
      const failed: unknown[] = [];
      for (const [name, duty] of Object.entries<Duty>({ 'keep the mark': () => keepMark(mark), ...duties })) {
        try {
          await duty(tally);
        } catch (error) {
          observeFailure(name);
          failed.push(new Error(`the sweep could not ${name}`, { cause: error }));
        }
      }
      if (failed.length === 0) await noteSwept(database);
      return outcomeOf(tally, failed);
    },
  };
}

const toldOf = (client: Client, tally: Tally) => ({
  explained: (count: number) => tally.add('explained', count),
  hint: (id: string) => signal(client, id, 'hint'),
});

/** False when the workflow is closed or lost. */
export async function signal(
  client: Client,
  transactionId: string,
  news: 'stored' | 'hint' = 'stored',
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowIdOf(transactionId)).signal(channelResult, news);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * Starts a transaction's workflow again, from what Postgres knows of it. False when one is running: the workflow id
 * allows one open run, so two can never work on one transaction.
 */
function resumeTransaction(client: Client, transaction: Transaction): Promise<boolean> {
  const { workflowType, ...start } = startOfResumed(transaction);
  const policies = { workflowIdReusePolicy: 'ALLOW_DUPLICATE', workflowIdConflictPolicy: 'FAIL' } as const;
  return startsNew(client.workflow.start(workflowType, { ...start, ...policies }));
}

/** Starts the flow of an open batch, where none is running. */
async function resumeBatch(
  { database, client, submissionKeys }: Pick<SweepDeps, 'database' | 'client' | 'submissionKeys'>,
  id: string,
): Promise<boolean> {
  const batch = await inTransaction(database, (db) => lockBatch(db, id));
  if (!batch || batch.finishedAt !== null) return false;
  const run = await heldRunOf(database, batch);
  const start = {
    ...startOfBatch(signBatch(submissionKeys, run)),
    workflowIdConflictPolicy: 'FAIL' as const,
  };
  return startsNew(client.workflow.start(workflowTypes.batch, start));
}

/** Starts a resend whose workflow is not there. False when it is: two never work on one round. */
export function startRound(client: Client, round: Round): Promise<boolean> {
  const start = { ...startOfRound(round), workflowIdConflictPolicy: 'FAIL' as const };
  return startsNew(client.workflow.start(workflowTypes.resendCallback, start));
}

function startReport(client: Client, id: string): Promise<boolean> {
  const start = { ...startOfReport(id), workflowIdConflictPolicy: 'FAIL' as const };
  return startsNew(client.workflow.start(workflowTypes.reportResult, start));
}

async function startsNew(starting: Promise<unknown>): Promise<boolean> {
  try {
    await starting;
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
