import { makeKey } from '../../src/accounts/key-format.ts';
import { createKeys, revokeKey } from '../../src/accounts/keys.ts';
import { addKey, type NewKey, rotateKey } from '../../src/accounts/new-keys.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import type { Actor } from '../../src/platform/db/audit.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { Database } from './queryable.ts';

export type TestKeys = ReturnType<typeof createTestKeys>;
export type KeyToMake = Omit<NewKey, 'keyId' | 'fingerprint'>;
type Changed = { keyId: string; actor: Actor };

/** Merchants' keys, made and let in at once: what takes a merchant and two operators elsewhere. */
export function createTestKeys({ database, hashSecrets }: { database: Database; hashSecrets: KeyRing }) {
  return {
    ...createKeys({ database, hashSecrets, environment: 'test' }),
    revokeKey: (key: Changed) => inTransaction(database, (db) => revokeKey(db, { ...key, reason: 'r' })),
    async createKey(key: KeyToMake): Promise<{ id: string; apiKey: string }> {
      const { text, id, fingerprint } = makeKey('sk_test');
      await inTransaction(database, (db) => addKey(db, hashSecrets, { ...key, keyId: id, fingerprint }));
      return { id, apiKey: text };
    },
    async rotateKey({ keyId, actor }: Changed): Promise<{ id: string; apiKey: string }> {
      const { text, fingerprint } = makeKey('sk_test', keyId);
      await inTransaction(database, (db) => rotateKey(db, hashSecrets, { keyId, fingerprint, actor }));
      return { id: keyId, apiKey: text };
    },
  };
}
