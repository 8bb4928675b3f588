import type { KeyRing } from '../base/key-ring.ts';
import { type NamedSecret, observeSecretUses, type SecretValue } from '../base/secret-uses.ts';
import { type ServiceSecret, serviceSecrets } from '../base/service-secrets.ts';
import type { Database, Queryable } from '../platform/db/pool.ts';
import { createLastUsed } from './last-used.ts';

type KeyRings = { [Name in ServiceSecret]?: KeyRing | undefined };

export function namedKeys(rings: KeyRings): NamedSecret[] {
  return serviceSecrets.flatMap((secret) =>
    (rings[secret] ?? []).map(({ id, key }) => ({ secret, name: id, value: key })),
  );
}

/**
 * Writes down when each of these was last used in this process, at most once a minute for each: no request waits for it.
 * Returns what ends it.
 */
export function keepSecretUses(database: Database, named: readonly NamedSecret[]): () => void {
  const known = new Map<string, NamedSecret[]>();
  for (const one of named) known.set(textOf(one.value), [...(known.get(textOf(one.value)) ?? []), one]);
  const note = createLastUsed((value) =>
    Promise.all((known.get(value) ?? []).map((one) => write(database, one))),
  );
  return observeSecretUses((value) => {
    const text = textOf(value);
    if (known.has(text)) note(text);
  });
}

/** When each was last used, to the minute, as UTC. */
export async function secretUses(db: Queryable): Promise<(secret: string, name: string) => string | null> {
  const { rows } = await db.query('SELECT secret, name, last_used_at FROM secret_uses');
  const times = new Map(rows.map((row) => [`${row.secret} ${row.name}`, row.last_used_at]));
  return (secret, name) => times.get(`${secret} ${name}`) ?? null;
}

async function write(db: Queryable, { secret, name }: NamedSecret): Promise<void> {
  await db.query(
    `INSERT INTO secret_uses (secret, name, last_used_at) VALUES ($1, $2, now())
     ON CONFLICT (secret, name) DO UPDATE SET last_used_at = now()`,
    [secret, name],
  );
}

function textOf(value: SecretValue): string {
  return typeof value === 'string' ? `text ${value}` : `key ${Buffer.from(value).toString('base64')}`;
}
