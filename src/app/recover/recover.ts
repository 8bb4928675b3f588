import type { Client } from '@temporalio/client';
import { keepOwnFees } from '../../accounts/fees.ts';
import type { KeyRing } from '../../base/key-ring.ts';
import { carveItem } from '../../batches/accept-item.ts';
import { pauseBatches } from '../../batches/restore-batch.ts';
import { serialOf } from '../../domain/control-number.ts';
import type { FlowResult } from '../../domain/ending.ts';
import { isUuid, workflowIdOf } from '../../domain/ids.ts';
import { kinds, modes } from '../../domain/kinds.ts';
import type { Mark } from '../../domain/mark.ts';
import type { FlowInput, MoneyRequest, Signed, SignedSubmission } from '../../domain/operation.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Database } from '../../platform/db/pool.ts';
import { settlementOrigin } from '../../settlements/accept-settlement.ts';
import { skipControlNumbers } from '../../transactions/acceptance/control-numbers.ts';
import { breakOf, closeFence, fenceOf, liftFence, readMark } from '../../transactions/care/fence.ts';
import { findBillDecision, receiveBillPayment } from '../../transactions/ending/bills.ts';
import { tryToEnd } from '../../transactions/ending/end.ts';
import { controlNumberOf, madeBy, restoreAccepted } from '../../transactions/rescue/restore.ts';
import { BILLED_MODES } from '../../transactions/rows/columns.ts';
import {
  isProvenAccepted,
  isProvenCancellation,
  isSigned,
  provenBillPayment,
} from '../../transactions/rows/submission-mac.ts';
import { answerOf, inputOf, type PaymentSignal, paymentsOf, resultOf } from '../flow-history.ts';
import { gapOf, itemsOfGap } from '../gap.ts';
import { keepMark, readKnownMark } from '../schedule.ts';
import { bringBatchesBack } from './batches.ts';
import { bringNumberBack, bringNumbersBack } from './numbers.ts';
import { emptyReport, type RecoverReport } from './report.ts';

const ORIGINS = { carve: carveItem, settlement: settlementOrigin };
const LOOKED_UP_AT_ONCE = 500;

/**
 * Restores from Temporal's histories what Postgres lost, skips all control numbers that were given out, and
 * lifts the fence once nothing is missing. Idempotent until then. `isDry` changes nothing. Throws, with the
 * fence closed, if Temporal or Postgres is unavailable.
 */
