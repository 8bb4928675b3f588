import { limitsOf } from '../../accounts/limits.ts';
import { requireSubject } from '../actions/facts.ts';
import { type Call, call } from './call.ts';
import { text } from './fields.ts';
import { presentLimits } from './present.ts';
import { limitsAnswer } from './schemas.ts';

export const limitCalls = {
  getLimits: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/limits'],
      id: 'of the account',
      summary: 'The limits of an account, or with `key_id` of one of its keys; money in minor units',
      roles: ['support', 'finance', 'admin'],
      query: { key_id: text(100, "The limits of this key; left out: the account's own").optional() },
      answer: limitsAnswer,
    },
    async ({ key_id }, { deps, id }) => {
      const subject = await requireSubject(deps.database, { account_id: id, key_id });
      return presentLimits(await limitsOf(deps.database, subject));
    },
  ),
} satisfies Record<string, Call>;
