import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Database } from '../platform/db/pool.ts';
import { passFence } from '../transactions/care/fence.ts';
import { keepMark, readKnownMark } from './schedule.ts';

/**
 * Returns true if Postgres is as far as Temporal remembers, else closes the fence. Throws if either is down.
 */
export async function enterFence(database: Database, client: Client): Promise<boolean> {
  const known = await readKnownMark(client).catch(nullWithoutSchedule);
  const mark = await passFence(database, known);
  if (mark === null) return false;
  await keepMark(client, mark).catch(nullWithoutSchedule);
  return true;
}

/** Before `temporal prepare` there is no mark to compare with. */
function nullWithoutSchedule(error: unknown): null {
  if (error instanceof ScheduleNotFoundError) return null;
  throw error;
}
