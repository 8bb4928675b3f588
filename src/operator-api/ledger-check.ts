import type { Database } from '../db/pool.ts';
import { checkInvariants } from '../ledger/invariants.ts';
import { inTime } from '../process/promises.ts';

/** A little longer than the check allows itself. */
export const LEDGER_CHECK_TIMEOUT_MS = 11 * 60_000;
/** One answer waits at most this long: connections on which nothing moves are closed. */
const WAIT_MS = 20_000;
/** A result that nobody fetched is worth nothing later. */
const KEPT_MS = 60_000;

/** `breaches` null: it still runs, ask again. */
export type LedgerCheck = () => Promise<{ breaches: string[] | null }>;

/** The books, checked as a whole: minutes where they are long, so it runs once at a time and is asked for until it ends. */
export function createLedgerCheck(database: Database): LedgerCheck {
  let running: Promise<string[]> | null = null;
  let forget: NodeJS.Timeout | undefined;
  return async () => {
    if (running === null) {
      running = checkInvariants(database);
      const end = () => {
        forget = setTimeout(() => {
          running = null;
        }, KEPT_MS).unref();
      };
      running.then(end, end);
    }
    const breaches = await inTime(running, WAIT_MS, () => null).catch((error) => {
      running = null;
      throw error;
    });
    if (breaches !== null) {
      clearTimeout(forget);
      running = null;
    }
    return { breaches };
  };
}
