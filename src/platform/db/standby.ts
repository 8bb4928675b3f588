import type { Database } from './pool.ts';

/** Returns true if a commit waits for a second machine; without one a failover loses payments. */
export async function hasSynchronousStandby(database: Database): Promise<boolean> {
  const { rows } = await database.query("SELECT current_setting('synchronous_standby_names') AS names");
  return rows[0].names !== '';
}
