/** How long after its grace a process that cannot take its leave simply ends. */
const FAREWELL_MS = 3_000;

/**
 * Ends the process where nobody else does. The SDK keeps a signal that comes before it polls until it does, and a worker may
 * wait hours for its migrations; without Temporal a worker that polls cannot take its leave and would wait for ever.
 */
export function endInTime(graceMs: number, polls: () => boolean): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (!polls()) process.exit(0);
      setTimeout(() => process.exit(1), graceMs + FAREWELL_MS).unref();
    });
  }
}
