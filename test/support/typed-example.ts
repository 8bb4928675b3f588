import type { Tier } from '../../src/domain/data/fees.ts';
import { writeTiers } from '../../src/domain/fee-words.ts';
import type { Asked } from '../../src/operators/asked.ts';

const at = (payload: unknown, name: string) =>
  name
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], payload);

/** Types a member of an example as a person does. */
export function typedOf({ name, kind }: Asked, payload: object): string | undefined {
  const values = name.split(':').map((one) => at(payload, one));
  const [value] = values;
  if (value === undefined || kind === 'only') return undefined;
  if (value === null) return 'none';
  if (kind === 'money') return String(Number(value) / 100);
  if (kind === 'fee') return writeTiers((value as { tiers: Tier[] }).tiers);
  if (kind === 'yes or no') return value ? 'yes' : 'no';
  return values.join(':');
}
