import { startOwnRound } from '../../callbacks/event.ts';
import type {
  Channel,
  Notification,
  NotificationContent,
  RawNotification,
  Subject,
} from '../../domain/channel.ts';
import type { Round } from '../../domain/event.ts';
import { formatMoney, type Minor } from '../../domain/money.ts';
import { isBilled, isFinal, kindOf, type Transaction } from '../../domain/transaction.ts';
import type { Database, Queryable } from '../../platform/db/pool.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { macOfRow } from '../../platform/db/proofs.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { raiseAttention } from '../care/attention.ts';
import { requireOpenFence } from '../care/fence.ts';
import { HINT_PAUSE_SECONDS } from '../channel/enquiries.ts';
import { noteArrived, sendHistory } from '../channel/sends.ts';
import { isOurs, takeLateFailure, takeLateSuccess } from '../odd-money/suspense.ts';
import { lockTransaction } from '../rows/store.ts';
import { takeReturn } from './returns.ts';

export type Received = {
  /**
   * stored: committed. duplicate: stored before. noted: the protocol has no proof, but names a transaction.
   * unknown: it names none. refused: the sender is not proven, or is proven for another connection.
   */
  outcome: 'stored' | 'duplicate' | 'noted' | 'unknown' | 'refused' | 'unreadable';
  connection: string | null;
  transactionId: string | null;
  /** signal for the workflow, if any; best effort, the sweep repeats it */
  news: 'stored' | 'hint' | null;
  send?: number | null;
  /** callback to send although the workflow has ended; best effort, the sweep starts it */
  callback?: Round | null;
  /** the same for further transactions that the message names */
  also?: readonly Received[];
};

/** A message to one of our addresses, and all connections that notify there. */
export type Incoming = {
  connections: readonly {
    id: string;
    channel: Pick<Channel, 'verifyNotification' | 'translateNotification' | 'hintOf'>;
    /** minor units; above this only an enquiry ends a pending transaction */
    confirmAbove?: Minor | null;
  }[];
  raw: RawNotification;
  /** Called before any lookup for an unproven sender. Rejects if its address sent too much. */
  admitStranger?: () => Promise<void>;
};

type State = 'unapplied' | 'applied' | 'contradicting' | 'ignored';

/** Names of unmatched notifications are cut; ours have 36 characters at most. */
const NAME_CHARACTERS_MAX = 64;

/**
 * Works in one Postgres transaction: verifies the sender over the raw bytes, locks the transaction's row,
 * stores the notification (unique per channel and event), and posts odd money to suspense. The channel is
 * answered after the commit. Only `tryToEnd` ends a transaction, from these rows. Messages without proof are
 * not read.
 */
export async function receiveNotification(database: Database, incoming: Incoming): Promise<Received> {
  const { connections, raw } = incoming;
  const fitting = connections.filter(({ channel }) => channel.verifyNotification(raw));
  const [first] = fitting;
  if (!first) return receiveUnproven(database, incoming);
  const reading = await readBy(database, fitting, raw);
  const proven = reading?.connection ?? first;
  const nothing = { connection: proven.id, transactionId: null, news: null };
  if (!reading) return { ...nothing, outcome: 'unreadable' };
  const { others = [], ...message } = reading.message;
  const also: Received[] = [];
  for (const other of others) {
    const id = (await namedBy(database, other.subject))?.id ?? null;
    also.push(await take(database, { proven, message: other, id, raw }));
  }
  const received = await take(database, { proven, message, id: reading.id, raw });
  return also.length === 0 ? received : { ...received, also };
}

type Proven = Incoming['connections'][number];
type Read = { proven: Proven; message: Notification; id: string | null; raw: RawNotification };

