import { createHash, randomBytes } from 'node:crypto';
import { jsonText } from '../base/json-text.ts';
import type { callbackSchemas } from '../contract/callback-schemas.ts';
import { type JsonOf, writeAnswer } from '../contract/json-of.ts';
import { BrokenInvariant } from '../domain/errors.ts';
import type { CallbackEventName, Round } from '../domain/event.ts';
import { type FailureCode, failureReasonOf } from '../domain/failure.ts';
import { inEnglish } from '../domain/messages.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { type ShownPayment, type ShownPayout, show, showPhone } from '../domain/show.ts';
import {
  type CollectionTransaction,
  isPayout,
  type MerchantTransaction,
  type PayoutTransaction,
} from '../domain/transaction.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { prepared } from '../platform/db/prepared.ts';
import { macOfRow } from '../platform/db/proofs.ts';
import { only } from '../platform/db/rows.ts';
import { DEFAULT, insert, NOW, update } from '../platform/db/write.ts';

export type TransactionEvent = Exclude<
  CallbackEventName,
  'ping' | 'batch.finished' | 'callbacks.address_changed' | 'settlement.account_changed'
>;
type PayoutEvent = Extract<TransactionEvent, `payout.${string}`>;

export type EventPayment = { amount: Minor; fee: Minor };

/** `receiptUrl` is absent if this installation has no pages. */
type Beside = { payment?: EventPayment | undefined; receiptUrl?: string | undefined };

/**
 * Writes a transaction's event in the database transaction that changes its state. Pass the transaction as it
 * is after the change; the caller holds its row lock. Returns the event's id. Writes nothing if the key does
 * not ask for this event. A second call returns the first event, because a transaction has one of each kind.
 * Only a bill has one `payment.received` per payment, whose row the caller inserts once.
 */
export async function insertCallbackEvent(
  db: Queryable,
  transaction: MerchantTransaction,
  event: TransactionEvent,
  beside: Beside = {},
): Promise<string> {
  const { rows } = await db.query(
    // While the fence is closed, use an epoch that no earlier event has; lifting the fence adds one more.
    prepared(
      `SELECT e.id, e.event, e.sequence,
         CASE WHEN f.closed_at IS NULL THEN f.epoch
           ELSE greatest(f.epoch + 1, extract(epoch FROM f.closed_at)::bigint) END AS epoch
       FROM fence f LEFT JOIN callback_events e ON e.transaction_id = $1 /* never null: epoch */`,
    ),
    [transaction.id],
  );
  const before = beside.payment ? undefined : rows.find((row) => row.event === event);
  if (before?.id) return before.id;
  const sequence = 1 + Math.max(0, ...rows.map((row) => row.sequence ?? 0));
  const { id, body } = buildEventBody(transaction, { ...beside, event, sequence, epoch: only(rows).epoch });
  const { id: transaction_id, apiKeyId: api_key_id, batchId } = transaction;
  const mac = macOfRow(db, 'callback_events', { id, api_key_id, event, transaction_id, sequence, body });
  await db.query(
    // The moment of the body: this transaction may have waited for the row's lock since its own beginning.
    prepared(`INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, mac,
       created_at, state)
     SELECT $1, $2, k.id, $4, $5, $6, $8, $9,
       CASE WHEN k.callback_url IS NULL THEN 'no_url' ELSE 'pending' END
     FROM api_keys k WHERE k.id = $3 AND $4 = ANY(k.subscribed_events)
       AND ($4 = 'payout.returned' OR NOT EXISTS (SELECT FROM batches WHERE id = $7 AND quiet))
     ON CONFLICT DO NOTHING`),
    [id, transaction_id, api_key_id, event, sequence, body, batchId, mac, transaction.updatedAt],
  );
  return id;
}

/** Gives a new event its own round, because its workflow has ended. Null: the key does not ask for it. */
export async function startOwnRound(
  db: Queryable,
  { transactionId, event }: { transactionId: string; event: TransactionEvent },
): Promise<Round | null> {
  const { rows } = await update(
    db,
    'callback_events',
    { round: 1, next_attempt_at: NOW },
    { transaction_id: transactionId, event, state: 'pending', round: 0 },
    { returning: ['id', 'round'] },
  );
  const row = rows[0];
  return row ? { eventId: row.id, round: row.round } : null;
}

