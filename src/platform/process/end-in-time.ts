/** A process that cannot shut down ends this long after its grace time. */
const FAREWELL_MS = 3_000;

/**
 * Ends the process on a signal if nothing else does. The SDK acts on signals only while it polls, which may
 * begin hours later, after migrations; and a worker that polls without Temporal would wait for ever.
 */
export function endInTime(graceMs: number, polls: () => boolean): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (!polls()) process.exit(0);
      setTimeout(() => process.exit(1), graceMs + FAREWELL_MS).unref();
    });
  }
}
