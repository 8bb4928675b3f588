import { type KeyEnvironment, makeKey } from '../../src/accounts/key-format.ts';
import { createKeys, revokeKey } from '../../src/accounts/keys.ts';
import { addKey, type NewKey, rotateKey } from '../../src/accounts/new-keys.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import type { Actor } from '../../src/platform/db/audit.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { Database } from './queryable.ts';

export type TestKeys = ReturnType<typeof createTestKeys>;
export type KeyToMake = Omit<NewKey, 'keyId' | 'fingerprint'>;

/** Merchants' keys, made and let in at once: what takes a merchant and two operators elsewhere. */
export function createTestKeys(deps: {
  database: Database;
  hashSecrets: KeyRing;
  environment: KeyEnvironment;
}) {
  const { database, hashSecrets, environment } = deps;
  return {
    ...createKeys(deps),
    revokeKey: (key: { keyId: string; actor: Actor }) =>
      inTransaction(database, (db) => revokeKey(db, { ...key, reason: 'r' })),
    async createKey(key: KeyToMake): Promise<{ id: string; apiKey: string }> {
      const { text, id, fingerprint } = makeKey(`sk_${environment}`);
      await inTransaction(database, (db) => addKey(db, hashSecrets, { ...key, keyId: id, fingerprint }));
      return { id, apiKey: text };
    },
    async rotateKey({
      keyId,
      actor,
    }: {
      keyId: string;
      actor: Actor;
    }): Promise<{ id: string; apiKey: string }> {
      const { text, fingerprint } = makeKey(`sk_${environment}`, keyId);
      await inTransaction(database, (db) => rotateKey(db, hashSecrets, { keyId, fingerprint, actor }));
      return { id: keyId, apiKey: text };
    },
  };
}
