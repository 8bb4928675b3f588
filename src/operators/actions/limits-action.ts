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
  keyIdField,
  NeedsAnother,
  seen,
} from './actions.ts';
import { fact, requireSubject, subjectNamed } from './facts.ts';

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
    description: 'Money in minor units (1 TZS = 100), null for no limit; a missing limit does not change',
  });

type Change = {
  account_id: string;
  key_id?: string | undefined;
  limits: Partial<Limits>;
  before?: Partial<Limits> | undefined;
};

/** One operator can tighten a limit; two must agree to weaken it. */
export const setLimitsAction = declare<Change>({
  title: 'Set payout limits; to weaken one needs two operators',
  command: 'limits set <account_id>',
  note: 'An empty field does not change the limit; “none” removes it.',
  example: [
    'the merchant grows, ticket 455',
    { account_id: exampleAccount, limits: { payout_max: 100_000_000, payouts_per_day: null } },
  ],
  role: 'admin',
  alone: ['admin'],
  payload: z
    .strictObject({
      account_id: accountIdField,
      key_id: keyIdField.meta({ description: 'Default: the limits of the account' }).optional(),
      limits: limitsField,
      before: limitsField
        .meta(seen('The limits now: money in minor units (1 TZS = 100), null for no limit'))
        .optional(),
    })
    // A form sends all current limits: keep the ones that this change names.
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
      summary: `Set limits of ${await subjectNamed(view, change)}: ${values.join(', ')}`,
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
    const weakens = raised.length === 0 ? 'none is weaker' : `weaker: ${raised.join(', ')}`;
    return { outcome: `the limits are set; ${weakens}` };
  },
});

const namedIn = (limits: Partial<Limits>) => limitNames.filter((name) => limits[name] !== undefined);

const those = (named: Partial<Limits>, of: Partial<Limits>): Partial<Limits> =>
  Object.fromEntries(namedIn(named).flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]])));
