import pino from 'pino';
import { describeError, mask } from '../../base/redact.ts';

export type Log = pino.Logger;

/** If a fact is bound twice, pino writes it twice. So later facts are kept here. */
const noted = new WeakMap<Log, object>();

/** Adds facts to every later line; a newer value replaces an older one. */
export function noteFacts(log: Log, facts: object): void {
  noted.set(log, { ...noted.get(log), ...facts });
}

/** Writes JSON lines with ids, codes and routes; other text is masked (base/redact.ts). */
export function createLog(options: {
  level: string;
  name: string;
  /** read anew for every line */
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

/** Keeps ids (UUIDs) and the caller's request id. */
function maskTexts(fields: Record<string, unknown>): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    masked[name] = typeof value === 'string' && name !== 'request_id' ? mask(value) : value;
  }
  return masked;
}
