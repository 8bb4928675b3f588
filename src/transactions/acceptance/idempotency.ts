import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { canonicalJson } from '../../base/canonical-json.ts';
import { kinds, type Mode } from '../../domain/kinds.ts';
import type { Language } from '../../domain/language.ts';
import { readPhone } from '../../domain/msisdn.ts';
import type { KeptRefusal, StoredAnswer, Submission } from '../../domain/operation.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';

/** Never change this namespace of our transaction ids: a retry would make a second transaction. */
const NAMESPACE = '5f0f4a4e-9d52-5c0e-8f3a-6d1a7b2c9e41';

export function transactionIdOf(accountId: string, idempotencyKey: string): string {
  return uuidv5(`${accountId}:key:${idempotencyKey}`, NAMESPACE);
}

/** No merchant's key can equal this one: it contains a space. */
export function dailyKeyOf(day: string): string {
  return `settlement ${day}`;
}

/** Parts count from 0. The first part has the settlement's own id. */
export function settlementPartIdOf(settlementId: string, index: number): string {
  return index === 0 ? settlementId : uuidv5(`${settlementId}:part:${index}`, NAMESPACE);
}

export function billTransactionIdOf(accountId: string, paymentNumber: string): string {
  return uuidv5(`${accountId}:bill:${paymentNumber}`, NAMESPACE);
}

export function numberIdOf(accountId: string, customerReference: string): string {
  return uuidv5(`${accountId}:number:${customerReference}`, NAMESPACE);
}

export function batchIdOf(accountId: string, batchNumber: string): string {
  return uuidv5(`${accountId}:batch:${batchNumber}`, NAMESPACE);
}

export function keyOfItem(batchId: string, position: number): string {
  return `batch ${batchId} ${position}`;
}

export function linkIdOf(accountId: string, idempotencyKey: string): string {
  return uuidv5(`${accountId}:link:${idempotencyKey}`, NAMESPACE);
}

/** Returns the same id in every step, on every repetition and after a restore. */
export function numberPaymentIdOf({ space, receipt }: { space: string; receipt: string }): string {
  return uuidv5(`${space}:receipt:${receipt}`, NAMESPACE);
}

/**
 * Two requests under one key are the same if they share a fingerprint of the operation and the known fields
 * as sent, before defaults. Null counts as absent; the order of keys is ignored. The first fingerprint is
 * stored; earlier releases stored the others.
 */
export function fingerprintsOf(mode: Mode, knownFields: Record<string, unknown>): [string, ...string[]] {
  const { operation } = kinds[mode];
  const fields = dropNulls(knownFields);
  return [
    `v2:${hashOf(canonicalJson([operation, inOneSpelling(fields)]))}`,
    `v1:${hashOf(JSON.stringify([operation, canonicalV1(fields)]))}`,
  ];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function dropNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Writes phone number and currency in canonical form. An invalid value stays as sent. */
function inOneSpelling(fields: Record<string, unknown>): Record<string, unknown> {
  const { phone_number: phone, currency } = fields;
  return {
    ...fields,
    ...(typeof phone === 'string' ? { phone_number: readPhone(phone).msisdn ?? phone } : {}),
    ...(typeof currency === 'string' ? { currency: currency.toUpperCase() } : {}),
  };
}

/** Form of the first release. It cannot tell `{"k":{"a":1}}` from `{"k":[["a",1]]}`. */
function canonicalV1(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalV1);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, inner]) => [key, canonicalV1(inner)]);
}

export type Identity = { key: string | null; paymentNumber: string | null };

export function identityOf({ request, idempotencyKey }: Submission): Identity {
  return { key: idempotencyKey, paymentNumber: 'paymentNumber' in request ? request.paymentNumber : null };
}

/**
 * Finds the answer under the key, else under the payment number; null if both are free. A key that made a
 * payment link belongs to another request. Reads the primary.
 */
export async function findStored(
  db: Queryable,
  accountId: string,
  { key, paymentNumber }: Identity,
): Promise<StoredAnswer | null> {
  const underKey = key === null ? null : await findBy(db, 'key', [accountId, key, linkIdOf(accountId, key)]);
  if (underKey || paymentNumber === null) return underKey;
  return findBy(db, 'payment_number', [accountId, paymentNumber, null]);
}

async function findBy(
  db: Queryable,
  column: 'key' | 'payment_number',
  values: [accountId: string, value: string, linkId: string | null],
): Promise<StoredAnswer | null> {
  const { rows } = await db.query(
    prepared(`SELECT transaction_id AS "transactionId", submission_id AS "submissionId", fingerprint, refused,
       language, answered_at AS "answeredAt"
     FROM idempotency_keys WHERE account_id = $1 AND ${column} = $2
     UNION ALL SELECT id, id, 'link', NULL, 'en', created_at FROM numbers WHERE id = $3
     /* never null: transactionId, submissionId, fingerprint, language, answeredAt */`),
    values,
  );
  if (!rows[0]) return null;
  const { answeredAt, ...answer } = rows[0];
  // Postgres needs the time, to read only one partition.
  const stored = await db.query(
    prepared('SELECT body FROM stored_answers WHERE submission_id = $1 AND answered_at = $2'),
    [answer.submissionId, answeredAt],
  );
  return { ...(answer as Omit<StoredAnswer, 'body'>), body: stored.rows[0]?.body ?? '' };
}

/** Adds the new key with which a bill was sent again. */
export async function addKeyToBill(
  db: Queryable,
  bill: { accountId: string; paymentNumber: string; key: string },
): Promise<void> {
  await db.query(
    `INSERT INTO idempotency_keys (account_id, key, transaction_id, submission_id, operation,
       fingerprint, refused, language, answered_at)
     SELECT account_id, $3, transaction_id, submission_id, operation, fingerprint, refused,
       language, answered_at
     FROM idempotency_keys WHERE account_id = $1 AND payment_number = $2
     ON CONFLICT DO NOTHING`,
    [bill.accountId, bill.paymentNumber, bill.key],
  );
}

export type Answer = Omit<StoredAnswer, 'language' | 'refused'> & {
  refused: KeptRefusal | null;
  accountId: string;
  key: string | null;
  paymentNumber: string | null;
  operation: string;
  language: Language;
};

/** Writes nothing and returns false if the key or payment number was taken. */
export async function insertAnswer(db: Queryable, answer: Answer): Promise<boolean> {
  const { rowCount } = await db.query(
    prepared(`WITH taken AS (
       INSERT INTO idempotency_keys (account_id, key, payment_number, transaction_id, submission_id,
         operation, fingerprint, refused, language)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
       RETURNING submission_id, answered_at)
     INSERT INTO stored_answers (submission_id, answered_at, body) SELECT submission_id, answered_at, $10
     FROM taken`),
    [
      answer.accountId,
      answer.key,
      answer.paymentNumber,
      answer.transactionId,
      answer.submissionId,
      answer.operation,
      answer.fingerprint,
      answer.refused,
      answer.language,
      answer.body,
    ],
  );
  return rowCount === 1;
}
