import { z } from 'zod';
import { requireOwnKey, setLimits } from '../accounts/limits.ts';
import { requireAccount } from '../accounts/store.ts';
import type { Queryable } from '../db/pool.ts';
import { describeLimit, forEachLimit, type Limits, limitNames, limitRules } from '../domain/limits.ts';
import { accountIdField, action, sentenceField } from './actions.ts';

/** Some limits as they are sent: money in minor units (1 TZS = 100), null for none; what is left out stays as it is. */
export const limitsField = z
  .strictObject(
    forEachLimit((name) => {
      const message = `must be a whole number from 1 to ${limitRules[name].most}, or null`;
      return z.int(message).min(1, message).max(limitRules[name].most, message).nullable().optional();
    }),
    { error: (issue) => (issue.input === undefined ? 'is required' : undefined) },
  )
  .transform((given): Partial<Limits> => {
    const named = limitNames.filter((name) => given[name] !== undefined);
    return Object.fromEntries(named.map((name) => [name, given[name]]));
  })
  .refine((limits) => Object.keys(limits).length > 0, 'must name a limit')
  .meta({
    minProperties: 1,
    description: 'Money in minor units (1 TZS = 100), null for none; what is left out stays as it is',
  });

type Change = { account_id: string; key_id?: string | undefined; limits: Partial<Limits> };

/** Weaker guards of an account or a key. Tightening them needs one operator. */
export const setLimitsAction = action<Change>({
  role: 'admin',
  payload: z.strictObject({
    account_id: accountIdField,
    key_id: sentenceField(100).meta({ description: "Left out: the account's own" }).optional(),
    limits: limitsField,
  }),
  describe: ({ account_id, key_id, limits }) => {
    const whose = key_id === undefined ? `account ${account_id}` : `key ${key_id} of account ${account_id}`;
    const named = limitNames.filter((name) => limits[name] !== undefined);
    const values = named.map((name) => `${name} ${describeLimit(name, limits[name] ?? null)}`);
    return `Limits of ${whose} from now on: ${values.join(', ')}`;
  },
  async check(db, change) {
    await requireSubject(db, change);
  },
  async execute(db, change, { actor, proposalId }) {
    const subject = await requireSubject(db, change);
    const { raised } = await setLimits(
      db,
      { ...subject, limits: change.limits, actor, proposalId },
      { mayRaise: true },
    );
    const weakens = raised.length === 0 ? 'which weakens nothing' : `which weakens ${raised.join(', ')}`;
    return { outcome: `the limits are set, ${weakens}` };
  },
});

async function requireSubject(db: Queryable, { account_id, key_id }: Change) {
  const { id: accountId } = await requireAccount(db, account_id);
  const subject = { accountId, apiKeyId: key_id ?? null };
  await requireOwnKey(db, subject);
  return subject;
}
