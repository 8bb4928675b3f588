import type { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { conflict } from '../../domain/errors.ts';
import { CURRENCY, minor } from '../../domain/money.ts';
import { networkNameOf } from '../../domain/network.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import { isOpenFor, knownBy, movementOfItem } from '../../ledger/booked.ts';
import { postPairOfItems } from '../../ledger/line-decisions.ts';
import { getSuspenseItem, type SuspenseItem, subjectOfItem } from '../../ledger/suspense.ts';
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
import { balanceFacts, merchantNamed } from './facts.ts';
import {
  bindItem,
  exampleItem,
  hasLeft,
  itemShown,
  lockOpen,
  nameOf,
  type ReleasePayload,
  refuseBesideOpposite,
  releasePayload,
  sizeOf,
} from './suspense-items.ts';

/** An item becomes a merchant's; the merchant bears one that is missing. */
const releaseToMerchantAction = declare<ReleasePayload & { account_id: string }>({
  title: 'It becomes a merchant’s: credited, or debited where it is missing',
  command: 'suspense to-merchant <item>',
  example: ['the merchant delivered, ticket 812', { ...exampleItem, account_id: exampleAccount }],
  role: 'finance',
  payload: releasePayload({
    account_id: accountIdField.optional().meta({ description: 'Left out: that of its transaction' }),
  }) as z.ZodType<ReleasePayload & { account_id: string }>,
  async bind(db, asked) {
    const bound = await bindItem(db, asked);
    const account_id = asked.account_id ?? (await getSuspenseItem(db, asked.item))?.accountId;
    if (account_id) return { ...bound, account_id };
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
  async check(db, asked) {
    await requireCovered(db, asked);
  },
  execute: (db, asked, approval) =>
    release(db, asked, { to: 'merchant', accountId: asked.account_id }, approval),
});

const writeOffAction = declare<ReleasePayload>({
  title: 'Write it off: we keep it, or bear it where it is missing',
  command: 'suspense write-off <item>',
  example: ['nobody has asked for it in a year', exampleItem],
  role: 'finance',
  payload: releasePayload(),
  bind: bindItem,
  async describe(asked, view) {
    const how = asked.amount > 0 ? 'in our favour' : 'at our cost';
    const summary = `Write off ${sizeOf(asked)} ${how} from suspense (${nameOf(asked)}): ${asked.note}`;
    return { summary, facts: (await itemShown(view, asked, `written off ${how}`)).facts };
  },
  async check(db, asked) {
    await refuseBesideOpposite(db, await lockOpen(db, asked, { isCheck: true }), { to: 'us' });
  },
  execute: (db, asked, approval) => release(db, asked, { to: 'us' }, approval),
});

const returnReceipt = sentenceField(100).meta({ title: "The network's receipt of that movement" });

/** The channel moved it the other way, to the payer or us; its number of that movement proves it. */
const givenBackAction = declare<ReleasePayload & { return_receipt: string }>({
  title: 'Its network has moved it the other way',
  command: 'suspense given-back <item> <return_receipt>',
  example: ['seen in the portal of the network', { ...exampleItem, return_receipt: 'QK82J0AB1C' }],
  role: 'finance',
  payload: releasePayload({ return_receipt: returnReceipt }),
  bind: bindItem,
  async describe(asked, view) {
    const how = `back ${asked.amount > 0 ? 'to the payer' : 'to us'} by ${asked.return_receipt}`;
    const { item, facts } = await itemShown(view, asked, `given ${how}`);
    const name = networkNameOf(item.channel);
    return { summary: `${name} gave ${sizeOf(asked)} ${how} (${nameOf(asked)}): ${asked.note}`, facts };
  },
  async check(db, asked) {
    await itemOfReturn(db, await lockOpen(db, asked, { isCheck: true }), asked.return_receipt);
  },
  async execute(db, { return_receipt: receipt, ...asked }, approval) {
    const noted = { ...asked, note: `${receipt}: ${asked.note}` };
    const back = await itemOfReturn(db, await lockOpen(db, asked), receipt);
    if (back === null) return release(db, noted, { to: 'channel', receipt }, approval);
    return leaveWith(db, noted, back, approval);
  },
});

/**
 * The item of a line that shows this return already: it makes up for `item`, and nothing moves. Null where nobody told of the return.
 * Throws `conflict` where its line waits, or where the receipt is that of other money.
 */
async function itemOfReturn(db: Queryable, item: SuspenseItem, receipt: string): Promise<string | null> {
  const { amount, currency, transactionId, channel } = item;
  const moved = await movementOfItem(db, item.id);
  const connection = moved?.connection ?? null;
  const direction = amount > 0 ? 'payout' : 'collection';
  const known = connection === null ? null : await knownBy(db, { channel, connection, receipt, direction });
  if (known === null) {
    const line = await waitingLineOf(db, { receipt, amount: minor(-amount), currency });
    if (line === null) return null;
    throw conflict(
      `${receipt} is the line ${line} of a statement, which waits: try again when it is matched`,
    );
  }
  if (isOpenFor(known, { transactionId, amount: -amount, currency })) return known.item.id;
  // Its own number, where two items of one transaction make up for each other.
  if (known.id === moved?.id && known.amount === -amount) return null;
  const of = known.transactionId ?? known.item?.id ?? 'a movement that is booked';
  throw conflict(`${receipt} is the receipt of ${of}, which does not give ${item.id} back`);
}

/** The item and the one of its return leave suspense together. */
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
  const outcome = `${id} (${sizeOf(asked)}) and its return ${back} have left suspense`;
  return { outcome, ...(transactionId === null ? {} : { wake: transactionId }) };
}

const actionNames = {
  merchant: 'suspense.to-merchant',
  channel: 'suspense.given-back',
  us: 'suspense.write-off',
  charges: 'lines.charge',
  own: 'lines.own',
} as const satisfies Record<Destination['to'], string>;

/** `to`: charges and own money are what a line turned out to be (line-actions.ts). */
export async function release(
  db: Queryable,
  asked: ReleasePayload,
  to: Destination,
  { actor, proposalId }: Approval,
): Promise<Executed> {
  const item = await lockOpen(db, asked);
  await refuseBesideOpposite(db, item, to);
  if (to.to === 'merchant') await requireCredited(db, to.accountId, item);
  const posting = postRelease(db, item, { ...to, proposalId, note: asked.note });
  if (!(await covered(sizeOf(asked), posting))) throw hasLeft(item);
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
      note: asked.note,
      proposal: proposalId,
    },
  });
  const outcome = `${item.id} (${sizeOf(asked)}) has left suspense`;
  return { outcome, ...(item.transactionId === null ? {} : { wake: item.transactionId }) };
}

async function requireCredited(db: Queryable, accountId: string, item: SuspenseItem): Promise<void> {
  await requireAccount(db, accountId);
  if (item.currency !== CURRENCY)
    throw conflict(`Merchants have accounts in ${CURRENCY} only: the channel has to give it back`);
}

/** Refused when it is proposed already; decided by the ledger itself when it is carried out. */
async function requireCovered(db: Queryable, asked: ReleasePayload & { account_id: string }): Promise<void> {
  const item = await lockOpen(db, asked, { isCheck: true });
  await refuseBesideOpposite(db, item, { to: 'merchant', accountId: asked.account_id });
  await requireCredited(db, asked.account_id, item);
  const { current } = await balanceOf(db, asked.account_id, CURRENCY);
  if (current + asked.amount < 0) throw lacks(sizeOf(asked));
}

export const suspenseActions = {
  [actionNames.merchant]: releaseToMerchantAction,
  [actionNames.channel]: givenBackAction,
  [actionNames.us]: writeOffAction,
} satisfies Record<string, Declared>;
