import { z } from 'zod';
import { keyStates } from '../../accounts/keys.ts';
import { requireAccount } from '../../accounts/store.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Call, call } from './call.ts';
import { oneOf, pageQuery, uuidField } from './fields.ts';
import { presentKey, presentPage } from './present.ts';
import { keyList } from './schemas.ts';

export const keyCalls = {
  listKeys: call(
    {
      method: 'GET',
      paths: ['keys'],
      summary: 'API keys of all accounts, or of one, oldest first',
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, account: uuidField.optional(), state: oneOf(keyStates).optional() },
      answer: keyList,
    },
    async ({ page, per_page, account, state }, { deps }) => {
      if (account !== undefined) await requireAccount(deps.database, account);
      const asked = { page, perPage: per_page };
      return presentPage(
        await deps.keys.listKeys({ ...asked, accountId: account, state }),
        asked,
        presentKey,
      );
    },
  ),
  revokeKey: call(
    {
      method: 'POST',
      paths: ['keys/{id}/revoke'],
      id: 'of the key',
      summary: 'End a key with all its secrets, at once',
      roles: ['admin'],
      answer: z.strictObject({ id: z.string() }),
    },
    async (_input, { deps, actor, id }) => {
      if (!(await deps.keys.revokeKey({ keyId: id, actor })))
        throw new GatewayError('not_found', `There is no live key ${id}`);
      return { id };
    },
  ),
} satisfies Record<string, Call>;
