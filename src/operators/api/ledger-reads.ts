import { serviceBalances } from '../../ledger/balances.ts';
import type { Database } from '../../platform/db/pool.ts';
import { inTime } from '../../platform/process/promises.ts';
import { unagreedTransfers } from '../../reconciliation/agreed-transfers.ts';
import { type Checked, checkAll, checkNew } from '../../reconciliation/check.ts';
import { unprovenRows } from '../../transactions/rows/row-mac.ts';
import { verifyAudit } from '../people/audit-chain.ts';

/** Each read stops shortly before this. */
export const LEDGER_READ_TIMEOUT_MS = 11 * 60_000;
/** A call waits at most this long for the result, because networks close silent connections. */
const WAIT_MS = 20_000;
/** A result that nobody fetches is dropped after this time. */
const KEPT_MS = 60_000;

export type LedgerReads = ReturnType<typeof createLedgerReads>;

/** These reads take minutes. They return null while the read still runs: ask again. */
export function createLedgerReads(database: Database) {
  return {
    checkNew: oneAtATime(async () =>
      withRows(await checkNew(database), [
        ...(await unprovenRows(database, 'pending')),
        ...(await unagreedTransfers(database, 'recent')),
      ]),
    ),
    checkAll: oneAtATime(async () =>
      withRows(await checkAll(database), [
        ...(await unprovenRows(database, 'all')),
        ...(await unagreedTransfers(database, 'all')),
      ]),
    ),
    balances: oneAtATime(() => serviceBalances(database)),
    auditChain: oneAtATime(() => verifyAudit(database)),
  };
}

function withRows(checked: Checked, unproven: string[]): Checked {
  return { ...checked, breaches: [...checked.breaches, ...unproven] };
}

/** All callers share one read. */
function oneAtATime<Result>(read: () => Promise<Result>): () => Promise<Result | null> {
  let running: Promise<Result> | null = null;
  let forget: NodeJS.Timeout | undefined;
  return async () => {
    if (running === null) {
      running = read();
      const end = () => {
        forget = setTimeout(() => {
          running = null;
        }, KEPT_MS).unref();
      };
      running.then(end, end);
    }
    const result = await inTime(running, WAIT_MS, () => null).catch((error) => {
      running = null;
      throw error;
    });
    if (result !== null) {
      clearTimeout(forget);
      running = null;
    }
    return result;
  };
}
