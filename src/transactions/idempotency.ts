import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import type { Queryable } from '../db/pool.ts';
import type { MoneyRequest, StoredAnswer } from '../domain/operation.ts';

/** Namespace of our transaction ids. Never change it: a retry would mint a second transaction. */
const NAMESPACE = '5f0f4a4e-9d52-5c0e-8f3a-6d1a7b2c9e41';
const FINGERPRINT_VERSION = 'v1';

/** The id of the transaction that a key of an account stands for: the same for every retry, for ever. */
export function transactionIdOf(accountId: string, idempotencyKey: string): string {
  return uuidv5(`${accountId}:key:${idempotencyKey}`, NAMESPACE);
}

/**
 * Tells whether two requests under one key are the same: operation and canonical form of the known fields as sent
 * (before defaults and derived fields; null counts as absent; the order of keys does not matter).
 */
export function fingerprintOf(
  operation: MoneyRequest['operation'],
  knownFields: Record<string, unknown>,
): string {
  const canonical = JSON.stringify([operation, canonicalise(dropNulls(knownFields))]);
  return `${FINGERPRINT_VERSION}:${createHash('sha256').update(canonical).digest('hex')}`;
}

function dropNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

function canonicalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalise);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, inner]) => [key, canonicalise(inner)]);
}

/** The answer stored under a key, or null when the key is free. Read on the primary. */
export async function findStoredAnswer(
  db: Queryable,
  accountId: string,
  idempotencyKey: string,
): Promise<StoredAnswer | null> {
  const { rows } = await db.query(
    `SELECT transaction_id, submission_id, fingerprint, http_status, body
     FROM idempotency_keys WHERE account_id = $1 AND key = $2`,
    [accountId, idempotencyKey],
  );
  const row = rows[0];
  if (!row) return null;
  return {
    transactionId: row.transaction_id,
    submissionId: row.submission_id,
    fingerprint: row.fingerprint,
    httpStatus: row.http_status,
    body: row.body,
  };
}
