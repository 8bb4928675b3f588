import type { Database } from './pool.ts';

export type Clock = {
  now: () => Date;
  /** how far this machine's clock is ahead of Postgres's */
  offsetSeconds: () => number;
  stop: () => void;
};

/** How often Postgres is asked for its time; in between this process counts the milliseconds. */
const READ_EVERY_MS = 10_000;
/** A reading can be wrong by half of its round trip. A slower reading is not used. */
const ROUND_TRIP_MS_MAX = 1_000;

/**
 * Follows Postgres's time, since one process's times are compared with the database's and another's. Goes on
 * without Postgres; until the first reading it is this machine's time. Setting the machine's clock does not
 * move it.
 */
export async function startClock(database: Pick<Database, 'query'>): Promise<Clock> {
  /** Postgres's time at the zero of performance.now() */
  let origin = performance.timeOrigin;

  async function read(): Promise<void> {
    const asked = performance.now();
    const { rows } = await database.query(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms /* never null: ms */',
    );
    const answered = performance.now();
    if (answered - asked < ROUND_TRIP_MS_MAX) origin = rows[0].ms - (asked + answered) / 2;
  }
  const readQuietly = () => read().catch(() => {});

  await readQuietly();
  const timer = setInterval(readQuietly, READ_EVERY_MS).unref();
  const nowMs = () => origin + performance.now();
  return {
    now: () => new Date(nowMs()),
    offsetSeconds: () => (Date.now() - nowMs()) / 1_000,
    stop: () => clearInterval(timer),
  };
}
