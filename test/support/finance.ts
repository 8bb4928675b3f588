import type { By } from '../../src/operators/actions/proposals.ts';
import type { Role } from '../../src/operators/people/roles.ts';
import type { Database } from './queryable.ts';
import { setRoles } from './signed-rows.ts';

/** Operators who may agree with each other; of finance, where nothing else is said. */
export async function hire(
  database: Database,
  { names = ['asha', 'juma'], roles = ['finance'] as Role[] } = {},
): Promise<void> {
  await database.query(
    "INSERT INTO operators (name, email, roles) SELECT name, name || '@example.com', $2::text[] FROM unnest($1::text[]) AS its (name)",
    [names, roles],
  );
  for (const name of names) await setRoles(database, name, roles);
}

/** A call of one of them. */
export const by = (name: string, roles: Role[] = ['finance']): By => ({
  caller: { name, roles, tokenId: 't' },
  actor: { operator: name, address: '192.0.2.1', requestId: 'req_1' },
});
