import { refusalByKeys } from '../accounts/batches.ts';
import { type BatchRefusal, type BatchRun, type BatchStart, storeMessage } from '../domain/batch.ts';
import { InsufficientFunds } from '../domain/errors.ts';
import { type Message, say } from '../domain/messages.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { balanceOf } from '../ledger/accounts.ts';
import { placeBatchHold } from '../ledger/hold.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { tellUnproven } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { inTransaction } from '../platform/db/transaction.ts';
import { noteRecipients } from '../transactions/acceptance/limits.ts';
import { requireOpenFence } from '../transactions/care/fence.ts';
import { countBatch, feesNow, problemsOfItems } from './batch-checks.ts';
import {
  allItemsOf,
  type BatchNow,
  cancelFor,
  findBatch,
  heldRunOf,
  isRestoredDraft,
  lockBatch,
  setFees,
  setHeld,
  signStart,
} from './batch-store.ts';
import { hashOfItems } from './items-hash.ts';

/**
 * Starts a batch: checks everything again (keys, account, fees, limits, items), counts it against the limits,
 * and holds all its money, or none. A later start time only schedules it, without a hold. A repeated or
 * concurrent call changes nothing and returns the state. `isLater`: it was scheduled before. A batch that a
 * restore made a draft starts only by a new request.
 */
export function startBatch(database: Database, run: BatchRun, isLater = false): Promise<BatchStart> {
  return inTransaction(database, async (db) => {
    await requireOpenFence(db);
    const batch = await lockBatch(db, run.batchId);
    // The draft was dropped, or commits were lost. Either way no money is held, and none leaves.
    if (!batch) return { kind: 'closed' } as const;
    switch (batch.status) {
      case 'running':
      case 'paused':
        return goesOn(db, batch);
      case 'finished':
        return { kind: 'closed' } as const;
      case 'cancelled':
        if (batch.finishedAt !== null) return { kind: 'closed' } as const;
        return goesOn(db, batch);
      case 'draft':
      case 'scheduled':
        if ((isLater && batch.status === 'draft') || (isRestoredDraft(batch) && !run.again))
          return { kind: 'closed' } as const;
        return startNow(db, batch, run);
    }
  });
}

const UNHELD = { kind: 'running', run: null } as const;

async function goesOn(db: Queryable, { id, accountId }: BatchNow): Promise<BatchStart> {
  const batch = await findBatch(db, { id, accountId });
  const run = batch && (await heldRunOf(db, batch));
  if (!run) return { kind: 'closed' };
  // The workflow must still end a batch that holds nothing.
  return run.start ? { kind: 'running', run } : UNHELD;
}

async function startNow(db: Queryable, batch: BatchNow, run: BatchRun): Promise<BatchStart> {
  if (batch.itemsHash !== run.itemsHash || batch.errors.length > 0)
    return refused({ code: 'items_changed', message: say('batch_items_changed') });
  // Hash the rows again: they must be those that the approver read.
  if ((await hashOfItems(await allItemsOf(db, batch.id))) !== run.itemsHash) {
    await tellUnproven(db, 'batches', batch.id);
    return notStarted(db, batch, { code: 'items_changed', message: say('batch_items_changed') });
  }
  const { accountId, apiKeyId: maker } = batch;
  const byKeys = await refusalByKeys(db, { accountId, maker, starter: run.startedBy });
  if (byKeys) return notStarted(db, batch, { code: 'forbidden', message: byKeys });
  const { rows } = await db.query(
    `SELECT now() AS now, coalesce($1::timestamptz > now(), false) AS "isEarly"
     /* never null: now, isEarly */`,
    [run.startAt],
  );
  const { now, isEarly } = only(rows);
  const price = await feesNow(db, batch);
  // Compare with `run`, which the approver saw: a refusal changes the batch's fees, and a retry would pass.
  if (price.fees > run.fees) {
    const first = dearer(run, price.fees);
    if (batch.status !== 'draft') return notStarted(db, batch, { code: 'items_changed', message: first });
    await setFees(db, batch.id, price);
    return refused({
      code: 'items_changed',
      message: say('two_sentences', { first, second: say('batch_start_again') }),
    });
  }
  if (isEarly && run.startAt !== null) {
    await writeStart(db, run, 'scheduled');
    await signStart(db, batch.id);
    return { kind: 'scheduled', startAt: run.startAt };
  }
  await db.query('SAVEPOINT before_hold');
  const refusal = await hold(db, batch, { run, now, price });
  if (!refusal) {
    await signStart(db, batch.id);
    return goesOn(db, batch);
  }
  await db.query('ROLLBACK TO SAVEPOINT before_hold');
  await noteRecipients(db, batch);
  return notStarted(db, batch, refusal);
}

/** A draft stays a draft. Nobody waits for a scheduled batch's answer: `batch.finished` reports its end. */
async function notStarted(db: Queryable, { id, status }: BatchNow, refusal: Refusal): Promise<BatchStart> {
  if (status === 'draft') return refused(refusal);
  await cancelFor(db, id, refusal.message);
  return UNHELD;
}

function dearer({ fees, currency }: BatchRun, now: Minor): Message {
  return say('batch_dearer', { now: formatMoney(now), before: formatMoney(fees), currency });
}

async function hold(
  db: Queryable,
  batch: BatchNow,
  { run, now, price }: { run: BatchRun; now: string; price: { fees: Minor; version: string } },
): Promise<Refusal | null> {
  await writeStart(db, run, 'running');
  const exceeded = await countBatch(db, batch, now);
  if (exceeded) return { code: 'limit_exceeded', message: exceeded };
  // The lock on the account's day keeps two batches with the same items from starting at once.
  const [problem] = await problemsOfItems(db, batch);
  if (problem) {
    const { row, field, message } = problem;
    const code = isTwin(message) ? 'duplicate_suspected' : 'limit_exceeded';
    return { code, message: say('row_wrong', { row, field, problem: message }) };
  }
  const { id: batchId, accountId, currency, batchNumber: reference, amount: value } = batch;
  const { fees: fee } = price;
  try {
    await db.query('SAVEPOINT before_money');
    await setFees(db, batchId, price);
    await setHeld(db, batchId, value + fee);
    await placeBatchHold(db, { batchId, accountId, currency, reference, value, fee });
    return null;
  } catch (error) {
    if (!(error instanceof InsufficientFunds)) throw error;
    await db.query('ROLLBACK TO SAVEPOINT before_money');
    const { current } = await balanceOf(db, accountId, currency);
    const [total, available] = [formatMoney(minor(value + fee)), formatMoney(current)];
    const missing = formatMoney(minor(value + fee - current));
    const message = say('batch_not_covered', { total, available, missing, currency });
    return { code: 'insufficient_balance', message };
  }
}

type Refusal = { code: BatchRefusal['code']; message: Message };

const refused = ({ code, message }: Refusal): BatchStart => ({
  kind: 'refused',
  refusal: { code, message: storeMessage(message) },
});

const isTwin = ({ id }: Message) => id.startsWith('is_twin_');

async function writeStart(db: Queryable, run: BatchRun, status: 'scheduled' | 'running'): Promise<void> {
  await db.query(
    `UPDATE batches
     SET status = $2, status_reason = NULL, started_by = $3, routes = $4, start_at = $5, updated_at = now(),
       due_at = now(), started_at = CASE WHEN $2 = 'running' THEN now() END WHERE id = $1`,
    [run.batchId, status, run.startedBy, run.routes, run.startAt],
  );
}
