import { z } from 'zod';
import { frozenSince, unfreeze } from '../../accounts/freeze.ts';
import type { LimitSubject } from '../../accounts/limits.ts';
import { conflict } from '../../domain/errors.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { accountIdField, declare, exampleAccount, seen, sentenceField } from './actions.ts';
import { fact, requireSubject, subjectNamed } from './facts.ts';

type Unfreeze = { account_id: string; key_id?: string | undefined; frozen_at?: string | undefined };

/** Lets an account or one of its keys create again. One person froze it; two agree that the reason is gone. */
export const unfreezeAction = declare<Unfreeze>({
  title: 'Lift the freeze',
  command: 'accounts unfreeze <account_id>',
  example: [
    'the stolen laptop was found, ticket 230',
    { account_id: exampleAccount, key_id: '4Fq81ZbnR0tx' },
  ],
  role: 'admin',
  payload: z.strictObject({
    account_id: accountIdField,
    key_id: sentenceField(100).meta({ description: 'Left out: the whole account' }).optional(),
    frozen_at: sentenceField(40)
      .meta({ ...seen, description: 'Which freeze is meant. Left out: the one that is there' })
      .optional(),
  }),
  async describe(asked, view) {
    const summary = `${await subjectNamed(view, asked)}, frozen ${asked.frozen_at}, is frozen no more`;
    return { summary, facts: [fact('state', 'not frozen', `frozen since ${asked.frozen_at}`)] };
  },
  async bind(db, asked) {
    const since = await frozenSince(db, await requireSubject(db, asked));
    return since === null ? asked : { frozen_at: since, ...asked };
  },
  async check(db, asked) {
    await requireFrozen(db, asked);
  },
  async execute(db, asked, { actor, proposalId }) {
    const subject = await requireFrozen(db, asked);
    if (!(await unfreeze(db, { ...subject, actor, proposalId }))) throw notFrozen(asked);
    return { outcome: `${nameOf(asked)} is frozen no more` };
  },
});

/** Throws unless the freeze is the one that was proposed to be lifted: a later one has its own reason. */
async function requireFrozen(db: Queryable, asked: Unfreeze): Promise<LimitSubject & { frozenAt: string }> {
  const subject = await requireSubject(db, asked);
  const since = await frozenSince(db, subject);
  if (since === null) throw notFrozen(asked);
  if (since !== asked.frozen_at)
    throw conflict(`${nameOf(asked)} was frozen again at ${since}: look at it again, and propose it again`);
  return { ...subject, frozenAt: since };
}

const notFrozen = (asked: Unfreeze) => conflict(`${nameOf(asked)} is not frozen`);

function nameOf({ account_id, key_id }: Unfreeze): string {
  return key_id === undefined ? `Account ${account_id}` : `Key ${key_id} of account ${account_id}`;
}
