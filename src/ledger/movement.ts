import { randomUUID } from 'node:crypto';
import type { Minor } from '../domain/money.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { takeItem } from './line-postings.ts';
import { type Movement, type MovementName, postOnce, type Told } from './transfer.ts';

type Subject = { transactionId: string; currency: string; channel: string };

type Credit = Subject & {
  accountId: string;
  value: Minor;
  fee: Minor;
  /** null if the channel named none */
  receipt: string | null;
  /** suspense item that the money comes from, because a statement showed it first */
  item?: string | null;
  agreed?: { proposalId: string; note: string } | null;
};

/** Posts a successful collection: clearing → available (value), then available → fees (fee). */
export function postCollection(
  db: Queryable,
  subject: Credit,
  told: Told = { toldBy: 'channel', names: [] },
): Promise<void> {
  return postCredit(db, subject, `collection:${subject.transactionId}`, told);
}

/** Posts a bill's payment in the same way, once per receipt of `space`; `part`: its number. */
export function postBillPayment(
  db: Queryable,
  subject: Credit & {
    space: string;
    receipt: string;
    connection: string;
    part: number;
    names: readonly MovementName[];
  },
): Promise<void> {
  const { transactionId, space, receipt, connection, part, names } = subject;
  const dedupeKey = `collection:${transactionId}:${space}:${receipt}`;
  return postCredit(db, subject, dedupeKey, { toldBy: 'door', connection, part, names });
}

async function postCredit(
  db: Queryable,
  { transactionId, currency, channel, accountId, value, fee, receipt: reference, ...from }: Credit,
  dedupeKey: string,
  moved: Movement,
): Promise<void> {
  const { item = null, agreed } = from;
  const id = randomUUID();
  if (item !== null) await takeItem(db, item, id);
  await postOnce(db, {
    id,
    kind: 'collection',
    currency,
    transactionId,
    dedupeKey,
    reference,
    ...agreed,
    lines: [
      item === null
        ? { account: { kind: 'clearing', channel }, amount: -value, moved }
        : { account: { kind: 'suspense' }, amount: -value },
      { account: { kind: 'available', accountId }, amount: value },
      { account: { kind: 'available', accountId }, amount: -fee, isFee: true },
      { account: { kind: 'fees' }, amount: fee },
    ],
  });
}

/** Posts a return: clearing → available (value); we keep the fee. `item`: a statement showed it first. */
export async function postReturn(
  db: Queryable,
  subject: Subject & {
    accountId: string;
    reference: string;
    amount: Minor;
    connection: string;
    names: readonly MovementName[];
    item: string | null;
  },
): Promise<void> {
  const { transactionId, currency, channel, accountId, reference, amount, connection, names, item } = subject;
  const id = randomUUID();
  if (item !== null) await takeItem(db, item, id);
  await postOnce(db, {
    id,
    kind: 'reversal',
    currency,
    transactionId,
    dedupeKey: `return:${transactionId}`,
    reference,
    lines: [
      item === null
        ? {
            account: { kind: 'clearing', channel },
            amount: -amount,
            moved: { kind: 'reversal', toldBy: 'channel', names, connection },
          }
        : { account: { kind: 'suspense' }, amount: -amount },
      { account: { kind: 'available', accountId }, amount },
    ],
  });
}
