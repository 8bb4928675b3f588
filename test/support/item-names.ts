import { addNames, movementOfItem } from '../../src/ledger/booked.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { Database } from './queryable.ts';

/** The receipt that the movement of an item got since, as a column of a query on `suspense_items`. */
export const KNOWN_AS = `(SELECT n.name FROM entries e JOIN movement_names n ON n.movement_id = e.movement_id AND n.is_receipt AND n.freed_at IS NULL
  WHERE e.transfer_id = suspense_items.transfer_id AND NOT e.takes_back AND n.plain <> plain_name(receipt) ORDER BY n.id LIMIT 1) AS known_as`;

/** Its channel names an item. */
export async function nameItem(database: Database, item: string, name: string): Promise<void> {
  await inTransaction(database, async (db) => {
    const movement = await movementOfItem(db, item);
    if (movement === null) throw new Error(`the item ${item} is of no movement`);
    await addNames(db, [{ movement: movement.id, name, line: null }]);
  });
}
