import pino from 'pino';

export type Log = pino.Logger;

/** JSON lines on standard output. Nothing that a merchant or a customer sent is logged but ids, codes and routes. */
export function createLog(options: { level: string; name: string }): Log {
  return pino({ level: options.level, name: options.name, base: { pid: process.pid } });
}