async function take(database: Database, { proven, message, id, raw }: Read): Promise<Received> {
  const nothing = { connection: proven.id, transactionId: null, news: null };
  if (!id) {
    // A restore may have lost the transaction of this name. The channel sends the message again.
    await requireOpenFence(database);
    await flagStray(database, message);
    return { ...nothing, outcome: 'unknown' };
  }
  return inTransaction(database, async (db) => {
    const transaction = await lockTransaction(db, id);
    if (!transaction) return { ...nothing, outcome: 'unknown' };
    // A proof counts only for its connection: one bank's secret cannot end a network's payment.
    const isElsewhere = isBilled(transaction) || transaction.connection !== proven.id;
    if (isElsewhere) return { ...nothing, outcome: 'refused', transactionId: id };
    const about = { ...nothing, transactionId: id };
    const notification = { ...message, content: contentFor(transaction, message) };
    const stored = await store(db, transaction, notification, raw);
    if (stored === null)
      return { ...about, outcome: 'duplicate', news: isFinal(transaction.status) ? null : 'stored' };
    const state = await consider(db, {
      transaction,
      notification,
      confirmAbove: proven.confirmAbove ?? null,
    });
    const { rows } = await db.query(
      prepared(`WITH considered AS (UPDATE notifications SET state = $2 WHERE id = $1 AND state <> $2)
       SELECT max(number) AS send FROM sends WHERE transaction_id = $3`),
      [stored, state, id],
    );
    const isReturn = notification.content.kind === 'returned' && state === 'applied';
    return {
      ...about,
      outcome: 'stored',
      news: newsOf(state, transaction, notification),
      send: rows[0]?.send ?? null,
      callback: isReturn ? await startOwnRound(db, { transactionId: id, event: 'payout.returned' }) : null,
    };
  });
}

async function readBy(database: Database, connections: Incoming['connections'], raw: RawNotification) {
  const readings = [];
  for (const connection of connections) {
    const message = connection.channel.translateNotification(raw);
    if (!message) continue;
    const named = await namedBy(database, message.subject);
    const reading = { connection, message, id: named?.id ?? null };
    if (named?.connection === connection.id) return reading;
    readings.push(reading);
  }
  return readings.find(({ id }) => id !== null) ?? readings[0] ?? null;
}

/** Rejects unproven senders cheaply. If the protocol has no proof, asks about the named transaction. */
async function receiveUnproven(
  database: Database,
  { connections, raw, admitStranger }: Incoming,
): Promise<Received> {
  const nothing = { connection: null, transactionId: null, news: null };
  const open = connections.filter(({ channel }) => channel.hintOf !== undefined);
  if (open.length === 0) return { ...nothing, outcome: 'refused' };
  const [subject = null] = open.flatMap(({ channel }) => channel.hintOf?.(raw) ?? []);
  if (subject === null) return { ...nothing, outcome: 'unreadable' };
  await admitStranger?.();
  const id = (await namedBy(database, subject))?.id;
  if (!id) return { ...nothing, outcome: 'unknown' };
  const isHint = await takeHint(database, { id, connections: open.map((one) => one.id) });
  return { ...nothing, outcome: 'noted', transactionId: id, news: isHint ? 'hint' : null };
}

function contentFor(transaction: Transaction, { content, contentFor }: Notification): NotificationContent {
  const { amount, currency, status } = transaction;
  const { direction } = kindOf(transaction);
  return contentFor?.({ direction, amount, currency, isFinal: isFinal(status) }) ?? content;
}

/** Returns the signal for a pending transaction's workflow. The Temporal UI shows contradictions. */
function newsOf(state: State, transaction: Transaction, { content }: Notification): Received['news'] {
  if (isFinal(transaction.status)) return null;
  if (state !== 'ignored') return isOnlyReturn(content) ? 'hint' : 'stored';
  // It ends nothing, but is a reason to enquire: an overtaken failure, a return or a too large success.
  return content.kind === 'pending' ? null : 'hint';
}

/** True for a return that does not say how a pending transaction ends. */
function isOnlyReturn(content: NotificationContent): boolean {
  return content.kind === 'returned' && content.orFailed === undefined;
}

async function namedBy(
  database: Database,
  subject: Subject,
): Promise<{ id: string; connection: string | null } | null> {
  const { rows } =
    'transactionId' in subject
      ? await database.query(prepared('SELECT id, connection FROM transactions WHERE id = $1'), [
          subject.transactionId,
        ])
      : await database.query(prepared('SELECT id, connection FROM transactions WHERE reference = $1'), [
          // Networks may change letters and add spaces; this is our spelling.
          subject.reference.trim().toUpperCase(),
        ]);
  return rows[0] ?? null;
}

