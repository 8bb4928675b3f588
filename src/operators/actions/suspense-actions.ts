import type { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { conflict } from '../../domain/errors.ts';
import { CURRENCY, minor } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import { isOpenFor, knownBy, movementOfItem, receiptLike } from '../../ledger/booked.ts';
import { postPairOfItems } from '../../ledger/line-decisions.ts';
import { type SuspenseItem, subjectOfItem } from '../../ledger/suspense.ts';
import { type Destination, postRelease } from '../../ledger/suspense-postings.ts';
import { audit } from '../../platform/db/audit.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { endAlarmOf } from '../../transactions/odd-money/suspense.ts';
import { waitingLineOf } from '../../transactions/rows/moved.ts';
import {
  type Approval,
  accountIdField,
  type Declared,
  declare,
  type Executed,
  exampleAccount,
  sentenceField,
} from './actions.ts';
import { covered, lacks } from './covered.ts';
import { balanceFacts, merchantNamed, shillings } from './facts.ts';
import {
  exampleItem,
  hasLeft,
  itemSeen,
  itemShown,
  lockItem,
  nameOf,
  openItem,
  type ReleasePayload,
  refuseBesideOpposite,
  releasePayload,
  sizeOf,
} from './suspense-items.ts';

const releaseToMerchantAction = declare({
  title: 'Credit a merchant with it, or debit a merchant if money is missing',
  command: 'suspense to-merchant <item>',
  example: ['the merchant delivered, ticket 812', { ...exampleItem, account_id: exampleAccount }],
  role: 'finance',
  payload: releasePayload({
    account_id: accountIdField
      .optional()
      .meta({ face: {}, description: 'Default: the merchant of its transaction' }),
  }) as z.ZodType<ReleasePayload & { account_id: string }>,
  async bind(db, asked) {
    const account_id = asked.account_id ?? (await openItem(db, asked)).accountId;
    if (account_id) return { ...asked, account_id };
    throw conflict(`${asked.item} belongs to no transaction: name the merchant`);
  },
  async describe(asked, view) {
    const [verb, done] = asked.amount > 0 ? ['Credit', 'credited to'] : ['Debit', 'debited from'];
    const who = await merchantNamed(view, asked.account_id);
    const { facts } = await itemShown(view, asked, `${done} ${who}`);
    return {
      summary: `${verb} ${who} with ${sizeOf(asked)} from suspense (${nameOf(asked)}): ${asked.note}`,
      facts: [...facts, ...(await balanceFacts(view, asked.account_id, asked.amount))],
    };
  },
  seen: itemSeen,
  lock: lockItem,
  async check(db, asked) {
    const { account_id: accountId, amount } = asked;
    const item = await openFor(db, asked, { to: 'merchant', accountId });
    await requireAccount(db, accountId);
    if (item.currency !== CURRENCY)
      throw conflict(`Merchants have accounts in ${CURRENCY} only: the network has to return it`);
    // The ledger checks the balance when this is carried out.
    const { current } = await balanceOf(db, accountId, CURRENCY);
    if (current + amount < 0) throw lacks(sizeOf(asked));
    return item;
  },
  execute: (db, { account_id: accountId, note }, approval, item) =>
    release(db, { item, note, to: { to: 'merchant', accountId } }, approval),
});

const writeOffAction = declare({
  title: 'Write it off: we keep the money, or bear the loss if money is missing',
  command: 'suspense write-off <item>',
  example: ['nobody has asked for it in a year', exampleItem],
  role: 'finance',
  payload: releasePayload(),
  seen: itemSeen,
  lock: lockItem,
  async describe(asked, view) {
    const how = asked.amount > 0 ? 'in our favour' : 'at our cost';
    const summary = `Write off ${sizeOf(asked)} ${how} from suspense (${nameOf(asked)}): ${asked.note}`;
    return { summary, facts: (await itemShown(view, asked, `written off ${how}`)).facts };
  },
  check: (db, asked) => openFor(db, asked, { to: 'us' }),
  execute: (db, { note }, approval, item) => release(db, { item, note, to: { to: 'us' } }, approval),
});

const returnReceipt = sentenceField(100).meta({ title: "The network's receipt of the return" });

/** The channel returned the money to the payer or to us. The return's receipt is the proof. */
const givenBackAction = declare({
  title: 'The network already gave it back',
  command: 'suspense given-back <item> <return_receipt>',
  example: ['seen in the portal of the network', { ...exampleItem, return_receipt: 'QK82J0AB1C' }],
  role: 'finance',
  payload: releasePayload({ return_receipt: returnReceipt }),
  seen: itemSeen,
  async lock(db, asked) {
    await lockItem(db, asked);
    // Two items cannot be given back by two spellings of one return at once.
    await db.query("SELECT pg_advisory_xact_lock(hashtextextended('return ' || plain_reference($1), 0))", [
      asked.return_receipt,
    ]);
  },
  async describe(asked, view) {
    const how = `back ${asked.amount > 0 ? 'to the payer' : 'to us'} by ${asked.return_receipt}`;
    const { item, facts } = await itemShown(view, asked, `given ${how}`);
    const name = networkNameOf(item.channel);
    return { summary: `${name} gave ${sizeOf(asked)} ${how} (${nameOf(asked)}): ${asked.note}`, facts };
  },
  async check(db, asked) {
    const item = await openItem(db, asked);
    return { item, back: await itemOfReturn(db, item, asked.return_receipt) };
  },
  async execute(db, { return_receipt: receipt, ...asked }, approval, { item, back }) {
    const note = `${receipt}: ${asked.note}`;
    if (back !== null) return leaveWith(db, { ...asked, note }, back, approval);
    const to = { to: 'channel', receipt } as const;
    await refuseBesideOpposite(db, item, to);
    return release(db, { item, note, to }, approval);
  },
});

/**
 * Finds the item of a line that already shows this return: the two cancel out, and no money moves. Returns
 * null if there is none.
 * Throws `conflict` if the line waits, or if the receipt belongs to other money.
 */
async function itemOfReturn(db: Queryable, item: SuspenseItem, receipt: string): Promise<string | null> {
  const { amount, currency, transactionId, channel } = item;
  const moved = await movementOfItem(db, item.id);
  const connection = moved?.connection ?? null;
  const direction = amount > 0 ? 'payout' : 'collection';
  const asked = connection === null ? null : ({ channel, connection, receipt, direction } as const);
  const known = asked && (await knownBy(db, asked));
  if (known === null) {
    const like = asked && (await receiptLike(db, asked));
    if (like) throw conflict(`${receipt} is known as ${like}: type it as the network writes it`);
    const line = await waitingLineOf(db, { receipt, amount: minor(-amount), currency });
    if (line === null) return null;
    throw conflict(`${receipt} is on line ${line} of a statement: try again when this line is matched`);
  }
  if (isOpenFor(known, { transactionId, amount: -amount, currency })) return known.item.id;
  // The receipt is the item's own: two items of one transaction cancel out.
  if (known.id === moved?.id && known.amount === -amount) return null;
  const of = known.transactionId ?? known.item?.id ?? 'a booked movement';
  throw conflict(`${receipt} is the receipt of ${of}, which does not give ${item.id} back`);
}

async function leaveWith(
  db: Queryable,
  asked: ReleasePayload,
  back: string,
  { actor, proposalId }: Approval,
): Promise<Executed> {
  const { item: id, receipt, amount, currency, note } = asked;
  const { transactionId } = await subjectOfItem(db, id);
  const other = { id: back, receipt, amount: minor(-amount), currency };
  const agreed = { kind: 'suspense_return', transactionId, proposalId, note } as const;
  if (!(await postPairOfItems(db, [{ id, receipt, amount, currency }, other], agreed)))
    throw conflict(`${id} or ${back} has left suspense already`);
  await endAlarmOf(db, id);
  await endAlarmOf(db, back);
  const detail = { amount, currency, receipt, note, beside: back, proposal: proposalId };
  await audit(db, { actor, action: actionNames.channel, subject: id, detail });
  const outcome = `${id} (${shillings(amount, currency)}) and its return ${back} have left suspense`;
  return { outcome, ...(transactionId === null ? {} : { wake: transactionId }) };
}

const actionNames = {
  merchant: 'suspense.to-merchant',
  channel: 'suspense.given-back',
  us: 'suspense.write-off',
  charges: 'lines.charge',
  own: 'lines.own',
} as const satisfies Record<Destination['to'], string>;

/** Throws `conflict` if the item cannot leave suspense in this way. */
export async function openFor(
  db: Queryable,
  asked: { item: string },
  way: Destination,
): Promise<SuspenseItem> {
  const item = await openItem(db, asked);
  await refuseBesideOpposite(db, item, way);
  return item;
}

export async function release(
  db: Queryable,
  { item, note, to }: { item: SuspenseItem; note: string; to: Destination },
  { actor, proposalId }: Approval,
): Promise<Executed> {
  const posting = postRelease(db, item, { ...to, proposalId, note });
  if (!(await covered(sizeOf(item), posting))) throw hasLeft(item);
  await endAlarmOf(db, item.id);
  await audit(db, {
    actor,
    action: actionNames[to.to],
    subject: item.id,
    detail: {
      ...(to.to === 'merchant' ? { account: to.accountId } : {}),
      amount: item.amount,
      currency: item.currency,
      receipt: item.receipt,
      note,
      proposal: proposalId,
    },
  });
  const outcome = `${item.id} (${shillings(item.amount, item.currency)}) has left suspense`;
  return { outcome, ...(item.transactionId === null ? {} : { wake: item.transactionId }) };
}

export const suspenseActions = {
  [actionNames.merchant]: releaseToMerchantAction,
  [actionNames.channel]: givenBackAction,
  [actionNames.us]: writeOffAction,
} satisfies Record<string, Declared>;