export async function recover(deps: {
  database: Database;
  client: Client;
  submissionKeys: KeyRing;
  actor: string;
  isDry: boolean;
  /** two operators agreed to lift the fence with this much missing; null: nothing may be missing */
  agreed: Agreed | null;
}): Promise<RecoverReport> {
  const { database, client, isDry } = deps;
  const known = await readKnownMark(client);
  const reason = (await fenceOf(database)) ?? breakOf(known, await readMark(database));
  const report = emptyReport(reason);
  if (reason === null) return report;
  if (!isDry) await closeFence(database, reason);

  report.problems.push(...(await gapOf(database, client)));
  const remembered = await rememberedRuns(client);
  report.workflows = remembered.size;
  // Anyone who can write to Temporal can start a workflow under any name: report strange ones, do no more.
  const strange = [...remembered.keys()].filter((id) => !isUuid(id));
  report.problems.push(...strange.map((id) => `${id}: this workflow belongs to no transaction`));
  const ours = [...remembered.keys()].filter(isUuid);
  const brought = new Set<string>();
  let serial = Math.max(known?.serial ?? 0, await bringNumbersBack(deps, report));
  // Batches come before their items, whose holds are taken out of the batch's hold.
  for (const id of await bringBatchesBack(deps, report)) brought.add(id);
  for (const ids of inBatches(ours, LOOKED_UP_AT_ONCE)) {
    const rows = await rowsOf(database, ids);
    for (const id of ids) {
      try {
        serial = Math.max(
          serial,
          await bringBack(deps, {
            id,
            runs: remembered.get(id) ?? [],
            row: rows.get(id),
            report,
            brought,
          }),
        );
      } catch (error) {
        report.problems.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  report.pending = await countPending(database);
  report.suspense.push(...(await itemsOfGap(database)));
  if (!isDry) await finish(deps, { known, serial, report });
  return report;
}

/** Counts everything that may be missing: further payments could spend that money twice. */
export function missingIn({ uncovered, account_unknown, problems }: RecoverReport): number {
  return uncovered + account_unknown + problems.length;
}

export type Agreed = { proposal: string; missing: number };

type Run = { runId: string; isOpen: boolean; startedAt: number };

/** Returns each transaction's runs, oldest first. A refund comes after its payment. */
async function rememberedRuns(client: Client): Promise<Map<string, Run[]>> {
  const types = [...new Set(modes.map((mode) => kinds[mode].flow))].map((name) => `'${name}'`);
  const found = new Map<string, Run[]>();
  for await (const { workflowId, runId, status, startTime } of client.workflow.list({
    query: `WorkflowType IN (${types.join(', ')})`,
  })) {
    const id = workflowId.replace(/^transaction\//, '');
    const run = { runId, isOpen: status.name === 'RUNNING', startedAt: startTime.getTime() };
    found.set(
      id,
      [...(found.get(id) ?? []), run].sort((a, b) => a.startedAt - b.startedAt),
    );
  }
  const startOf = ([, runs]: [string, Run[]]) => runs[0]?.startedAt ?? 0;
  return new Map([...found].sort((a, b) => startOf(a) - startOf(b)));
}

type Remembered = {
  id: string;
  runs: Run[];
  row: Row | undefined;
  report: RecoverReport;
  /** transactions restored by this run, or given a payment; a dry run has undone that */
  brought: Set<string>;
};

/** Works in one transaction. Returns the serial of the control number, or 0. */
async function bringBack(
  deps: { database: Database; client: Client; submissionKeys: KeyRing; isDry: boolean },
  { id, runs, row, report, brought }: Remembered,
): Promise<number> {
  const { database, client, isDry } = deps;
  if (row?.isOver) return 0;
  const status = row?.status;
  let serial = 0;
  for (const run of runs) {
    const workflowId = workflowIdOf(id);
    const { events } = await client.workflow.getHandle(workflowId, run.runId).fetchHistory();
    const history = { workflowId, events: events ?? [] };
    const input = await inputOf(client, history);
    if (input?.submission) {
      const { transactionId, timing, submission } = input;
      const accepted = await answerOf(client, history);
      // Nothing was answered or sent. The running workflow accepts it once the fence is lifted.
      if (!accepted && run.isOpen && status === undefined) report.unanswered += 1;
      if (!accepted?.mine) continue;
      const whole: SignedSubmission = { ...submission, transactionId, timing };
      if (transactionId !== id || !isSigned(deps.submissionKeys, whole))
        throw new Error('its submission does not carry the proof that the API made it');
      if (!isProvenAccepted(deps.submissionKeys, whole, accepted))
        throw new Error('its history does not carry the proof that a worker of ours accepted it so');
      const { request } = submission;
      if ('controlNumberPrefix' in request)
        serial = serialOf(request.controlNumberPrefix, controlNumberOf(accepted));
      if (status === undefined) {
        // A dry run has undone its batch or payment, so only the real run checks acceptance and balance.
        const isItem = submission.batch !== undefined && brought.has(submission.batch.id);
        const restored = isDry && (isItem || isRefundOf(request, brought));
        const answered = { submission: whole, accepted, isDry };
        report[restored ? 'restored' : await restoreAccepted(database, answered, ORIGINS)] += 1;
        for (const one of madeBy(whole, accepted)) brought.add(one);
      }
    }
    for (const signed of await paymentsOf(client, history)) {
      if (await takeAgain(deps, { id, signed, report })) brought.add(id);
    }
    // Only Postgres had its facts: it is a payback, or older than Temporal's memory. It may have been paid.
    if (!input?.submission && status === undefined && !brought.has(id))
      throw new Error(
        `its data is lost, and it may have been paid${saidOf(input)}: ` +
          "it is a payback, or it is older than Temporal's memory",
      );
    const end = (await resultOf(client, history)) as Partial<FlowResult> | undefined;
    if (end?.status !== 'cancelled' || (status ?? 'pending') !== 'pending') continue;
    // A cancellation releases the hold of a payout that may be paid, so it needs a valid MAC.
    if (!isProvenCancellation(deps.submissionKeys, id, end.proof))
      report.problems.push(`${id}: its cancellation does not carry the proof that Postgres decided it`);
    else if (isDry || (await tryToEnd(database, id, { kind: 'cancelled_before' })).status === 'cancelled')
      report.cancelled += 1;
  }
  return serial;
}

function saidOf(input: FlowInput | undefined): string {
  const about = input?.about;
  return about === undefined ? '' : ` (its workflow says ${about.money}, ${about.party})`;
}

/**
 * Restores one payment of a bill, as the notification's process signed it. Returns whether it was accepted.
 */
async function takeAgain(
  { database, submissionKeys, isDry }: { database: Database; submissionKeys: KeyRing; isDry: boolean },
  { id, signed, report }: { id: string; signed: Signed<PaymentSignal>; report: RecoverReport },
): Promise<boolean> {
  const payment = provenBillPayment(submissionKeys, id, signed);
  if (!payment) {
    report.problems.push(`${id}: a payment in its signals does not carry the proof that the API took it`);
    return false;
  }
  const { channel, connection, receipt, msisdn } = payment;
  const known = await findBillDecision(database, { channel, connection, name: receipt, msisdn });
  const { number, ownFees } = payment;
  if (number) await bringNumberBack({ database, isDry }, number, report);
  if (number && ownFees && !isDry) await keepOwnFees(database, number.accountId, ownFees);
  const decision = isDry ? known : await receiveBillPayment(database, payment, { wasAccepted: true });
  // While the fence was closed and the bill missing, the network reported it again. It may have returned the
  // money.
  if (decision?.outcome === 'refused')
    report.problems.push(
      `${id}: its payment ${channel}:${receipt} was accepted before the restore, ` +
        `and refused after it (${decision.reason})`,
    );
  else if (known === null) report[decision?.outcome === 'suspended' ? 'suspended' : 'billPayments'] += 1;
  return true;
}

function isRefundOf(request: MoneyRequest, payments: ReadonlySet<string>): boolean {
  return 'refundOf' in request && payments.has(request.refundOf);
}

type Row = { status: string; isOver: boolean };

/**
 * An ended transaction is over, except a bill that ended after the restore or in the day before the fence
 * closed: the copy may miss its earlier payment, and another customer may have paid.
 */
async function rowsOf(database: Database, ids: string[]): Promise<Map<string, Row>> {
  const { rows } = await database.query(
    `SELECT id, status, status <> 'pending' AND NOT (mode IN (${BILLED_MODES})
       AND status_at > (SELECT coalesce(closed_at, now()) FROM fence) - interval '1 day') AS "isOver"
     /* never null: isOver */
     FROM transactions WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

async function countPending(database: Database): Promise<number> {
  const { rows } = await database.query(
    `SELECT count(*)::int AS n FROM transactions
     WHERE status = 'pending' AND mode NOT IN (${BILLED_MODES})`,
  );
  return rows[0].n;
}

async function finish(
  deps: { database: Database; client: Client; actor: string; agreed: Agreed | null },
  { known, serial, report }: { known: Mark | null; serial: number; report: RecoverReport },
): Promise<void> {
  const { database, client, actor, agreed } = deps;
  const missing = missingIn(report);
  report.isLifted = missing <= (agreed?.missing ?? 0);
  if (report.isLifted) await skipControlNumbers(database, serial);
  if (report.isLifted) await pauseBatches(database);
  const { problems, suspense, isLifted, ...counts } = report;
  const detail = {
    ...counts,
    problems: problems.length,
    in_suspense: suspense.length,
    lifted: isLifted,
    lifted_anyway: isLifted && missing > 0,
    ...(agreed === null ? {} : { proposal: agreed.proposal }),
  };
  await audit(database, { actor, action: 'recover', subject: 'postgres', detail });
  if (isLifted) await keepMark(client, await liftFence(database, known));
}

function* inBatches<T>(items: T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