/** Notifies a person that money moved under an unknown reference: damaged, or of a lost transaction. */
async function flagStray(database: Database, { subject, content }: Notification): Promise<void> {
  if (content.kind !== 'succeeded' && content.kind !== 'returned') return;
  const name = 'transactionId' in subject ? subject.transactionId : subject.reference;
  const money = `${formatMoney(content.amount)} ${content.currency}`;
  await raiseAttention(database, {
    subject: `notification:${name.slice(0, NAME_CHARACTERS_MAX)}`,
    reason: 'unexpected_payment',
    detail:
      `A proven notification says that ${money} ` +
      `${content.kind === 'returned' ? 'came back' : 'moved'} ` +
      `(${content.channelReference ?? 'no receipt'}), but no transaction has this name`,
  });
}

async function takeHint(db: Queryable, about: { id: string; connections: string[] }): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE transactions SET hinted_at = now()
     WHERE id = $1 AND status = 'pending' AND handed_over_at IS NOT NULL
     AND connection = ANY($3) AND (hinted_at IS NULL OR hinted_at < now() - $2 * interval '1 second')`,
    [about.id, HINT_PAUSE_SECONDS, about.connections],
  );
  return rowCount === 1;
}

/** Returns the row's id; null for a repeat. Keys count per transaction: each bank numbers its own returns. */
async function store(
  db: Queryable,
  transaction: Transaction,
  notification: Notification,
  raw: RawNotification,
): Promise<number | null> {
  const insert = async (eventKey: string) => {
    const { channel, id: transaction_id } = transaction;
    const { content } = notification;
    const mac = macOfRow(db, 'notifications', { event_key: eventKey, channel, transaction_id, content });
    const { rows } = await db.query(
      prepared(`WITH stored AS (
         INSERT INTO notifications (channel, event_key, transaction_id, content, state, mac)
         VALUES ($1, $2, $3, $4, 'unapplied', $6) ON CONFLICT (channel, event_key) DO NOTHING
         RETURNING id, received_at),
       kept AS (INSERT INTO notification_bodies SELECT id, received_at, $5 FROM stored)
       SELECT id FROM stored`),
      [channel, eventKey, transaction_id, content, raw.body, mac],
    );
    return rows[0]?.id ?? null;
  };
  const id = await insert(notification.eventKey);
  if (id !== null) return id;
  const { rows } = await db.query(
    'SELECT transaction_id FROM notifications WHERE channel = $1 AND event_key = $2',
    [transaction.channel, notification.eventKey],
  );
  return rows[0]?.transaction_id === transaction.id
    ? null
    : insert(`${notification.eventKey}:${transaction.id}`);
}

type Considered = { transaction: Transaction; notification: Notification };

async function consider(
  db: Queryable,
  { transaction, notification, confirmAbove }: Considered & { confirmAbove: Minor | null },
): Promise<State> {
  const { content } = notification;
  if (content.kind !== 'failed') await noteArrived(db, transaction.id);
  switch (content.kind) {
    case 'pending':
    case 'ask':
      return 'ignored';
    case 'returned':
      return takeReturn(db, transaction, content);
    case 'failed':
      if (await isOvertaken(db, transaction, notification)) return 'ignored';
      if (!isFinal(transaction.status)) return 'unapplied';
      await takeLateFailure(db, transaction, content.code);
      return transaction.status === 'failed' || transaction.status === 'cancelled'
        ? 'ignored'
        : 'contradicting';
    case 'succeeded':
      // Ask the channel, so a stolen proof alone moves no large amount.
      if (confirmAbove !== null && content.amount > confirmAbove && !isFinal(transaction.status))
        return 'ignored';
      return takeSuccess(db, transaction, content);
  }
}

/** True for a failure of an earlier send, which says nothing about a later one. */
async function isOvertaken(
  db: Queryable,
  transaction: Transaction,
  { sendNumber }: Notification,
): Promise<boolean> {
  if (sendNumber === undefined) return false;
  return sendNumber < (await sendHistory(db, transaction.id)).last;
}

async function takeSuccess(
  db: Queryable,
  transaction: Transaction,
  content: NotificationContent & { kind: 'succeeded' },
): Promise<State> {
  if (!isFinal(transaction.status) && isOurs(transaction, content)) return 'unapplied';
  return (await takeLateSuccess(db, transaction, content)) ? 'contradicting' : 'ignored';
}
