import { z } from 'zod';
import { requireAccount } from '../accounts/store.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Call, call } from './call.ts';
import { pageQuery, uuidField } from './fields.ts';
import { presentKey, presentPage } from './present.ts';
import { keyList } from './schemas.ts';

/** API keys of merchants. A new one, and another secret of one, are proposed: `keys.create`, `keys.rotate`. */
export const keyCalls = {
  listKeys: call(
    {
      method: 'GET',
      path: 'keys',
      summary: 'API keys of all accounts, or of one, oldest first',
      roles: ['support', 'admin'],
      query: { ...pageQuery, account: uuidField.optional() },
      answer: keyList,
    },
    async ({ page, per_page, account }, { deps }) => {
      if (account !== undefined) await requireAccount(deps.database, account);
      const asked = { page, perPage: per_page };
      return presentPage(await deps.keys.listKeys({ ...asked, accountId: account }), asked, presentKey);
    },
  ),
  revokeKey: call(
    {
      method: 'POST',
      path: 'keys/{id}/revoke',
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
