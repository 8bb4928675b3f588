import pino from 'pino';

export type Log = pino.Logger;

/** JSON lines on standard output. Nothing that a merchant or a customer sent is logged but ids, codes and routes. */
export function createLog(options: { level: string; name: string }): Log {
  return pino({
    level: options.level,
    name: options.name,
    base: { pid: process.pid },
    serializers: { err: describeError, error: describeError },
  });
}

/** An error of Postgres quotes the row in its detail, with numbers and names: that never gets here. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  return { type: error.name, message: error.message, code, constraint, stack: error.stack };
}
