import type { Queryable } from '../../platform/db/pool.ts';
import { proves } from '../../platform/db/proofs.ts';
import type { Caller, Role } from './roles.ts';

/** SQL: proofs of token `t` and operator `o`, and the columns that they cover. */
export const CALLER =
  't.id AS token_id, t.operator, t.expires_at, t.mac AS token_mac, o.name, o.roles, o.version, o.mac';
type Row = {
  token_id: string;
  operator: string;
  expires_at: string;
  token_mac: string | null;
  name: string;
  roles: string[];
  version: number;
  mac: string | null;
};

/** Returns null if token or roles have no valid proof of ours. */
export async function callerOf(db: Queryable, row: Row): Promise<Caller | null> {
  const { token_id: id, token_mac: mac, name, roles } = row;
  if (!(await proves(db, 'operator_tokens', { ...row, id, mac }))) return null;
  return (await proves(db, 'operators', row)) ? { name, roles: roles as Role[], tokenId: id } : null;
}
