import { z } from 'zod';
import { minor } from '../../domain/money.ts';
import { kindOf } from '../../domain/transaction.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import { postNamed } from '../../ledger/suspense-postings.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { endAlarmOf } from '../../transactions/odd-money/suspense.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { action } from './actions.ts';
import { shillings } from './facts.ts';
import { hasLeft, itemShown, lockOpen, type ReleasePayload, releaseFields } from './suspense-items.ts';

export const NAME_AMOUNT = 'suspense.name-amount';

/** Nobody could read how much an item is: two people say it, or that nothing had come. Then it is an item like any other. */
export const nameAmountAction = action<ReleasePayload>({
  role: 'finance',
  payload: z.strictObject({
    ...releaseFields,
    amount: z
      .int('must be in minor units, and zero where nothing came')
      .min(0, 'must not be below zero')
      .transform(minor)
      .meta({ description: 'How much moved, in minor units (1 TZS = 100); zero: nothing' }),
    currency: z.string('must be a currency').regex(/^[A-Z]{3}$/, 'must have three capital letters'),
  }),
  async describe(asked, view) {
    const is = asked.amount === 0 ? 'nothing that ever came' : shillings(asked.amount, asked.currency);
    const { facts } = await itemShown(view, asked, is);
    return { summary: `${asked.item}, receipt ${asked.receipt}, is ${is}: ${asked.note}`, facts };
  },
  async check(db, asked) {
    await lockUnread(db, asked, { isCheck: true });
  },
  async execute(db, asked, { actor, proposalId }) {
    const item = await lockUnread(db, asked);
    const { currency, note, receipt } = asked;
    const transaction = item.transactionId === null ? null : await getTransaction(db, item.transactionId);
    const hasLeftUs = transaction !== null && kindOf(transaction).direction === 'payout';
    const amount = minor(hasLeftUs ? -asked.amount : asked.amount);
    if (!(await postNamed(db, item, { amount, currency, proposalId, note }))) throw hasLeft(item);
    await endAlarmOf(db, item.id);
    const detail = { amount, currency, receipt, note, proposal: proposalId };
    await audit(db, { actor, action: NAME_AMOUNT, subject: item.id, detail });
    return { outcome: `${item.id} is ${shillings(amount, currency)}` };
  },
});

/** Throws `conflict` where it can be read. */
async function lockUnread(
  db: Queryable,
  asked: ReleasePayload,
  options?: { isCheck: boolean },
): Promise<SuspenseItem> {
  const { currency } = (await getSuspenseItem(db, asked.item)) ?? asked;
  return lockOpen(db, { ...asked, amount: minor(0), currency }, options);
}
