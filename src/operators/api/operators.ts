import { z } from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { roles } from '../people/roles.ts';
import { TOKEN_DAYS, TOKEN_DAYS_MAX } from '../people/token-text.ts';
import { listOf, tokenId, written } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { only, wholeNumber } from './fields.ts';
import { presentOperator } from './present.ts';
import { newTokenAnswer, operator, operatorList } from './schemas.ts';

const daysField = wholeNumber(1, TOKEN_DAYS_MAX)
  .default(TOKEN_DAYS)
  .meta({ description: 'The number of days until it expires' });
const name = written("The operator's name");
const nameAnswer = z.strictObject({ name });

/**
 * Operators propose roles and tokens, and end access with `operators.disable`, `.revoke` and `.end-session`.
 */
export const operatorCalls = {
  whoAmI: call(
    {
      method: 'GET',
      paths: ['me'],
      summary: 'The owner of this token, and the roles',
      roles,
      answer: z.strictObject({
        name,
        roles: listOf(z.string(), 'The roles of the person'),
        token_id: tokenId,
      }),
    },
    async (_input, { caller }) => ({ name: caller.name, roles: caller.roles, token_id: caller.tokenId }),
  ),
  rotateOwnToken: call(
    {
      method: 'POST',
      paths: ['me/token'],
      summary: 'Replace your tokens by a new one, which is shown only now',
      roles,
      body: { days: daysField },
      answer: newTokenAnswer,
    },
    async ({ days }, { deps, caller, actor }) => {
      const { token, tokenId, expiresAt } = await deps.operators.rotateToken({ caller, days, actor });
      return { token, token_id: tokenId, expires_at: expiresAt };
    },
  ),
  listOperators: call(
    {
      method: 'GET',
      paths: ['operators'],
      summary: 'All operators with their roles, live tokens and sessions at the desk',
      roles: ['admin'],
      query: { role: only(roles, 'Only operators with this role') },
      answer: operatorList,
    },
    async ({ role }, { deps, noteRead }) => {
      const all = (await deps.operators.list()).filter(
        (one) => role === undefined || one.roles.includes(role),
      );
      noteRead(...all.map(({ name }) => name));
      return { data: all.map(presentOperator) };
    },
  ),
  getOperator: call(
    {
      method: 'GET',
      paths: ['operators/{id}'],
      id: 'The name of the operator',
      summary: 'One operator with roles, live tokens and sessions at the desk',
      roles: ['admin'],
      answer: operator,
    },
    async (_input, { deps, id, noteRead }) => {
      const one = (await deps.operators.list()).find(({ name }) => name === id);
      if (!one) throw new GatewayError('not_found', `There is no operator ${id}`);
      noteRead(id);
      return presentOperator(one);
    },
  ),
  createOperator: call(
    {
      method: 'POST',
      paths: ['operators'],
      summary: 'Add a person, who may do nothing until proposals give a role and activate a token',
      roles: ['admin'],
      body: {
        name: z
          .string('is required')
          .regex(/^[a-z][a-z0-9.-]{1,39}$/, 'must be 2 to 40 lower-case letters, digits, dots and dashes')
          .meta({ description: name.description }),
        email: z
          .email('must be an e-mail address')
          .max(254, 'must have at most 254 characters')
          .meta({ description: "The person's e-mail address" }),
      },
      answer: nameAnswer,
      refusals: ['conflict'],
    },
    async ({ name, email }, { deps, actor }) => {
      await deps.operators.create({ name, email, roles: [], actor });
      return { name };
    },
  ),
} satisfies Record<string, Call>;
