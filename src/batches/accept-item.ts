import type { PayoutRequest } from '../domain/operation.ts';
import { itemOf } from '../domain/party.ts';
import { carveHold } from '../ledger/hold.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import { holdOf } from '../transactions/acceptance/record.ts';
import { insertItems } from './batch-drafts.ts';
import { takeHeld } from './batch-store.ts';

/** Takes an item's hold from its batch's hold. Writes nothing if the batch is closed, and returns false. */
export const carveItem: Origins['carve'] = async (db, row, { id, position }) => {
  const { transactionId, request, metadata } = row.submission;
  // TypeScript cannot know that only payouts are items. Insert the item: a restore may have lost its row.
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
