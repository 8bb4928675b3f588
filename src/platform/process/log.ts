import pino from 'pino';
import { describeError, mask } from '../../base/redact.ts';

export type Log = pino.Logger;

/** A second binding of pino's would write its key a second time, so later facts are kept here. */
const noted = new WeakMap<Log, object>();

/** Every later line of this logger says these facts, too: the newest word for each key. */
export function noteFacts(log: Log, facts: object): void {
  noted.set(log, { ...noted.get(log), ...facts });
}

/** Writes JSON lines: ids, codes and routes only; other text is masked (base/redact.ts). */
export function createLog(options: {
  level: string;
  name: string;
  /** every line has these facts, asked when it is written */
  facts?: () => object;
  destination?: pino.DestinationStream;
}): Log {
  return pino(
    {
      level: options.level,
      name: options.name,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: (_fields, _level, log) => ({ ...options.facts?.(), ...noted.get(log) }),
      formatters: { level: (level) => ({ level }), log: maskTexts },
      serializers: { err: describeError, error: describeError },
    },
    options.destination ?? pino.destination(1),
  );
}

/** Ids are UUIDs and stay; the request id is the caller's own word for its request and stays too. */
function maskTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    masked[name] = typeof value === 'string' && name !== 'request_id' ? mask(value) : value;
  }
  return masked;
}
