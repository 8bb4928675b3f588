import { limitsOf, setLimits } from '../../accounts/limits.ts';
import { conflict } from '../../domain/errors.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { requireSubject } from '../actions/facts.ts';
import { limitsField } from '../actions/limits-action.ts';
import { type Call, call } from './call.ts';
import { text } from './fields.ts';
import { presentLimits } from './present.ts';
import { limitsAnswer } from './schemas.ts';

/** The key whose limits are meant; without it the account's own. */
const keyField = text(100).optional();

/** One person tightens limits of payouts; a change that weakens a guard is proposed (`limits.set`). */
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
      const subject = await requireSubject(deps.database, { account_id: id, key_id });
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
      const subject = await requireSubject(deps.database, { account_id: id, key_id });
      const set = await inTransaction(deps.database, (db) =>
        setLimits(db, { ...subject, limits, actor }, { mayRaise: false }),
      );
      if (set.applied) return presentLimits(set.limits);
      const weakened = set.raised.join(', ');
      throw conflict(`Nothing was set: this weakens ${weakened}, which has to be proposed (limits.set)`);
    },
  ),
} satisfies Record<string, Call>;
