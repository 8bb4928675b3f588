import { z } from 'zod';
import { audit } from '../db/audit.ts';
import type { Queryable } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import { action, sentenceField } from './actions.ts';
import { roles } from './roles.ts';

/** What an operator may do, from now on: these roles and no others. */
export const operatorRolesAction = action<{ operator: string; roles: (typeof roles)[number][] }>({
  role: 'admin',
  payload: z.strictObject({
    operator: sentenceField(40),
    roles: z
      .array(z.enum(roles, `must be some of ${roles.join(', ')}`))
      .max(roles.length)
      .transform((given) => [...new Set(given)].sort()),
  }),
  describe: ({ operator, roles }) =>
    roles.length === 0
      ? `${operator} may do nothing any more`
      : `${operator} is ${roles.join(' and ')} from now on`,
  check: async (db, { operator }) => {
    await rolesOf(db, operator);
  },
  async execute(db, { operator, roles }, { actor, proposalId }) {
    const before = await rolesOf(db, operator);
    await db.query('UPDATE operators SET roles = $2 WHERE name = $1', [operator, roles]);
    const detail = { before, roles, proposal: proposalId };
    await audit(db, { actor, action: 'operators.roles', subject: operator, detail });
    return { outcome: `${operator} is ${roles.join(' and ') || 'without a role'}` };
  },
});

async function rolesOf(db: Queryable, operator: string): Promise<string[]> {
  const { rows } = await db.query(
    'SELECT roles FROM operators WHERE name = $1 AND disabled_at IS NULL FOR NO KEY UPDATE',
    [operator],
  );
  if (!rows[0]) throw new GatewayError('not_found', `There is no operator ${operator}`);
  return rows[0].roles;
}
