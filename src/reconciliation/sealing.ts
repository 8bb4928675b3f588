import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../base/key-ring.ts';
import { decryptSecret, encryptSecret, keyNameIn, openSealed } from '../callbacks/secrets.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { update } from '../platform/db/write.ts';

/** Each statement has its own key. When the callbacks' key changes, only these keys are resealed. */
type StatementSeal = {
  dataKey: Buffer;
  seal(content: string | Uint8Array, owner: string): Buffer;
};

export function createSeal(keys: KeyRing, statementId: string): StatementSeal {
  const key = randomBytes(32);
  return {
    dataKey: encryptSecret(keys, key.toString('base64'), statementId),
    seal: (content, owner) => encryptSecret(ringOf(key), content, owner),
  };
}

/** Opens a statement's sealed content. Throws if the key is missing or anything was changed. */
export function openWith(
  keys: KeyRing,
  of: { statementId: string; dataKey: Uint8Array },
): (sealed: Uint8Array, owner: string) => Buffer {
  const key = Buffer.from(decryptSecret(keys, of.dataKey, of.statementId), 'base64');
  return (sealed, owner) => openSealed(ringOf(key), sealed, owner);
}

const ringOf = (key: Uint8Array): KeyRing => [{ id: '', key }];

export const ownerOfLine = (statementId: string, no: number) => `${statementId}:${no}`;

const BATCH = 500;

/** Seals the keys of statements with the first key. Idempotent, also concurrently. Returns how many. */
export async function resealStatements(db: Queryable, keys: KeyRing): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await db.query(
      `SELECT id, data_key AS "dataKey" FROM statements WHERE ${keyNameIn('data_key')} <> $1
       ORDER BY id LIMIT $2`,
      [keys[0].id, BATCH],
    );
    if (rows.length === 0) return count;
    for (const { id, dataKey } of rows)
      await update(
        db,
        'statements',
        { data_key: encryptSecret(keys, decryptSecret(keys, dataKey, id), id) },
        { id },
      );
    count += rows.length;
  }
}

export async function countSealedStatements(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query(
    `SELECT ${keyNameIn('data_key')} AS name, count(*)::int AS count FROM statements
     GROUP BY 1 /* never null: name, count */`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}
