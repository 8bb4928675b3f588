import { limitsOf, requireOwnKey, setLimits } from '../accounts/limits.ts';
import { requireAccount } from '../accounts/store.ts';
import type { Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { GatewayError } from '../domain/errors.ts';
import { limitsField } from '../operators/proposals/limits-action.ts';
import { type Call, call } from './call.ts';
import { text } from './fields.ts';
import { presentLimits } from './present.ts';
import { limitsAnswer } from './schemas.ts';

/** The key whose limits are meant; without it the account's own. */
const keyField = text(100).optional();

/** The limits of payouts of accounts and keys. One person tightens them; a change that weakens a guard is proposed (`limits.set`). */
export const limitCalls = {
  getLimits: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/limits'],
      id: 'of the account',
      summary: 'The limits of an account, or with `key_id` of one of its keys; money in minor units',
      roles: ['support', 'finance', 'admin'],
      query: { key_id: keyField },
      answer: limitsAnswer,
    },
    async ({ key_id }, { deps, id }) => {
      const subject = await requireSubject(deps.database, id, key_id);
      return presentLimits(await limitsOf(deps.database, subject));
    },
  ),
  setLimits: call(
    {
      method: 'PUT',
      paths: ['accounts/{id}/limits'],
      id: 'of the account',
      summary: 'Set limits that weaken no guard, at once; those that are not named stay as they are',
      roles: ['admin'],
      body: { key_id: keyField, limits: limitsField },
      answer: limitsAnswer,
      refusals: ['conflict'],
    },
    async ({ key_id, limits }, { deps, actor, id }) => {
      const subject = await requireSubject(deps.database, id, key_id);
      const set = await inTransaction(deps.database, (db) =>
        setLimits(db, { ...subject, limits, actor }, { mayRaise: false }),
      );
      if (set.applied) return presentLimits(set.limits);
      const message = `Nothing was set: this weakens ${set.raised.join(', ')}, which has to be proposed (limits.set)`;
      throw new GatewayError('conflict', message);
    },
  ),
} satisfies Record<string, Call>;

async function requireSubject(db: Queryable, account: string, keyId: string | undefined) {
  const { id: accountId } = await requireAccount(db, account);
  const subject = { accountId, apiKeyId: keyId ?? null };
  await requireOwnKey(db, subject);
  return subject;
}
