import { z } from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { macOfRow } from '../../platform/db/proofs.ts';
import { update } from '../../platform/db/write.ts';
import { lockProposals, withdrawProposals } from '../people/operators.ts';
import { mayAct, type Role, roles } from '../people/roles.ts';
import { type Actions, type Declared, declare, documented, seen, sentenceField } from './actions.ts';
import { fact } from './facts.ts';

const rolesField = z
  .array(z.enum(roles, `must be some of ${roles.join(', ')}`))
  .max(roles.length)
  .transform((given) => [...new Set(given)].sort());

/** `actions`: all actions, of which a person who loses a role may not propose some any more. */
export const createRolesAction = (actions: () => Actions): Declared =>
  declare({
    title: "Set a person's roles: these, and no others",
    command: 'operators roles <operator> <roles>',
    note: 'This also withdraws the open proposals that the person may not make any more.',
    example: ['joined the desk', { operator: 'neema', roles: ['support'] }],
    role: 'admin',
    payload: z.strictObject({
      operator: sentenceField(40).meta(documented('The name of the operator')),
      roles: rolesField.meta(documented('What the person may do')),
      before: rolesField.meta(seen('What the person may do now')).optional(),
    }),
    async describe({ operator, roles, before = [] }, { db }) {
      const { rows } = await db.query('SELECT email FROM operators WHERE name = $1', [operator]);
      return {
        summary: `${operator} (${rows[0]?.email}) is ${namesOf(roles)} from now on`,
        facts: [fact('roles', namesOf(roles), namesOf(before))],
      };
    },
    lock: (db, { operator }) => lockProposals(db, operator),
    seen: async (db, { operator }) => ({ before: (await lockRoles(db, operator)).roles }),
    async execute(db, { operator, roles }, { actor, proposalId }) {
      const { roles: before, version: last } = await lockRoles(db, operator);
      const version = last + 1;
      const mac = macOfRow(db, 'operators', { name: operator, roles, version });
      await update(db, 'operators', { roles, version, mac }, { name: operator });
      const outcome = `${operator} is ${namesOf(roles)}`;
      const lost = Object.entries(actions()).filter(([, { role }]) => !mayAct({ roles }, [role]));
      const ended = { name: operator, actor, outcome, actions: lost.map(([name]) => name) };
      const withdrawn = await withdrawProposals(db, ended);
      const detail = { before, roles, withdrawn, proposal: proposalId };
      await audit(db, { actor, action: 'operators.roles', subject: operator, detail });
      return { outcome };
    },
  });

const namesOf = (given: readonly Role[]) => given.join(' and ') || 'without a role';

async function lockRoles(db: Queryable, operator: string): Promise<{ roles: Role[]; version: number }> {
  const { rows } = await db.query(
    'SELECT roles, version FROM operators WHERE name = $1 AND disabled_at IS NULL FOR NO KEY UPDATE',
    [operator],
  );
  if (!rows[0]) throw new GatewayError('not_found', `There is no operator ${operator}`);
  const { roles, version } = rows[0];
  return { roles: (roles as Role[]).toSorted(), version };
}
