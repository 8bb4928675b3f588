import { z } from 'zod';
import { BrokenInvariant, conflict, GatewayError } from '../../domain/errors.ts';
import { type Minor, minor } from '../../domain/money.ts';
import { postPairOfItems, postShownHalf } from '../../ledger/line-decisions.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { dismiss, lockAccounts, movedBalance } from '../../reconciliation/closed-days.ts';
import { correctOurs } from '../../reconciliation/correct-ours.ts';
import { groupsOf, type Proven, type StatementAccounts } from '../../reconciliation/groups.ts';
import { findItem, itemsOf, openAmount, type ReconciliationItem } from '../../reconciliation/items.ts';
import { requireRecovered } from '../../transactions/care/fence.ts';
import { endAlarmOf } from '../../transactions/odd-money/suspense.ts';
import { type Declared, declare, documented, notZero, seen, sentenceField } from './actions.ts';
import { fact, shillings } from './facts.ts';
import { openFor, release } from './suspense-actions.ts';
import { lockItem } from './suspense-items.ts';

/** Operators decide in these ways on a line, or on a movement of ours without a line. */
export const lineWays = ['charge', 'sweep', 'own', 'ours', 'stands'] as const;
export type LineWay = (typeof lineWays)[number];

type Decision = { line: string; amount: Minor; currency: string; note: string; half?: string | undefined };
type Found = { item: ReconciliationItem; group: Proven };

const lineId = z.string().regex(/^(ln|en)_\d{1,18}$/, 'must be the id of a line');

const payload = z.strictObject({
  line: lineId.meta(documented('The id of the line, or of our movement that no statement shows')),
  amount: z
    .int('must be the amount of the line in minor units')
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor)
    .optional()
    .meta({
      ...seen(
        'The amount of the line, or of its suspense item if that differs, ' +
          'in minor units (1 TZS = 100); above zero: into the account',
      ),
      ...notZero,
    }),
  currency: z
    .string('must be the currency of the line')
    .max(3)
    .optional()
    .meta(seen('The currency of the line')),
  note: sentenceField(255).meta({ title: 'How you know' }),
});

const sweepPayload = payload.extend({
  half: lineId.optional().meta({
    title: 'The other half of the transfer',
    description:
      'An open line of another account, or our movement that this line shows. ' +
      'Default: the only one that fits',
  }),
});

const becomes: Record<LineWay, string> = {
  charge: 'a charge of the network or bank',
  sweep: 'one half of a transfer between our own accounts',
  own: "the company's own money",
  stands: 'no other movement: the first statement is right',
  ours: 'no movement: our books are corrected, and the money is an item in suspense',
};

const exampleOf = (line: string, amount = -1_200_000) => {
  return { line, amount, currency: 'TZS', note: 'maintenance fee of November' };
};

const shown: Record<LineWay, Pick<Declared, 'title' | 'example'>> = {
  charge: {
    title: 'It is a charge of the network or bank',
    example: ['the monthly fee, as their tariff says', exampleOf('ln_4811')],
  },
  sweep: {
    title: 'It is one half of a transfer between our own accounts',
    example: ['the working account was moved to the bank', exampleOf('ln_4812')],
  },
  own: {
    title: "It is the company's own money",
    example: ['the directors put in the float', exampleOf('ln_4813', 500_000_000_00)],
  },
  ours: {
    title: 'The money never moved: correct our books',
    example: ['the network confirms that it never had it', exampleOf('en_90211')],
  },
  stands: {
    title: 'The first statement is right',
    example: ['the network says that its first list was right', exampleOf('ln_4814')],
  },
};

const OPEN_MAX = 10_000;

/**
 * A line's money leaves suspense as a charge, a sweep or our own money. A movement without a line is
 * corrected.
 */
