import { z } from 'zod';
import json from '../../../data/fees.json' with { type: 'json' };
import { forEachService, servicesWithFee, tierMeanings, tiersMeaning } from '../fee-services.ts';
import { CURRENCY, MINOR_PER_UNIT } from '../money.ts';
import { checked, prose, readData, repeated, type Wrong } from './read-data.ts';

/** A larger fee was mistyped: no payment is that large. */
const SHILLINGS_MAX = 1_000_000_000;
const whole = z.int().min(0).max(SHILLINGS_MAX);

const tier = checked(
  z.strictObject({
    from: whole.meta({ description: tierMeanings.from }),
    to: whole.nullable().meta({ description: tierMeanings.to }),
    fixed: whole.meta({ description: tierMeanings.fixed }),
    basis_points: whole.max(10_000).meta({ description: tierMeanings.basis_points }),
    min: whole.meta({ description: tierMeanings.min }),
    max: whole.nullable().meta({ description: tierMeanings.max }),
  }),
  function* ({ min, max }) {
    if (max !== null && max < min)
      yield { path: ['max'], message: `${max} is less than min, which is ${min}` };
  },
).meta({ id: 'OwnFeeTier' });

/** Every value has one tier: the first begins at 0, each follows the one before, the last has no end. */
function* gaps(tiers: readonly z.output<typeof tier>[]): Iterable<Wrong> {
  let next: number | null = 0;
  for (const [index, { from, to }] of tiers.entries()) {
    if (next === null) yield { path: [index, 'from'], message: 'the tier before has no end (to is null)' };
    else if (from > next)
      yield { path: [index, 'from'], message: `no tier has the values from ${next} to ${from - 1}` };
    else if (from < next)
      yield { path: [index, 'from'], message: `two tiers have the value ${from}; it must be ${next}` };
    if (to !== null && to < from)
      yield { path: [index, 'to'], message: `${to} is less than from, which is ${from}` };
    next = to === null ? null : to + 1;
  }
  if (next !== null)
    yield {
      path: [tiers.length - 1, 'to'],
      message: `the last tier must have no end (null), not ${next - 1}`,
    };
}

const TIERS_MAX = 50;
export const tiersField = checked(
  z.array(tier).min(1, { error: 'there is no tier' }).max(TIERS_MAX),
  gaps,
).meta({ description: tiersMeaning });

const collection = z.strictObject({
  taken: z.literal('from_value', { error: 'a fee of a collection is taken from_value' }),
  tiers: tiersField,
  note: prose.optional(),
});
const payout = collection.extend({
  taken: z.literal('on_top', { error: 'a fee of a payout is taken on_top' }),
});

const version = z.strictObject({
  /** a plus joins this version with that of an account's own fees */
  version: z.string().regex(/^[^+]+$/, { error: 'must have a character, and no plus' }),
  /** compared as text with the time of an acceptance */
  effective_from: z.iso.datetime({ precision: 6, error: 'must be a moment in UTC with six decimals' }),
  services: z.strictObject(
    forEachService((service) => (servicesWithFee[service].taken === 'on_top' ? payout : collection)),
  ),
});

export const schema = z.strictObject({
  currency: z.literal(CURRENCY),
  minor_units: z.literal(MINOR_PER_UNIT),
  rule: prose,
  units: prose,
  borne_by: prose,
  versions: checked(z.array(version).min(1, { error: 'there is no version' }), function* (versions) {
    yield* repeated(versions, 'version', 'version');
    for (const [index, { effective_from }] of versions.entries()) {
      const before = versions[index - 1]?.effective_from;
      if (before !== undefined && effective_from <= before)
        yield {
          path: [index, 'effective_from'],
          message: `must be later than ${before}, of the version before`,
        };
    }
  }),
});

export type FeeVersion = z.output<typeof version>;
export type Tier = z.output<typeof tier>;

/** the oldest version first */
export const feeVersions: readonly FeeVersion[] = readData('data/fees.json', schema, json).versions;
