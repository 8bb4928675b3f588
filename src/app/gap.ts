import type { Client } from '@temporalio/client';
import { formatMoney, minor } from '../domain/money.ts';
import type { Database } from '../platform/db/pool.ts';
import { memoryStart } from './retention.ts';

/** What happened between the end of a copy and now that no workflow tells. */

/**
 * What was accepted after the copy ends and forgotten by Temporal since is in neither: payouts that left would be money
 * again, and their keys free. The copy ends with its last sweep.
 */
export async function gapOf(database: Database, client: Client): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT CASE WHEN progress > 0 THEN swept_at END AS "endsAt" FROM fence',
  );
  const { endsAt } = rows[0] as { endsAt: string | null };
  const since = await memoryStart(client);
  if (since !== null && endsAt !== null && since.getTime() <= Date.parse(endsAt)) return [];
  return [
    `this copy of Postgres ends at ${endsAt ?? 'its beginning'} and Temporal remembers ${since === null ? 'nothing' : `what ended since ${since.toISOString()}`}: what was accepted in between is in neither`,
  ];
}

/**
 * What people decided of money in suspense after the copy is in no workflow that a restore can believe: an item that is open
 * here may have been released, written off, or be with its payer.
 */
export async function itemsOfGap(database: Database): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT id, channel, receipt, amount, currency FROM suspense_items WHERE is_open ORDER BY created_at, id',
  );
  return rows.map(({ id, channel, receipt, amount, currency }) => {
    const money =
      amount === 0 ? 'an amount that nobody could read' : `${formatMoney(minor(amount))} ${currency}`;
    return `${id}: ${money} of ${channel}, receipt ${receipt}`;
  });
}