export function lineActions(accounts: StatementAccounts): Record<`lines.${LineWay}`, Declared> {
  const decide = (way: LineWay) =>
    declare({
      ...shown[way],
      command: `lines ${way} <line>`,
      role: 'finance',
      payload: (way === 'sweep' ? sweepPayload : payload) as z.ZodType<Decision>,
      async bind(db, asked) {
        if (way !== 'sweep') return asked;
        const { item } = await requireOpen(db, accounts, { asked, way });
        return { ...asked, half: (await otherHalf(db, accounts, { item, named: asked.half })).id };
      },
      async seen(db, asked) {
        const { item } = await known(db, accounts, asked.line);
        return { amount: openAmount(item), currency: item.currency };
      },
      // An import takes the same locks when it matches lines.
      lock: (db) => lockAccounts(db, accounts.keys()),
      async describe(asked, { db, isOpen }) {
        const { item } = await known(db, accounts, asked.line);
        const { account, day, kind, receipt, reference } = item;
        const amount = openAmount(item);
        const size = shillings(amount, item.currency);
        const whole = shillings(item.amount, item.currency);
        const money = amount === item.amount ? size : `${size}, by which a line of ${whole} differs,`;
        const named = receipt ?? reference ?? 'no receipt';
        const summary =
          `${money} of ${account} on ${day} (${kind}, ${named}) is ` +
          `${becomes[way]}${asked.half ? ` (the other half: ${asked.half})` : ''}: ${asked.note}`;
        if (!isOpen) return { summary };
        const half = asked.half ? (await known(db, accounts, asked.half)).item : null;
        const facts = [fact(`${asked.line} of ${account}`, becomes[way], whereNow(item))];
        if (half)
          facts.push(
            fact(
              `${half.id} of ${half.account}`,
              `the other half, ${shillings(openAmount(half), half.currency)}`,
              whereNow(half),
            ),
          );
        return { summary, facts };
      },
      async check(db, asked) {
        await requireRecovered(db);
        const found = await requireOpen(db, accounts, { asked, way });
        if (way !== 'sweep') return { ...found, half: null };
        return { ...found, half: await otherHalf(db, accounts, { item: found.item, named: asked.half }) };
      },
      async execute(db, asked, approval, found) {
        const agreed = { proposalId: approval.proposalId, note: asked.note };
        if (way === 'charge' || way === 'own') {
          const asItem = { item: (await inSuspense(db, found.item)).id };
          await lockItem(db, asItem);
          const to = { to: way === 'charge' ? 'charges' : 'own' } as const;
          const item = await openFor(db, asItem, to);
          return release(db, { item, note: asked.note, to }, approval);
        }
        if (found.half) await sweep(db, [found.item, found.half], agreed);
        else if (way === 'stands')
          await dismiss(db, { line: idOf(found.item), proposalId: approval.proposalId });
        else if (!(await correctOurs(db, { entry: idOf(found.item), group: found.group, agreed })))
          throw conflict(
            `${asked.line} was taken back before, so nothing moved. ` +
              'If the entry that took it back is open, correct that entry first',
          );
        const { account, receipt } = found.item;
        const amount = openAmount(found.item);
        const detail = { account, amount, receipt, note: asked.note, proposal: approval.proposalId };
        await audit(db, { actor: approval.actor, action: `lines.${way}`, subject: asked.line, detail });
        return { outcome: `${asked.line} (${shillings(amount)}) is ${becomes[way]}` };
      },
    });
  return {
    'lines.charge': decide('charge'),
    'lines.sweep': decide('sweep'),
    'lines.own': decide('own'),
    'lines.ours': decide('ours'),
    'lines.stands': decide('stands'),
  };
}

const whereNow = ({ state, item, class: its }: ReconciliationItem) =>
  item !== null
    ? `${state}, in suspense as ${item}`
    : `${state}, ` +
      `${
        its === 'changed'
          ? 'reported differently before'
          : its === 'differs'
            ? 'failed, says their statement'
            : 'only in our books'
      }`;

const isOurs = ({ id }: ReconciliationItem) => id.startsWith('en_');

const idOf = ({ id }: ReconciliationItem) => Number(id.slice('ln_'.length));

async function known(db: Queryable, accounts: StatementAccounts, id: string): Promise<Found> {
  const found = await findItem(db, accounts, id);
  if (!found) throw new GatewayError('not_found', `There is no line ${id}`);
  return found;
}