type OwnEvent = {
  eventId: string;
  accountId: string;
  apiKeyId: string;
  event: string;
  body: string;
  /** the key's URL and passphrases before the change */
  oldUrl?: string | null;
  oldPassphrases?: readonly Uint8Array[] | null;
};

/** Writes an event without a transaction. The caller starts its round after the commit. */
export async function insertOwnEvent(db: Queryable, own: OwnEvent): Promise<Round> {
  await insert(db, 'callback_events', {
    id: own.eventId,
    transaction_id: null,
    api_key_id: own.apiKeyId,
    account_id: own.accountId,
    event: own.event,
    sequence: null,
    body: own.body,
    state: DEFAULT,
    round: 1,
    next_attempt_at: NOW,
    swept_at: null,
    created_at: DEFAULT,
    old_url: own.oldUrl ?? null,
    old_passphrases: own.oldPassphrases ?? null,
    mac: macOfOwn(db, own),
  });
  return { eventId: own.eventId, round: 1 };
}

function macOfOwn(db: Queryable, own: Pick<OwnEvent, 'eventId' | 'apiKeyId' | 'event' | 'body'>): string {
  const { eventId: id, apiKeyId: api_key_id, event, body } = own;
  const ofNone = { transaction_id: null, sequence: null };
  return macOfRow(db, 'callback_events', { id, api_key_id, event, body, ...ofNone });
}

/** Writes `batch.finished` in its own round. A second call changes nothing. */
export async function insertBatchEvent(
  db: Queryable,
  { eventId, apiKeyId, body }: { eventId: string; apiKeyId: string; body: string },
): Promise<void> {
  const mac = macOfOwn(db, { eventId, apiKeyId, event: 'batch.finished', body });
  await db.query(
    `INSERT INTO callback_events (id, api_key_id, event, body, mac, round, next_attempt_at, state)
     SELECT $1, k.id, 'batch.finished', $3, $4, 1, now(),
       CASE WHEN k.callback_url IS NULL THEN 'no_url' ELSE 'pending' END
     FROM api_keys k WHERE k.id = $2 AND 'batch.finished' = ANY(k.subscribed_events) ON CONFLICT DO NOTHING`,
    [eventId, apiKeyId, body, mac],
  );
}

export const newEventId = () => `evt_${randomBytes(16).toString('hex')}`;

/** A repeated step makes the same id. After a restore, a rebuilt event has other bytes, so another id. */
function eventIdOf(transactionId: string, { sequence, epoch = 0 }: Pick<What, 'sequence' | 'epoch'>): string {
  const name = epoch === 0 ? `${transactionId}:${sequence}` : `${transactionId}:${sequence}:${epoch}`;
  const digest = createHash('sha256').update(name).digest('hex');
  return `evt_${digest.slice(0, 32)}`;
}

/**
 * Makes a callback's exact text (docs/callbacks.md): published order, money as `n,nnn.nn`, metadata as sent.
 * `timestamp` is the time of the change, so every attempt sends the same bytes.
 */
export function buildEventBody(transaction: MerchantTransaction, what: What): { id: string; body: string } {
  const id = eventIdOf(transaction.id, what);
  return { id, body: bodyOf(transaction, what, id) };
}

type What = Beside & {
  event: TransactionEvent;
  sequence: number;
  /** epoch of the fence (transactions/care/fence.ts); 0: no restore yet */
  epoch?: number;
};

type Bodies = { [E in CallbackEventName]: JsonOf<(typeof callbackSchemas)[E]> };

/** The compiler checks a callback's members against its event's schema. */
export function writeEvent<E extends CallbackEventName>(body: Bodies[E]): string {
  return writeAnswer(body, 'en');
}

