import { z } from 'zod';
import { CURRENCY, minor } from '../../domain/money.ts';
import { kindOf } from '../../domain/transaction.ts';
import { getSuspenseItem, type SuspenseItem } from '../../ledger/suspense.ts';
import { postNamed } from '../../ledger/suspense-postings.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { endAlarmOf } from '../../transactions/odd-money/suspense.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { declare, inShillings, sentenceField } from './actions.ts';
import { shillings } from './facts.ts';
import {
  bindItem,
  exampleItem,
  hasLeft,
  itemShown,
  lockOpen,
  type ReleasePayload,
  releasePayload,
} from './suspense-items.ts';

export const NAME_AMOUNT = 'suspense.name-amount';

/** Two people name an unreadable amount, or say that nothing came; then it is an ordinary item. */
export const nameAmountAction = declare<ReleasePayload>({
  title: 'Say how much it is; zero: nothing had come',
  command: 'suspense name <item> <amount>',
  example: ['the network says how much it was, ticket 813', exampleItem],
  role: 'finance',
  payload: releasePayload({
    amount: z
      .int('must be in minor units, and zero where nothing came')
      .min(0, 'must not be below zero')
      .transform(minor)
      .meta({ ...inShillings, description: 'How much moved, in minor units (1 TZS = 100); zero: nothing' }),
    currency: z.literal(CURRENCY, `must be ${CURRENCY}`),
    note: sentenceField(255).meta({ title: 'Who says so', description: 'What the network said, and where' }),
  }),
  bind: bindItem,
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
