import { createGate, type Gate } from '../../src/channels/traffic/gate.ts';
import { healthRulesOf } from '../../src/domain/timing.ts';
import type { Database } from './queryable.ts';

/** The gate before channels as a process has it; it probes soon, and says nothing. `now`: its clock, to skip its memory. */
export function gateOf(
  database: Database,
  now?: () => number,
  carrierOf: (channel: string) => string | undefined = () => undefined,
): Gate {
  const log = { info: () => {}, error: () => {} };
  return createGate({ database, rules: healthRulesOf('fast'), log, carrierOf, ...(now ? { now } : {}) });
}

/**
 * The gate where a test skips time: days of answers that say nothing come within a minute of Postgres's clock, and would
 * close the channel. Operators still can.
 */
export function gateWithoutResults(database: Database): Gate {
  return { ...gateOf(database), note: () => {} };
}
