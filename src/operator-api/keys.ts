import { z } from 'zod';
import { scopes } from '../accounts/keys.ts';
import { requireAccount } from '../accounts/store.ts';
import { GatewayError } from '../domain/errors.ts';
import { type Call, call } from './call.ts';
import { oneOf, pageQuery, text, timeField, uuidField } from './fields.ts';
import { presentKey, presentPage } from './present.ts';
import { keyList, newKeyAnswer } from './schemas.ts';

const someScopes = `must name what the key may do, at least one of ${scopes.join(', ')}`;

/** API keys of merchants. A key's text is in the answer that makes it, and nowhere else. */
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
  createKey: call(
    {
      method: 'POST',
      path: 'accounts/{id}/keys',
      id: 'of the account',
      summary: 'Make an API key; its text is shown only now',
      roles: ['admin'],
      body: {
        scopes: z.array(oneOf(scopes), { error: someScopes }).min(1, someScopes).max(scopes.length),
        label: text(100).optional(),
        expires_at: timeField
          .refine((time) => Date.parse(time) > Date.now(), 'lies in the past: the key could never be used')
          .optional(),
        allowed_ips: z.array(text(50)).max(50, 'must have at most 50 entries').optional(),
      },
      answer: newKeyAnswer,
    },
    async ({ scopes, label, expires_at, allowed_ips }, { deps, actor, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      const made = await deps.keys.createKey({
        accountId,
        actor,
        scopes,
        label,
        expiresAt: expires_at,
        allowedIps: allowed_ips,
      });
      return { id: made.id, api_key: made.apiKey };
    },
  ),
  rotateKey: call(
    {
      method: 'POST',
      path: 'keys/{id}/rotate',
      id: 'of the key',
      summary: 'Add a secret to a key; the one before stays valid until the next rotation',
      roles: ['admin'],
      answer: newKeyAnswer,
    },
    async (_input, { deps, actor, id }) => {
      const made = await deps.keys.rotateKey({ keyId: id, actor });
      return { id: made.id, api_key: made.apiKey };
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