/** Throws `not_found` or `conflict` if this decision does not fit the line. */
async function requireOpen(
  db: Queryable,
  accounts: StatementAccounts,
  { asked, way }: { asked: Pick<Decision, 'line'>; way: LineWay },
): Promise<Found> {
  const found = await known(db, accounts, asked.line);
  const { item } = found;
  if (item.state !== 'open') throw conflict(`${item.id} is ${item.state}: there is nothing to decide`);
  if (way === 'ours' && !isOurs(item))
    throw conflict(
      `${item.id} is a line of their statement: decide charge, sweep or own, or release its suspense item`,
    );
  if ((way === 'stands') !== (item.class === 'changed'))
    throw conflict(
      way === 'stands'
        ? `${item.id} was reported only once: no earlier report exists`
        : `${item.id} was reported differently before: ` +
            'decide that the first statement is right, or void the wrong one of the two statements',
    );
  if (way === 'stands' && (await movedBalance(db, idOf(item))))
    throw conflict(
      `${item.id} is part of the balance that its statement proves, so no day would balance without it: ` +
        'void the wrong one of the two statements',
    );
  if (way !== 'ours' && way !== 'stands' && item.item === null)
    throw conflict(
      isOurs(item)
        ? `${item.id} is our own movement: correct our books first`
        : `${item.id} is not in suspense yet: wait some minutes, or until its transaction has ended`,
    );
  return found;
}

async function inSuspense(db: Queryable, { id, item }: ReconciliationItem): Promise<SuspenseItem> {
  const found = item === null ? null : await getSuspenseItem(db, item);
  if (found === null) throw new BrokenInvariant(`${id} has no item in suspense`);
  return found;
}

/**
 * Finds what may be the other half of a transfer between our accounts: another account's line, or a booked
 * half that no line shows.
 */
export async function halvesOf(
  db: Queryable,
  accounts: StatementAccounts,
  item: ReconciliationItem,
): Promise<ReconciliationItem[]> {
  const amount = openAmount(item);
  const isHalf = (one: ReconciliationItem) =>
    one.currency === item.currency &&
    (isOurs(one)
      ? one.kind === 'sweep' && one.account === item.account && one.amount === amount
      : one.item !== null && one.account !== item.account && openAmount(one) === -amount);
  const halves: ReconciliationItem[] = [];
  for (const group of groupsOf(accounts)) {
    const open = await itemsOf(db, group, { states: ['open', 'waiting'], limit: OPEN_MAX });
    halves.push(...open.filter(isHalf));
  }
  return halves;
}

/** If several fit, `named` must choose. */
async function otherHalf(
  db: Queryable,
  accounts: StatementAccounts,
  { item, named }: { item: ReconciliationItem; named: string | undefined },
): Promise<ReconciliationItem> {
  const halves = (await halvesOf(db, accounts, item)).filter(({ id }) => named === undefined || id === named);
  const [half, second] = halves;
  if (second) throw conflict(`Both ${half?.id} and ${second.id} fit ${item.id}: name its other half`);
  if (half) return half;
  const size = shillings(-openAmount(item), item.currency);
  throw conflict(
    named === undefined
      ? `${item.id} has no other half: no other account has an open line of ${size}`
      : `${named} is no longer the other half of ${item.id}: look at both again`,
  );
}

async function sweep(
  db: Queryable,
  [one, other]: [ReconciliationItem, ReconciliationItem],
  agreed: { proposalId: string; note: string },
): Promise<void> {
  const item = await inSuspense(db, one);
  const items = isOurs(other) ? [item] : [item, await inSuspense(db, other)];
  const [, far] = items;
  const isDone = far
    ? await postPairOfItems(db, [item, far], { kind: 'sweep', transactionId: null, ...agreed })
    : await postShownHalf(db, { item, entry: idOf(other) }, agreed);
  if (!isDone) throw conflict(`${one.id} or ${other.id} is decided already`);
  for (const { id } of items) await endAlarmOf(db, id);
}
