import type { PayoutRequest } from '../domain/operation.ts';
import { itemOf } from '../domain/party.ts';
import { carveHold } from '../ledger/hold.ts';
import type { Origins } from '../transactions/acceptance/origin.ts';
import { holdOf } from '../transactions/acceptance/record.ts';
import { insertItems } from './batch-drafts.ts';
import { takeHeld } from './batch-store.ts';

/** Carves an item's hold from its batch's, by the batch's fee; keeps nothing if it takes no more items. */
export const carveItem: Origins['carve'] = async (db, row, { id, position }) => {
  const { transactionId, request, metadata } = row.submission;
  // The compiler does not see that only payouts are items. Where a restore has lost the row of an item, its payout is what says that it is one.
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
