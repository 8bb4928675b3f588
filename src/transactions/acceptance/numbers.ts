import { UntrustedSubmission } from '../../domain/errors.ts';
import type { MadeNumbers, NumbersRequest, StandingNumber } from '../../domain/number.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { DEFAULT, insertMany } from '../../platform/db/write.ts';
import { requireOpenFence } from '../care/fence.ts';
import { numbersById } from '../rows/number-store.ts';
import { drawControlNumber } from './control-numbers.ts';

/** Idempotent. Throws UntrustedSubmission if the key may not make numbers. */
export function makeNumbers(database: Database, wanted: NumbersRequest): Promise<MadeNumbers> {
  const { accountId, apiKeyId, controlNumberPrefix: prefix, receivedAt: createdAt, numbers } = wanted;
  const ids = numbers.map(({ id }) => id);
  return inTransaction(database, async (db) => {
    await requireOpenFence(db);
    const there = await numbersById(db, { accountId, ids });
    const missing = numbers.filter(({ id }) => !there.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
    // A re-run needs no key, which may have been revoked since.
    if (missing.length > 0) await requireKey(db, wanted);
    const drawn: StandingNumber[] = [];
    for (const number of missing) {
      const controlNumber = number.link?.code ?? (await drawControlNumber(db, { accountId, prefix }));
      drawn.push({ ...number, accountId, apiKeyId, controlNumber, createdAt });
    }
    await insertNumbers(db, drawn);
    const now = await numbersById(db, { accountId, ids });
    return { made: [...now.values()].map(({ status: _, ...number }) => number) };
  });
}

async function requireKey(db: Queryable, { apiKeyId, accountId }: NumbersRequest): Promise<void> {
  const { rowCount } = await db.query(
    `SELECT FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now()) AND 'payments:write' = ANY(scopes)`,
    [apiKeyId, accountId],
  );
  if (rowCount !== 1) throw new UntrustedSubmission(`the API key ${apiKeyId} may not make numbers any more`);
}

/** Skips numbers that exist already. Returns how many were inserted. */
export async function insertNumbers(db: Queryable, numbers: readonly StandingNumber[]): Promise<number> {
  const { rowCount } = await insertMany(
    db,
    'numbers',
    numbers,
    (number) => ({
      id: number.id,
      account_id: number.accountId,
      api_key_id: number.apiKeyId,
      control_number: number.controlNumber,
      customer_reference: number.customerReference,
      purpose: number.purpose,
      currency: number.currency,
      description: number.description,
      minimum: number.minimum,
      maximum: number.maximum,
      metadata: number.metadata,
      payers: number.payers ?? null,
      quantity: number.link?.quantity ?? null,
      expires_at: number.link?.expiresAt ?? null,
      status: DEFAULT,
      created_at: number.createdAt,
    }),
    { onConflict: '(id) DO NOTHING' },
  );
  return rowCount ?? 0;
}
