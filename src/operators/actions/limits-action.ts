import { z } from 'zod';
import { limitsOf, lockLimits, setLimits } from '../../accounts/limits.ts';
import {
  describeLimit,
  forEachLimit,
  type Limits,
  limitMeanings,
  limitNames,
  limitRules,
} from '../../domain/limits.ts';
import {
  accountIdField,
  declare,
  documented,
  exampleAccount,
  inShillings,
  NeedsAnother,
  seen,
  sentenceField,
} from './actions.ts';
import { fact, requireSubject, subjectNamed } from './facts.ts';

/** Money is in minor units (1 TZS = 100); null is no limit. A missing limit does not change. */
export const limitsField = z
  .strictObject(
    forEachLimit((name) => {
      const message = `must be a whole number from 1 to ${limitRules[name].most}, or null`;
      const field = z.int(message).min(1, message).max(limitRules[name].most, message).nullable().optional();
      const said = documented(limitMeanings[name]);
      return field.meta(limitRules[name].unit === 'money' ? { ...said, ...inShillings } : said);
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

type Change = {
  account_id: string;
  key_id?: string | undefined;
  limits: Partial<Limits>;
  before?: Partial<Limits> | undefined;
};

/** Two operators weaken a limit; one can tighten it. */
export const setLimitsAction = declare<Change>({
  title: 'Set limits of payouts: at once; to weaken one needs two operators',
  command: 'limits set <account_id>',
  note: 'What is left empty stays as it is; “none” lifts a limit.',
  example: [
    'the merchant grows, ticket 455',
    { account_id: exampleAccount, limits: { payout_max: 100_000_000, payouts_per_day: null } },
  ],
  role: 'admin',
  alone: ['admin'],
  payload: z
    .strictObject({
      account_id: accountIdField,
      key_id: sentenceField(100).meta({ description: "Left out: the account's own" }).optional(),
      limits: limitsField,
      before: limitsField
        .meta(seen('As they are now: money in minor units (1 TZS = 100), null for none'))
        .optional(),
    })
    // A form sends all limits: keep only the ones that change.
    .transform(({ before, ...change }): Change => {
      return before === undefined ? change : { ...change, before: those(change.limits, before) };
    }),
  async describe(change, view) {
    const { limits, before = {} } = change;
    const facts = namedIn(limits).map((name) =>
      fact(name, describeLimit(name, limits[name] ?? null), describeLimit(name, before[name] ?? null)),
    );
    const values = facts.map(({ name, after }) => `${name} ${after}`);
    return {
      summary: `Limits of ${await subjectNamed(view, change)} from now on: ${values.join(', ')}`,
      facts,
    };
  },
  async seen(db, change) {
    return { before: those(change.limits, await limitsOf(db, await requireSubject(db, change))) };
  },
  lock: async (db, change) => lockLimits(db, await requireSubject(db, change)),
  async execute(db, change, { actor, agreed, proposalId }) {
    const subject = await requireSubject(db, change);
    const mayRaise = agreed === 2;
    const set = { ...subject, limits: change.limits, actor, ...(mayRaise && { proposalId }) };
    const { applied, raised } = await setLimits(db, set, { mayRaise });
    if (!applied) throw new NeedsAnother();
    const weakens = raised.length === 0 ? 'which weakens nothing' : `which weakens ${raised.join(', ')}`;
    return { outcome: `the limits are set, ${weakens}` };
  },
});

const namedIn = (limits: Partial<Limits>) => limitNames.filter((name) => limits[name] !== undefined);

const those = (named: Partial<Limits>, of: Partial<Limits>): Partial<Limits> =>
  Object.fromEntries(namedIn(named).flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]])));
