import type { Database } from '../../platform/db/pool.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { type FenceGuard, fenceOf } from '../../transactions/care/fence.ts';

const FRESH_MS = 1_000;

/** Returns true until a restored Postgres is recovered; false if it is down. Asks once a second. */
export function createFenceWatch(database: Database, look: FenceGuard = fenceOf): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer = Promise.resolve(false);
  return () => {
    if (performance.now() - askedAt >= FRESH_MS) {
      askedAt = performance.now();
      answer = look(database).then(
        (reason) => reason !== null,
        () => false,
      );
    }
    return answer;
  };
}

/** Throws `unavailable` until a restored Postgres is recovered, because missing rows must decide nothing. */
export async function requireOpen(database: Database): Promise<void> {
  if ((await fenceOf(database)) !== null) throw unavailable();
}
