import { z } from 'zod';
import { requireAccount } from '../accounts/store.ts';
import { audit } from '../db/audit.ts';
import type { Queryable } from '../db/pool.ts';
import type { AttentionReason } from '../domain/attention.ts';
import { GatewayError, InsufficientFunds } from '../domain/errors.ts';
import { CURRENCY, formatMoney, minor } from '../domain/money.ts';
import { balanceOf } from '../ledger/accounts.ts';
import {
  getSuspenseItem,
  hasOpenItems,
  postRelease,
  type Released,
  type SuspenseItem,
} from '../ledger/suspense.ts';
import { resolveAttention, resolveSubject } from '../transactions/attention.ts';
import { requireRecovered } from '../transactions/fence.ts';
import { type Action, type Approval, action, type Executed, sentenceField } from './actions.ts';

/** What an item says of itself is part of what is proposed, so that the approver reads it and a mistyped id is refused. */
const itemFields = {
  item: z.string('must be the id of an item').max(40),
  receipt: z.string('must be the receipt of the item').max(200),
  /** minor units (1 TZS = 100); negative: we miss it */
  amount: z
    .int('must be the amount of the item in minor units')
    .refine((amount) => amount !== 0, 'must not be zero')
    .transform(minor),
  currency: z.string('must be the currency of the item').max(3),
};
const note = sentenceField(255);

type Named = z.output<z.ZodObject<typeof itemFields>>;

/** What is listed about money in suspense, and ends with it. */
const ANSWERED: AttentionReason[] = ['late_success', 'wrong_amount', 'unexpected_payment'];

/** An item becomes a merchant's; the merchant bears one that is missing. */
const releaseToMerchantAction = action<Named & { account_id: string; note: string }>({
  role: 'finance',
  payload: z.strictObject({
    ...itemFields,
    account_id: z.uuid('must be the id of an account').transform((id) => id.toLowerCase()),
    /** on the merchant's statement */
    note,
  }),
  describe: (asked) =>
    `${asked.amount > 0 ? 'Credit' : 'Debit'} account ${asked.account_id} with ${sizeOf(asked)} from suspense (${nameOf(asked)}): ${asked.note}`,
  async check(db, asked) {
    await requireOpen(db, asked);
    await requireCovered(db, asked);
  },
  execute: (db, asked, approval) =>
    release(db, asked, { to: 'merchant', accountId: asked.account_id }, approval),
});

/** Its owner cannot be found: we gain it, or bear it. */
const writeOffAction = action<Named & { note: string }>({
  role: 'finance',
  payload: z.strictObject({ ...itemFields, note }),
  describe: (asked) =>
    `Write off ${sizeOf(asked)} ${asked.amount > 0 ? 'in our favour' : 'at our cost'} from suspense (${nameOf(asked)}): ${asked.note}`,
  async check(db, asked) {
    await requireOpen(db, asked);
  },
  execute: (db, asked, approval) => release(db, asked, { to: 'us' }, approval),
});

/**
 * The channel has moved it the other way by itself: to the payer, or back to us. The channel's number of that movement
 * proves it.
 */
const givenBackAction = action<Named & { return_receipt: string; note: string }>({
  role: 'finance',
  payload: z.strictObject({ ...itemFields, return_receipt: sentenceField(100), note }),
  describe: (asked) =>
    `The channel gave ${sizeOf(asked)} back ${asked.amount > 0 ? 'to the payer' : 'to us'} by ${asked.return_receipt} (${nameOf(asked)}): ${asked.note}`,
  async check(db, asked) {
    await requireOpen(db, asked);
  },
  execute: (db, asked, approval) =>
    release(db, { ...asked, note: `${asked.return_receipt}: ${asked.note}` }, { to: 'channel' }, approval),
});

const actionNames = {
  merchant: 'suspense.to-merchant',
  channel: 'suspense.given-back',
  us: 'suspense.write-off',
} as const satisfies Record<Released['to'], string>;

async function release(
  db: Queryable,
  asked: Named & { note: string },
  released: Released,
  { actor, proposalId }: Approval,
): Promise<Executed> {
  const item = await requireOpen(db, asked);
  if (released.to === 'merchant') await requireCredited(db, released.accountId, item);
  try {
    if (!(await postRelease(db, item, { ...released, proposalId, note: asked.note }))) throw hasLeft(item);
  } catch (error) {
    if (error instanceof InsufficientFunds) throw lacks(asked);
    throw error;
  }
  await endAlarm(db, item);
  await audit(db, {
    actor,
    action: actionNames[released.to],
    subject: item.id,
    detail: {
      ...(released.to === 'merchant' ? { account: released.accountId } : {}),
      amount: item.amount,
      currency: item.currency,
      receipt: item.receipt,
      note: asked.note,
      proposal: proposalId,
    },
  });
  return { outcome: `${item.id} (${sizeOf(asked)}) has left suspense` };
}

/** With the last item of its transaction the question is answered. */
async function endAlarm(db: Queryable, item: SuspenseItem): Promise<void> {
  if (item.transactionId === null) await resolveSubject(db, `${item.channel}:${item.receipt}`);
  else if (!(await hasOpenItems(db, item))) await resolveAttention(db, item.transactionId, ANSWERED);
}

async function requireOpen(db: Queryable, asked: Named): Promise<SuspenseItem> {
  const item = await getSuspenseItem(db, asked.item);
  if (item === null) throw new GatewayError('not_found', `There is no item ${asked.item} in suspense`);
  if (item.release !== null) throw hasLeft(item);
  const { receipt, amount, currency } = item;
  if (receipt !== asked.receipt || amount !== asked.amount || currency !== asked.currency)
    throw conflict(`${item.id} is ${sizeOf(item)} (${receipt}): look at it again`);
  await requireRecovered(db);
  return item;
}

async function requireCredited(db: Queryable, accountId: string, item: SuspenseItem): Promise<void> {
  await requireAccount(db, accountId);
  if (item.currency !== CURRENCY)
    throw conflict(`Merchants have accounts in ${CURRENCY} only: the channel has to give it back`);
}

/** Refused when it is proposed already; decided by the ledger itself when it is carried out. */
async function requireCovered(db: Queryable, asked: Named & { account_id: string }): Promise<void> {
  const item = await requireOpen(db, asked);
  await requireCredited(db, asked.account_id, item);
  const { current } = await balanceOf(db, asked.account_id, CURRENCY);
  if (current + asked.amount < 0) throw lacks(asked);
}

const sizeOf = ({ amount, currency }: Pick<Named, 'amount' | 'currency'>) =>
  `${formatMoney(minor(Math.abs(amount)))} ${currency}`;
const nameOf = ({ item, receipt }: Named) => `${item}, receipt ${receipt}`;

function lacks(asked: Named): GatewayError {
  return new GatewayError(
    'insufficient_balance',
    `The account has less than ${sizeOf(asked)}: nothing moved`,
  );
}

function hasLeft({ id }: SuspenseItem): GatewayError {
  return conflict(`${id} has left suspense already`);
}

function conflict(message: string): GatewayError {
  return new GatewayError('conflict', message);
}

export const suspenseActions = {
  [actionNames.merchant]: releaseToMerchantAction,
  [actionNames.channel]: givenBackAction,
  [actionNames.us]: writeOffAction,
} satisfies Record<string, Action>;
