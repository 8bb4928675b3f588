import { z } from 'zod';
import { countOf } from '../../domain/count-of.ts';
import { conflict } from '../../domain/errors.ts';
import { minor } from '../../domain/money.ts';
import { type Declared, declare, prepare, seen, withSeen } from './actions.ts';
import { type Described, fact, shillings } from './facts.ts';
import { exampleItem, releaseFields } from './suspense-items.ts';

export const ITEMS_MAX = 50;

export const TOGETHER = 'suspense.together';
const waysTogether = ['to-merchant', 'to-payer', 'write-off'] as const;
type Way = (typeof waysTogether)[number];

const { note, ...itemFields } = releaseFields;
const some = `must name 1 to ${ITEMS_MAX} items, each once`;
const bound = z.string().max(600).optional();
const itsFacts = z.strictObject({
  ...itemFields,
  account_id: bound.meta(seen('The merchant')),
  paid_by: bound.meta(seen('The row that named the payer; fixed when it is proposed')),
});
const idOf = (one: string | { item: string }) => (typeof one === 'string' ? one : one.item);
const payload = z
  .strictObject({
    way: z
      .enum(waysTogether, `must be one of ${waysTogether.join(', ')}`)
      .meta({ title: 'How to release them' }),
    items: z
      .array(z.union([z.string(), itsFacts], 'must be the id of an item'), some)
      .min(1, some)
      .max(ITEMS_MAX, some)
      .refine((items) => new Set(items.map(idOf)).size === items.length, some)
      .meta({ title: 'Items', description: 'Ids, or items with the values that you saw' }),
    note,
    were: z.array(itsFacts).optional().meta(seen('The items as a page showed them, also other ones')),
  })
  .transform(({ way, items, note, were = [] }) => ({
    way,
    note,
    // A fixed order prevents a deadlock between two approvals.
    items: items
      .map((one) =>
        typeof one !== 'string' ? one : (were.find(({ item }) => item === one) ?? { item: one }),
      )
      .toSorted((a, b) => (a.item < b.item ? -1 : 1)),
  }));
type Item = z.output<z.ZodObject<typeof itemFields>>;
type Together = { way: Way; items: Item[]; note: string };

/** Releases similar items: all of them, or none if one has changed since the proposal. */
export function createTogetherAction(ways: Record<Way, Declared>): Declared {
  const each = async <T>(
    { way, items, note }: Together,
    work: (action: Declared, item: Item & { note: string }) => Promise<T>,
  ): Promise<T[]> => {
    const all: T[] = [];
    for (const item of items) all.push(await work(ways[way], { ...item, note }));
    return all;
  };
  return declare<Together, unknown[]>({
    title: 'Release several items in the same way: all of them or none',
    command: 'suspense together <way>',
    note: `At most ${ITEMS_MAX}. Merchants get the items of their own transactions, payers what they paid.`,
    example: [
      'the merchant delivered them all, ticket 812',
      { way: 'to-merchant', items: [exampleItem.item, 'si_7c1d20aa93f0'], note: exampleItem.note },
    ],
    role: 'finance',
    payload: payload as unknown as z.ZodType<Together>,
    async bind(db, { way, items, note }) {
      const all: Item[] = [];
      for (const item of items) all.push((await withSeen(db, ways[way], item)) as Item);
      return { way, items: all, note };
    },
    async check(db, asked) {
      if (new Set(asked.items.map(({ currency }) => currency)).size > 1)
        throw conflict('Items of different currencies cannot be released together');
      return each(asked, (action, item) => prepare(db, action, item));
    },
    async describe(asked, view) {
      const said = await each(
        asked,
        async (action, item) => (await action.describe?.(item, view)) as Described,
      );
      const [first] = asked.items;
      const sum = minor(asked.items.reduce((all, { amount = 0 }) => all + amount, 0));
      return {
        summary:
          `${countOf(asked.items.length, 'item')}, ${shillings(sum, first?.currency)} in all, ` +
          `to leave suspense (${asked.way}): ${asked.note}`,
        facts: said.map(({ summary, facts = [] }, at) =>
          fact(`item ${asked.items[at]?.item}`, summary, facts[0]?.before ?? null),
        ),
        people: said.flatMap(({ people = [] }) => people),
      };
    },
    async execute(db, asked, approval, found) {
      const waiting = found.values();
      const also = await each(asked, (action, item) =>
        action.execute(db, item, approval, waiting.next().value),
      );
      return { outcome: `left suspense: ${countOf(also.length, 'item')}`, also };
    },
  });
}
