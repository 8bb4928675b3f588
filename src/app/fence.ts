import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Database } from '../platform/db/pool.ts';
import { passFence } from '../transactions/care/fence.ts';
import { keepMark, readKnownMark } from './schedule.ts';

/** True if Postgres is what Temporal knows; else closes the fence. Throws if either is unavailable. */
export async function enterFence(database: Database, client: Client): Promise<boolean> {
  const known = await readKnownMark(client).catch(nullWithoutSchedule);
  const mark = await passFence(database, known);
  if (mark === null) return false;
  await keepMark(client, mark).catch(nullWithoutSchedule);
  return true;
}

/** Before `temporal prepare` there is nothing to compare with. */
function nullWithoutSchedule(error: unknown): null {
  if (error instanceof ScheduleNotFoundError) return null;
  throw error;
}
