import { z } from 'zod';
import { conflict } from '../../domain/errors.ts';
import { minor } from '../../domain/money.ts';
import { kindOf } from '../../domain/transaction.ts';
import { postNamed } from '../../ledger/suspense-postings.ts';
import { bookedBeside } from '../../ledger/suspense-receipts.ts';
import { audit } from '../../platform/db/audit.ts';
import { endAlarmOf } from '../../transactions/odd-money/suspense.ts';
import { getTransaction } from '../../transactions/rows/store.ts';
import { currencyField, declare, inShillings, sentenceField } from './actions.ts';
import { shillings } from './facts.ts';
import {
  exampleItem,
  hasLeft,
  itemSeen,
  itemShown,
  lockItem,
  openItem,
  releasePayload,
  sizeOf,
} from './suspense-items.ts';

export const NAME_AMOUNT = 'suspense.name-amount';

/** Two people set an unreadable amount, or say that no money came. Then it is an ordinary item. */
export const nameAmountAction = declare({
  title: 'Set the amount; zero if no money came',
  command: 'suspense name <item> <amount>',
  example: ['the network says how much it was, ticket 813', exampleItem],
  role: 'finance',
  payload: releasePayload({
    amount: z
      .int('must be in minor units, or zero if no money came')
      .min(0, 'must not be below zero')
      .transform(minor)
      .meta({ ...inShillings, description: 'The amount in minor units (1 TZS = 100); zero if none came' }),
    currency: currencyField,
    note: sentenceField(255).meta({ title: 'Who said so', description: 'What the network said, and where' }),
  }),
  seen: async (db, asked) => ({ receipt: (await itemSeen(db, asked)).receipt }),
  lock: lockItem,
  async describe(asked, view) {
    const is = asked.amount === 0 ? 'money that never came' : shillings(asked.amount, asked.currency);
    const { facts } = await itemShown(view, asked, is);
    return { summary: `${asked.item}, receipt ${asked.receipt}, is ${is}: ${asked.note}`, facts };
  },
  async check(db, asked) {
    const item = await openItem(db, asked);
    if (item.amount !== 0)
      throw conflict(`${item.id} has the amount ${sizeOf(item)} (${item.receipt}): look at it again`);
    const transaction = item.transactionId === null ? null : await getTransaction(db, item.transactionId);
    const hasLeftUs = transaction !== null && kindOf(transaction).direction === 'payout';
    const amount = minor(hasLeftUs ? -asked.amount : asked.amount);
    const of = await bookedBeside(db, item, { ...asked, amount });
    if (of !== null)
      throw conflict(
        `${sizeOf(asked)} of ${item.receipt} are booked already (${of}): set the amount to zero`,
      );
    return { item, amount };
  },
  async execute(db, asked, { actor, proposalId }, { item, amount }) {
    const { currency, note, receipt } = asked;
    if (!(await postNamed(db, item, { amount, currency, proposalId, note }))) throw hasLeft(item);
    await endAlarmOf(db, item.id);
    const detail = { amount, currency, receipt, note, proposal: proposalId };
    await audit(db, { actor, action: NAME_AMOUNT, subject: item.id, detail });
    return { outcome: `${item.id} is ${shillings(amount, currency)}` };
  },
});
