import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { type KeyRing, keyNamed } from '../../base/key-ring.ts';
import { BrokenInvariant } from '../../domain/errors.ts';
import { limitNames } from '../../domain/limits.ts';
import { type Queryable, rowKeysOf } from './pool.ts';
import { only } from './rows.ts';
import { DEFAULT, insert } from './write.ts';

/**
 * A thief with a process's Postgres password but no key can write rows. So each row that decides something
 * carries an HMAC-SHA256 of the columns below and the table's name. These columns never change, or change
 * together with a higher `version`. Moments are compared to the millisecond.
 */
const covered = {
  api_keys: ['id', 'account_id', 'scopes', 'holder', 'allowed_ips', 'expires_at'],
  /**
   * The proof matters when a freeze is lifted; a freeze is obeyed without one. Closures work the same way.
   */
  freezes: ['account_id', 'api_key_id', 'frozen_at', 'lifted_by'],
  closures: ['opened_by', 'channel', 'service', 'closed_at'],
  limits: ['account_id', 'api_key_id', ...limitNames, 'set_at'],
  operators: ['name', 'roles', 'version'],
  operator_tokens: ['id', 'operator', 'expires_at'],
  operator_sessions: ['id', 'token_id', 'created_at'],
  proposals: ['id', 'action', 'payload_hash', 'proposed_by', 'expires_at'],
  notifications: ['event_key', 'channel', 'transaction_id', 'content'],
  approvals: ['proposal_id', 'payload_hash', 'approved_by', 'token_id', 'approved_at'],
  decisions: ['transaction_id', 'outcome', 'note', 'proposal_id'],
  callback_events: ['id', 'api_key_id', 'event', 'transaction_id', 'sequence', 'body'],
  /** The proof covers the start: everything that its flow and a restore use. */
  batches: [
    'id',
    'account_id',
    'api_key_id',
    'batch_number',
    'items_hash',
    'currency',
    'items',
    'amount',
    'fees',
    'fee_version',
    'allow_twins',
    'quiet',
    'metadata',
    'routes',
    'start_at',
    'started_by',
    'started_at',
  ],
  /** `items_hash` is the batch's. The signed run of the batch gives the fee version, and so the fee. */
  batch_items: [
    'transaction_id',
    'batch_id',
    'items_hash',
    'position',
    'mode',
    'channel',
    'msisdn',
    'bic',
    'account_number',
    'full_name',
    'amount',
    'reference',
    'metadata',
  ],
} as const;
export type Proven = keyof typeof covered;
type Covered<T extends Proven> = Record<(typeof covered)[T][number], unknown>;

/** Returns the time of the database's transaction, plus `ms`, for a row whose proof covers it. */
export async function momentOf(db: Queryable, ms = 0): Promise<string> {
  const { rows } = await db.query("SELECT now() + $1 * interval '1 millisecond' AS at /* never null: at */", [
    ms,
  ]);
  return only(rows).at;
}

/** Throws if the process has no keys. */
export function macOfRow<T extends Proven>(db: Queryable, table: T, row: Covered<T>): string {
  return macWith(keysOf(db), purposeOf(table), coveredOf(table, row));
}

/**
 * Returns true if our process wrote this row and nobody changed it. Otherwise the row goes on the attention
 * list, and the caller ignores it. `db` must not be a transaction that is then rolled back.
 */
export async function proves<T extends Proven>(
  db: Queryable,
  table: T,
  row: Covered<T> & { mac: unknown },
): Promise<boolean> {
  if (isMac(keysOf(db), purposeOf(table), coveredOf(table, row), row.mac)) return true;
  const [key] = covered[table];
  await tellUnproven(db, table, (row as Record<string, unknown>)[key]);
  return false;
}

/** Puts a row whose proof is wrong on the attention list. */
export async function tellUnproven(db: Queryable, table: string, key: unknown): Promise<void> {
  await insert(
    db,
    'attention',
    {
      transaction_id: null,
      subject: `${table}:${key}`,
      reason: 'unproven_row',
      detail: `This row of ${table} is not what a process of ours wrote, and is not acted on`,
      thing: '',
      raised_at: DEFAULT,
      resolved_at: null,
    },
    { onConflict: 'DO NOTHING' },
  );
}

export const purposeOf = (table: Proven): string => `table/${table}`;

export const columnsOf = (table: Proven): readonly string[] => covered[table];

export function coveredOf<T extends Proven>(table: T, row: Covered<T>): object {
  const cells = row as Record<string, unknown>;
  return Object.fromEntries(covered[table].map((column) => [column, plain(column, cells[column])]));
}

function plain(column: string, value: unknown): unknown {
  return column.endsWith('_at') && typeof value === 'string' ? new Date(value).toISOString() : value;
}

export function keysOf(db: Queryable): KeyRing {
  const keys = rowKeysOf(db);
  if (!keys) throw new BrokenInvariant('this process was not given the keys of rows');
  return keys;
}

/** `<name of the key>:<HMAC in base64url>`, made with the first key. */
export function macWith([{ id, key }]: KeyRing, purpose: string, what: object): string {
  return `${id}:${macOf(key, purpose, what).toString('base64url')}`;
}

/** Returns true if one of the keys made the MAC. Never throws. */
export function isMac(keys: KeyRing, purpose: string, what: object, mac: unknown): boolean {
  const [id = '', text = ''] = typeof mac === 'string' ? mac.split(':') : [];
  const named = keyNamed(keys, id);
  if (!named) return false;
  const [given, expected] = [Buffer.from(text, 'base64url'), macOf(named.key, purpose, what)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function macOf(key: Uint8Array, purpose: string, what: object): Buffer {
  return createHmac('sha256', key).update(`malipo/${purpose}/v1\n`).update(canonicalJson(what)).digest();
}
