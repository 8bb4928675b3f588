import { type Kept, keptDays } from '../../domain/data/retention.ts';
import type { Queryable } from './pool.ts';
import { insert } from './write.ts';

/** The period of one partition; null if the rows are not in partitions. */
const steps: Record<Kept, 'day' | 'month' | null> = {
  notification_bodies: 'month',
  callback_attempts: 'month',
  previews: 'day',
  stored_answers: 'month',
  payers: null,
  payers_at_least: null,
  batch_rows: null,
  statement_files: null,
};

/**
 * Stores data/retention.json as the owner, so that processes cannot change it, and makes the first
 * partitions.
 */
export async function applyRetention(db: Queryable, days: Record<Kept, number> = keptDays): Promise<void> {
  for (const [name, step] of Object.entries(steps))
    await insert(
      db,
      'retention',
      { name, kept_days: days[name as Kept], step },
      { onConflict: '(name) DO UPDATE SET kept_days = excluded.kept_days, step = excluded.step' },
    );
  await addPartitions(db);
}

async function addPartitions(db: Queryable): Promise<void> {
  await db.query('SELECT add_partitions(name) FROM retention WHERE step IS NOT NULL');
}

/** After a crash the next sweep does the rest. */
export async function keepPartitions(db: Queryable): Promise<void> {
  await addPartitions(db);
  await db.query('SELECT drop_partition(name) FROM retention WHERE step IS NOT NULL');
  await db.query('SELECT drop_old_statement_files()');
  await db.query('SELECT drop_old_batch_rows()');
  await db.query('SELECT drop_retired_passphrases()');
}
