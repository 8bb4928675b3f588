import type { Database } from '../db/pool.ts';
import type { Log } from './log.ts';

/** Says loudly that a failover would lose commits (docs/operations/restored.md). Never stops a start. */
export async function warnWithoutStandby(database: Database, log: Log): Promise<void> {
  const { rows } = await database.query("SELECT current_setting('synchronous_standby_names') AS names");
  if (rows[0].names !== '') return;
  log.error(
    'Postgres has no synchronous standby (synchronous_standby_names): a failover would lose payments',
  );
}
