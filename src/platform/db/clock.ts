import type { Database } from './pool.ts';

export type Clock = {
  now: () => Date;
  /** how far this machine's clock is ahead of Postgres's */
  offsetSeconds: () => number;
  stop: () => void;
};

/** Postgres is asked for the time this often; in between this process counts milliseconds. */
const READ_EVERY_MS = 10_000;
/** A reading may be wrong by half its round trip, so a slower one is not used. */
const ROUND_TRIP_MS_MAX = 1_000;

/**
 * Follows Postgres's time, because processes compare their times. Before the first reading it uses this
 * machine's time, and it continues without Postgres. A change of the machine's clock does not change it.
 */
export async function startClock(database: Pick<Database, 'query'>): Promise<Clock> {
  /** Postgres's time when performance.now() was 0 */
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
