/** A process that cannot shut down ends this long after its grace. */
const FAREWELL_MS = 3_000;

/**
 * Ends the process if nothing else does: the SDK keeps signals until it polls, which a worker may do hours
 * later, after migrations; and a polling worker without Temporal would wait for ever.
 */
export function endInTime(graceMs: number, polls: () => boolean): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (!polls()) process.exit(0);
      setTimeout(() => process.exit(1), graceMs + FAREWELL_MS).unref();
    });
  }
}
