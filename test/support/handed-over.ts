import { randomUUID } from 'node:crypto';
import type { Failed, Notification, Succeeded } from '../../src/domain/channel.ts';
import type { Minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { type Received, receiveNotification } from '../../src/transactions/ending/notifications.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from './accept.ts';
import { CONNECTION, createMerchant, type Merchant, submissionFor } from './merchant.ts';
import type { Database } from './queryable.ts';
import { saidOf } from './scripted-channel.ts';

/** `reference`: ours, as the channel got it. */
export type Started = { id: string; reference: string; merchant: Merchant };

/** A transaction of a merchant of its own, accepted; nothing of it has left us. `balance`: whole TZS. */
export async function accepted(database: Database, request: MoneyRequest, { balance = 1_000_000 } = {}) {
  const merchant = await createMerchant(database, { balance });
  const submission = submissionFor(merchant, request);
  await accept(database, submission);
  const id = submission.transactionId;
  const transaction = await getTransaction(database, id);
  if (!transaction) throw new Error(`${id} was refused`);
  return { id, reference: transaction.reference, merchant };
}

/** The same, and its first send is recorded: the channel may have it. */
export async function handedOver(
  database: Database,
  request: MoneyRequest,
  options: { balance?: number } = {},
): Promise<Started> {
  const transaction = await accepted(database, request, options);
  await recordSend(database, { transactionId: transaction.id, number: 1 });
  return transaction;
}

/** The answer of a channel to a send or an enquiry about it, as its flow hands it in. */
export const answered = (database: Database, id: string, result: Succeeded | Failed) =>
  tryToEnd(database, id, { kind: 'answer', result });

/** A channel tells its door something of a transaction. `confirmAbove`: what a proof alone may move. */
export function notify(
  database: Database,
  id: string,
  content: Notification['content'],
  { eventKey = randomUUID() as string, confirmAbove = null as Minor | null } = {},
): Promise<Received> {
  const channel = {
    verifyNotification: () => true,
    translateNotification: () => ({ eventKey, subject: { transactionId: id }, content: saidOf(content, id) }),
  };
  const raw = { method: 'PUT', transactionId: id, token: null, headers: {}, body: Buffer.from('{}') };
  return receiveNotification(database, { connections: [{ id: CONNECTION, channel, confirmAbove }], raw });
}
