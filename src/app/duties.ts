import type { Client } from '@temporalio/client';
import { purgeUses } from '../accounts/uses.ts';
import type { KeyRing } from '../base/key-ring.ts';
import { dropOldDrafts } from '../batches/batch-drafts.ts';
import { takeOpenBatches } from '../batches/batch-progress.ts';
import { takeBehind, takeUnattendedRounds, takeUndelivered } from '../callbacks/unattended.ts';
import { forgetResults } from '../channels/traffic/results.ts';
import { addUpEntries } from '../ledger/sums.ts';
import type { Database } from '../platform/db/pool.ts';
import { keepPartitions } from '../platform/db/retention.ts';
import type { AccountInUse } from '../reconciliation/explain.ts';
import { flagControlNumbers } from '../transactions/acceptance/control-numbers.ts';
import { flagCertificates, type WatchedCertificate } from '../transactions/care/certificates.ts';
import { takeUnposted } from '../transactions/ending/owed-results.ts';
import { flagVolume, type VolumeAlarm } from '../transactions/ending/volume.ts';
import {
  flagOverdue,
  refuseAbandoned,
  takeUnattended,
  takeUnconfirmed,
  unreadNews,
  unsignalledPayments,
} from '../transactions/rescue/orphans.ts';
import { type Links, showAttention } from './attention.ts';
import { explainLines } from './explain-lines.ts';
import { signalPayment } from './signal-payment.ts';
import { closeUnstuck, flagStuckSubmissions } from './stuck.ts';
import type { Count, Done, Tally } from './sweep-tally.ts';
import {
  resumeBatch,
  resumeById,
  resumeOrFlag,
  signal,
  signalOrResume,
  startReport,
  startRound,
} from './waking.ts';

export type Needs = {
  database: Database;
  client: Client;
  /** younger transactions are skipped: their flow may just be starting */
  lateMs: number;
  /** the same for transactions with news: a lost signal is noticed sooner */
  newsMs: number;
  submissionKeys: KeyRing;
  volumeAlarms: readonly VolumeAlarm[];
  certificates: readonly WatchedCertificate[];
  statementAccounts: readonly AccountInUse[];
  controlNumberPrefix: string | undefined;
  links: Links;
};

/** A sweep performs each duty in a few short transactions. The name appears in errors. */
export type Duty = { name: string; perform: (needs: Needs, tally: Tally) => Promise<void> };

function once<Item>(name: string, after: After, take: Take<Item>, work: Work<Item>): Duty {
  return {
    name,
    perform: async (needs, tally) =>
      tally.each(await take(needs.database, needs[after]), (item) => work(needs, item)),
  };
}

function whileFull<Item>(name: string, after: After, take: Take<Item>, work: Work<Item>): Duty {
  return {
    name,
    perform: (needs, tally) =>
      tally.batches(
        () => take(needs.database, needs[after]),
        (item) => work(needs, item),
      ),
  };
}

type After = 'newsMs' | 'lateMs';
type Take<Item> = (database: Database, ms: number) => Promise<Item[]>;
type Work<Item> = (needs: Needs, item: Item) => Promise<Done>;

function counted(name: string, count: Count, work: (needs: Needs) => Promise<number>): Duty {
  return { name, perform: async (needs, tally) => tally.add(count, await work(needs)) };
}

function always(name: string, perform: Duty['perform']): Duty {
  return { name, perform };
}

export const duties: readonly Duty[] = [
  once('signal notifications and decisions', 'newsMs', unreadNews, signalOrResume),
  whileFull('signal payments of bills', 'newsMs', unsignalledPayments, signalPayment),
  whileFull('resume what is late', 'lateMs', takeUnattended, resumeOrFlag),
  whileFull('confirm decisions', 'lateMs', takeUnconfirmed, resumeOrFlag),
  whileFull('deliver what is late', 'lateMs', takeUndelivered, resumeById),
  once('look at events behind others', 'lateMs', takeBehind, resumeById),
  once('start lost batches', 'lateMs', takeOpenBatches, resumeBatch),
  always('drop old drafts of batches', ({ database }) => dropOldDrafts(database)),
  whileFull('start lost resends', 'lateMs', takeUnattendedRounds, async ({ client }, round) =>
    (await startRound(client, round)) ? 'resent' : null,
  ),
  whileFull('report results that are owed', 'lateMs', takeUnposted, startReport),
  counted('flag what is overdue', 'flagged', ({ database }) => flagOverdue(database)),
  counted('flag submissions that are stuck', 'flagged', (needs) => flagStuckSubmissions(needs, needs.lateMs)),
  always('close what is stuck no more', closeUnstuck),
  counted('flag unusual volume', 'flagged', (needs) => flagVolume(needs.database, needs.volumeAlarms)),
  always('flag certificates that end', ({ database, certificates }) =>
    flagCertificates(database, certificates, new Date()),
  ),
  always('flag few control numbers', async ({ database, controlNumberPrefix: prefix }) => {
    if (prefix !== undefined) await flagControlNumbers(database, prefix);
  }),
  counted('answer abandoned keys', 'refused', ({ database }) => refuseAbandoned(database)),
  always('explain lines of statements', ({ database, client, statementAccounts }, tally) =>
    explainLines(database, statementAccounts, {
      explained: (count) => tally.add('explained', count),
      hint: (id) => signal(client, id, 'hint'),
    }),
  ),
  always('forget old uses', ({ database }) => purgeUses(database)),
  always('keep the partitions', ({ database }) => keepPartitions(database)),
  always('forget old results of channels', ({ database }) => forgetResults(database)),
  always('add up the ledger', ({ database }) => addUpEntries(database)),
  // It is last because it calls Temporal most, and no money waits for it.
  always('show the attention list in Temporal', (needs, tally) => showAttention(needs, tally.each)),
];
