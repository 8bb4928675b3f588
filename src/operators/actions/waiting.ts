import type { Queryable } from '../../platform/db/pool.ts';
import { type Caller, mayAct } from '../people/roles.ts';
import type { Actions } from './actions.ts';

/** Returns ids of others' open proposals that this caller may approve, oldest first. */
export async function waitingFor(db: Queryable, actions: Actions, caller: Caller): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT id, action FROM proposals WHERE state = 'proposed' AND expires_at > now() AND proposed_by <> $1
     ORDER BY proposed_at, id`,
    [caller.name],
  );
  return rows.flatMap(({ id, action }) => {
    const role = actions[action]?.role;
    return role !== undefined && mayAct(caller, [role]) ? [id] : [];
  });
}
