import type { Client } from '@temporalio/client';
import { formatMoney, minor } from '../domain/money.ts';
import type { Database } from '../platform/db/pool.ts';
import { memoryStart } from './retention.ts';

/** Lists lost transactions: accepted after the copy was made, and forgotten by Temporal. */
export async function gapOf(database: Database, client: Client): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT CASE WHEN progress > 0 THEN swept_at END AS "endsAt" FROM fence',
  );
  const { endsAt } = rows[0] as { endsAt: string | null };
  const since = await memoryStart(client);
  if (since !== null && endsAt !== null && since.getTime() <= Date.parse(endsAt)) return [];
  return [
    `this copy of Postgres ends at ${endsAt ?? 'its beginning'} and Temporal remembers ` +
      `${since === null ? 'nothing' : `what ended since ${since.toISOString()}`}: ` +
      'transactions that were accepted in between are in neither',
  ];
}

/** Lists suspense items that operators may have released after the copy; no workflow proves that. */
export async function itemsOfGap(database: Database): Promise<string[]> {
  const { rows } = await database.query(
    'SELECT id, channel, receipt, amount, currency FROM suspense_items WHERE is_open ORDER BY created_at, id',
  );
  return rows.map(({ id, channel, receipt, amount, currency }) => {
    const money = amount === 0 ? 'an unreadable amount' : `${formatMoney(minor(amount))} ${currency}`;
    return `${id}: ${money} of ${channel}, receipt ${receipt}`;
  });
}
