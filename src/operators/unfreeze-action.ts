import { z } from 'zod';
import { isFrozen, unfreeze } from '../accounts/freeze.ts';
import { requireOwnKey } from '../accounts/limits.ts';
import { requireAccount } from '../accounts/store.ts';
import type { Queryable } from '../db/pool.ts';
import { GatewayError } from '../domain/errors.ts';
import { action, sentenceField } from './actions.ts';

type Unfreeze = { account_id: string; key_id?: string | undefined };

/** Lets an account or one of its keys create again. One person froze it; two agree that the reason is gone. */
export const unfreezeAction = action<Unfreeze>({
  role: 'admin',
  payload: z.strictObject({
    account_id: z.uuid('must be the id of an account').transform((id) => id.toLowerCase()),
    key_id: sentenceField(100).meta({ description: 'Left out: the whole account' }).optional(),
  }),
  describe: (asked) => `${nameOf(asked)} is frozen no more`,
  async check(db, asked) {
    await requireFrozen(db, asked);
  },
  async execute(db, asked, { actor, proposalId }) {
    const subject = await requireFrozen(db, asked);
    await unfreeze(db, { ...subject, actor, proposalId });
    return { outcome: `${nameOf(asked)} is frozen no more` };
  },
});

async function requireFrozen(db: Queryable, asked: Unfreeze) {
  const { id: accountId } = await requireAccount(db, asked.account_id);
  const subject = { accountId, apiKeyId: asked.key_id ?? null };
  await requireOwnKey(db, subject);
  if (!(await isFrozen(db, subject))) throw new GatewayError('conflict', `${nameOf(asked)} is not frozen`);
  return subject;
}

function nameOf({ account_id, key_id }: Unfreeze): string {
  return key_id === undefined ? `Account ${account_id}` : `Key ${key_id} of account ${account_id}`;
}
