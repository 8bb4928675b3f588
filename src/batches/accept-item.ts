import type { PayoutRequest } from '../domain/operation.ts';
import { itemOf } from '../domain/party.ts';
import { carveHold } from '../ledger/hold.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import { holdOf } from '../transactions/acceptance/record.ts';
import { insertItems } from './batch-drafts.ts';
import { takeHeld } from './batch-store.ts';

/** Moves an item's hold out of its batch's, with the batch's fee. Keeps nothing if the batch is closed. */
export const carveItem: Origins['carve'] = async (db, row, { id, position }) => {
  const { transactionId, request, metadata } = row.submission;
  // TypeScript cannot know that only payouts are items. If a restore lost the item's row, its payout proves
  // the item.
  const item = {
    ...itemOf(request as PayoutRequest),
    position,
    transactionId,
    reference: null,
    metadata,
    cells: null,
  };
  const itemsHash = await takeHeld(db, id, row.amount + row.fee);
  if (itemsHash === null) return false;
  await insertItems(db, { id, itemsHash }, [item]);
  await carveHold(db, holdOf(row), id);
  return true;
};