/** Each event belongs to payments or to payouts. Throws BrokenInvariant for the other type. */
function bodyOf(transaction: MerchantTransaction, { event, ...what }: What, id: string): string {
  const place = { id, ...what };
  if (isPayout(transaction) && isOfPayout(event))
    return payoutBody(transaction, show(transaction), { ...place, event });
  if (!isPayout(transaction) && !isOfPayout(event))
    return paymentBody(transaction, show(transaction), { ...place, event });
  throw new BrokenInvariant(`transaction ${transaction.id} is a ${transaction.mode} and has no ${event}`);
}

function isOfPayout(event: TransactionEvent): event is PayoutEvent {
  return event.startsWith('payout.');
}

type Place = Omit<What, 'event'> & { id: string };

function paymentBody(
  transaction: CollectionTransaction,
  { channel, bill, number }: ShownPayment,
  { event, ...place }: Place & { event: Exclude<TransactionEvent, PayoutEvent> },
): string {
  const { fullName, createdAt: created_at, updatedAt: updated_at } = transaction;
  const first = { ...firstMembers(transaction, place), channel };
  const party = {
    customer: { phone_number: showPhone(transaction), full_name: fullName },
    metadata: jsonText(transaction.metadata),
  };
  const times = { created_at, updated_at, timestamp: updated_at };
  if (event === 'payment.failed') {
    const amount = { value: formatMoney(transaction.amount) };
    const failure = failureMembers(transaction);
    return writeEvent<typeof event>({
      event,
      ...first,
      amount,
      ...party,
      ...failure,
      bill,
      number,
      ...times,
    });
  }
  const { amount: value, fee } = place.payment ?? transaction;
  const settled = formatMoney(minor(value - fee));
  const amount = { value: formatMoney(value), fee: formatMoney(fee), settled };
  const receipt_url = place.receiptUrl;
  return writeEvent<typeof event>({
    event,
    ...first,
    amount,
    ...party,
    bill,
    number,
    receipt_url,
    ...times,
  });
}

function payoutBody(
  transaction: PayoutTransaction,
  { channel, beneficiary, beside, refund_of }: ShownPayout,
  { event, ...place }: Place & { event: PayoutEvent },
): string {
  const first = {
    ...firstMembers(transaction, place),
    channel,
    amount: { value: formatMoney(transaction.amount) },
  };
  const party = {
    payout_reference: transaction.reference,
    beneficiary,
    ...beside,
    refund_of,
  };
  const paid = { paid_at: transaction.paidAt ?? transaction.statusAt };
  const times = { created_at: transaction.createdAt, timestamp: transaction.updatedAt };
  switch (event) {
    case 'payout.completed': {
      const fee = formatMoney(transaction.fee);
      const receipt = { receipt_url: place.receiptUrl };
      return writeEvent<typeof event>({ event, ...first, fee, ...party, ...paid, ...receipt, ...times });
    }
    case 'payout.failed': {
      const failure = failureMembers(transaction);
      return writeEvent<typeof event>({ event, ...first, ...failure, ...party, paid_at: null, ...times });
    }
    case 'payout.returned':
      // The bank returned the money; the payout stays paid.
      return writeEvent<typeof event>({
        event,
        ...first,
        ...returnMembers(transaction),
        ...party,
        ...paid,
        ...times,
      });
  }
}

function firstMembers<T extends MerchantTransaction>(transaction: T, { id, sequence }: Place) {
  return {
    event_id: id,
    sequence,
    transaction_id: transaction.id,
    transaction_mode: transaction.mode as T['mode'],
    transaction_currency: transaction.currency,
  };
}

function failureMembers(transaction: MerchantTransaction) {
  const cancelled: FailureCode | null = transaction.status === 'cancelled' ? 'cancelled' : null;
  const code = cancelled ?? transaction.failureCode;
  if (code === null) throw new BrokenInvariant(`transaction ${transaction.id} failed without a failure code`);
  return { failure_reason: inEnglish(failureReasonOf(code)), failure_code: code };
}

function returnMembers({ id, returnReason, returnedAt }: PayoutTransaction) {
  if (returnReason === null || returnedAt === null)
    throw new BrokenInvariant(`transaction ${id} was not returned`);
  return { return_reason: returnReason, returned_at: returnedAt };
}
