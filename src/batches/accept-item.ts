import type { ItemOfBatch } from '../domain/batch.ts';
import { InsufficientFunds } from '../domain/errors.ts';
import { channelReferenceOf } from '../domain/ids.ts';
import type { PayoutRequest, Submission } from '../domain/operation.ts';
import { itemOf } from '../domain/party.ts';
import { balanceOf } from '../ledger/accounts.ts';
import { carveHold } from '../ledger/hold.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { setSavepoint } from '../transactions/acceptance/accept-held.ts';
import { payoutAnswer, submissionExpiredAnswer } from '../transactions/acceptance/answers.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import {
  answerOfWinner,
  columnsOfParty,
  insertTransaction,
  notStored,
  type PendingRow,
  pendingRowOf,
  storeAccepted,
} from '../transactions/acceptance/submissions.ts';
import { insertItems } from './batch-drafts.ts';
import { takeHeld } from './batch-store.ts';

/**
 * An item of a batch: its hold is carved from the batch's, by the fee that the batch was started with. Limits and twins were
 * looked at when the batch started. Where the batch takes no more items nothing is kept: the item has not left.
 */
const acceptItem: Origins['item']['accept'] = async (db, submission, batch) => {
  const row = rowOfItem(submission, batch);
  await setSavepoint(db);
  if (!(await insertTransaction(db, row))) return answerOfWinner(db, submission);
  if (!(await carve(db, row, batch))) {
    await db.query('ROLLBACK TO SAVEPOINT before_hold');
    return notStored(submission, submissionExpiredAnswer(submission));
  }
  const { accountId, request } = submission;
  const balance = await balanceOf(db, accountId, request.currency);
  return storeAccepted(db, row, payoutAnswer(submission, { fee: row.fee, ...balance }));
};

/** The row of an item's payout, as it is inserted the first time and after a restore. */
function rowOfItem(submission: Submission<PayoutRequest>, batch: ItemOfBatch) {
  const { request, transactionId } = submission;
  const row = pendingRowOf(submission, {
    amount: request.amount,
    reference: channelReferenceOf('payout', transactionId),
    ...columnsOfParty(request, null),
    fee: batch.fee,
    version: batch.feeVersion,
  });
  return { ...row, submission };
}

/** Its hold, and its row among the items of its batch. False where the batch takes no more items. */
async function carve(
  db: Queryable,
  row: PendingRow & { submission: Submission<PayoutRequest> },
  batch: ItemOfBatch,
): Promise<boolean> {
  await keepItem(db, row.submission, batch);
  const { transactionId, accountId, request } = row.submission;
  const { currency, channel } = request;
  const { reference, amount: value, fee } = row;
  if (!(await takeHeld(db, batch.id, value + fee))) return false;
  await carveHold(db, { transactionId, accountId, currency, channel, reference, value, fee }, batch.id);
  return true;
}

/** The row of an item, where a restore has lost it: its payout is what says that it is one. */
async function keepItem(
  db: Queryable,
  { transactionId, accountId, request, metadata }: Submission<PayoutRequest>,
  { id, position }: ItemOfBatch,
): Promise<void> {
  const item = { ...itemOf(request), position, transactionId, reference: null, metadata, cells: null };
  await insertItems(db, { id, accountId, currency: request.currency }, [item]);
}

/** Its batch came back before it, with its hold, and was counted whole. */
const restoreItem: Origins['item']['restore'] = async (db, submission, batch) => {
  const row = rowOfItem(submission, batch);
  if (!(await insertTransaction(db, row))) return false;
  if (!(await carve(db, row, batch))) throw new InsufficientFunds();
  return true;
};

export const itemOrigin: Origins['item'] = { accept: acceptItem, restore: restoreItem };
