import pg from 'pg';
import { BrokenInvariant, InsufficientFunds, UntrustedSubmission } from '../../domain/errors.ts';

/** Postgres says that it is stopping, starting, a standby, full, or gave a statement up: SQLSTATE classes and codes. */
const SQLSTATE = /^(08|53|57|25006|40|55000|55P03)/;
/** The driver gives these no code. */
const DRIVER_SAYS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/;
const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether Postgres refused a value that it cannot hold (SQLSTATE class 22): who sent it is wrong, not we. */
export function isWrongValue(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('22');
}

/** The trigger of entries says this when a merchant's balance does not cover one (migrations/0004_ledger.sql). */
const NOT_COVERED = 'ML001';

/** Whether the database refused an entry because a merchant's balance would be negative: no fault, an answer. */
export function isNotCovered(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === NOT_COVERED;
}

/** Whether an error of a query means that the database cannot answer now, as against a query that is wrong. */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return SQLSTATE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseDown);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return SYSTEM.has(code) || DRIVER_SAYS.test(error.message);
}

/**
 * Whether Postgres knows no such table, column or function, or lets us not use it (SQLSTATE class 42): a migration or a
 * grant is missing, and once it is there another try works. Nothing was done.
 */
export function isSchemaBehind(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('42');
}

/** Whether Postgres knows no such table: before the first migration there is none. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01';
}

/** SQLSTATE classes that another try cannot mend: bad data, broken constraints, raised exceptions, what our own functions refuse. */
const PERMANENT_CLASSES = new Set(['22', '23', 'P0', 'ML']);

/**
 * Whether another try cannot mend what a step that moves money threw. InsufficientFunds gets this far only when a held
 * or booked amount is not there: accept handles its own.
 */
export function isPermanent(error: unknown): boolean {
  if (error instanceof BrokenInvariant || error instanceof InsufficientFunds) return true;
  if (error instanceof UntrustedSubmission) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && PERMANENT_CLASSES.has(code.slice(0, 2));
}
