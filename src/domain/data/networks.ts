import { z } from 'zod';
import json from '../../../data/networks.json' with { type: 'json' };
import { CURRENCY } from '../money.ts';
import { checked, prose, readData, type Wrong } from './read-data.ts';

/** A send gives up after 20 s. A second send must come later than that plus a slow worker's delay. */
const SETTLE_SECONDS_MIN = 26;

const limit = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER / 100);
function* inOrder({ min, max }: { min: number; max: number }): Iterable<Wrong> {
  if (max < min) yield { path: ['max'], message: `${max} is less than min, which is ${min}` };
}
const limits = checked(z.strictObject({ min: limit, max: limit }), inOrder);

const seconds = z.int().min(1);
const settleSeconds = z.int().min(SETTLE_SECONDS_MIN, {
  error: `must be at least ${SETTLE_SECONDS_MIN}: a second send must not meet the first`,
});
const upper = z.string().regex(/^[A-Z0-9]+(-[A-Z0-9]+)*$/, { error: 'must be upper-case words joined by -' });
const prefix = z.string().regex(/^0[67]\d$/, { error: 'must be 06 or 07 and a digit' });

const network = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'must be lower-case words joined by -' }),
  name: upper,
  customer_name: z.string().min(1).max(40),
  note: prose,
  enabled: z.boolean(),
  aliases: z.array(upper),
  prefixes: z.array(prefix),
  prefixes_unsure: z.array(prefix),
  ussd_push: checked(
    z.strictObject({
      min: limit,
      max: limit,
      prompt_ttl_seconds: seconds,
      prompt_enquiries_seconds: z.array(seconds),
    }),
    inOrder,
  ),
  payout: limits,
  bill: z.strictObject({
    /** protocol for bills in the simulator */
    protocol: z.string().min(1),
    refusal_returns_money: z.boolean(),
  }),
  menu: z.strictObject({
    code: z.string().regex(/^\*[\d*]+#$/, { error: 'must be what is dialled, like *150*00#' }),
    sw: prose,
    en: prose,
  }),
  first_enquiry_after_seconds: seconds,
  settle_time_seconds: settleSeconds,
});
type NetworkRow = z.output<typeof network>;

/** A name (ignoring case) or prefix must belong to one network only. */
function* ambiguous(rows: readonly NetworkRow[]): Iterable<Wrong> {
  const owners = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const claims: [path: PropertyKey[], value: string][] = [
      [['id'], row.id.toUpperCase()],
      ...(row.name === row.id.toUpperCase() ? [] : ([[['name'], row.name]] as [PropertyKey[], string][])),
      ...(['aliases', 'prefixes', 'prefixes_unsure'] as const).flatMap((list) =>
        row[list].map((value, at): [PropertyKey[], string] => [[list, at], value]),
      ),
    ];
    for (const [path, value] of claims) {
      const owner = owners.get(value);
      if (owner !== undefined)
        yield { path: [index, ...path], message: `${value} belongs to ${owner} already` };
      owners.set(value, row.id);
    }
  }
}

const percent = z.int().min(1).max(100);
const health = checked(
  z.strictObject({
    window_seconds: z.int().min(10).max(3_600),
    results_min: z.int().min(2).max(1_000),
    degraded_percent: percent,
    down_percent: percent,
    probe_first_seconds: seconds,
    probe_last_seconds: seconds,
    payout_wait_hours: z.int().min(1).max(168),
  }),
  function* (rules) {
    if (rules.down_percent <= rules.degraded_percent)
      yield { path: ['down_percent'], message: 'must be more than degraded_percent' };
    if (rules.probe_last_seconds < rules.probe_first_seconds)
      yield { path: ['probe_last_seconds'], message: 'must not be less than probe_first_seconds' };
  },
);

export const schema = z.strictObject({
  currency: z.literal(CURRENCY),
  prefix_rule: prose,
  limits_rule: prose,
  settle_time_rule: prose,
  bill_rule: prose,
  customer_name_rule: prose,
  menu_rule: prose,
  refund_rule: prose,
  health_rule: prose,
  health,
  refund: z.strictObject({ within_days: z.int().min(1).max(3_650) }),
  limits: z.strictObject({ bank_payout: limits, bill: limits, qr: limits }),
  networks: checked(z.array(network), function* (rows) {
    yield* ambiguous(rows);
    if (!rows.some((row) => row.enabled)) yield { path: [], message: 'no network is enabled' };
  }),
  bank: z.strictObject({ first_enquiry_after_seconds: seconds, settle_time_seconds: settleSeconds }),
});

export const networkData = readData('data/networks.json', schema, json);
