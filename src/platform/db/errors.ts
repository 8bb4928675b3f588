import pg from 'pg';
import { BrokenInvariant, InsufficientFunds, UntrustedSubmission } from '../../domain/errors.ts';

/** SQLSTATE classes and codes: Postgres stops or starts, is full or a standby, or cancelled a statement. */
const SQLSTATE = /^(08|53|57|25006|40|55000|55P03)/;
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

/** Returns true if Postgres cannot hold a value (SQLSTATE class 22): the sender is wrong. */
export function isWrongValue(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('22');
}

/** The trigger of entries raises this if a merchant's balance is too small (migrations/0004_ledger.sql). */
const NOT_COVERED = 'ML001';

/** Returns true if an entry would make a merchant's balance negative. This is an answer, not a fault. */
export function isNotCovered(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === NOT_COVERED;
}

/** Returns true if the database cannot answer now, false if the query is wrong. */
export function isDatabaseDown(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return SQLSTATE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseDown);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return SYSTEM.has(code) || DRIVER_SAYS.test(error.message);
}

/** Returns true if Postgres lacks or forbids something (class 42): a migration may still add it. */
export function isSchemaBehind(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code ?? '').startsWith('42');
}

export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01';
}

/**
 * SQLSTATE classes that a retry cannot help: bad data, broken constraints, errors that our functions raise.
 */
const PERMANENT_CLASSES = new Set(['22', '23', 'P0', 'ML']);

/** Returns true if a retry cannot help. InsufficientFunds means here that a held amount is missing. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof BrokenInvariant || error instanceof InsufficientFunds) return true;
  if (error instanceof UntrustedSubmission) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) && PERMANENT_CLASSES.has(code.slice(0, 2));
}
