import { createHash } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import type { CallbackEventName } from '../domain/event.ts';
import { type FailureCode, failureReasonOf } from '../domain/failure.ts';
import { jsonText, toJsonText } from '../domain/json-text.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { showBeneficiary, showBill, showChannel, showPhone } from '../domain/show.ts';
import type { Transaction } from '../domain/transaction.ts';

export type TransactionEvent = Exclude<CallbackEventName, 'ping'>;

/** A round that is to be started: its workflow is named after both, so that it is started once. */
export type Queued = { eventId: string; round: number };

/** One payment of a bill: its event tells of this payment's money, not of the bill's. */
export type EventPayment = { amount: Minor; fee: Minor };

/**
 * Writes the event of a transaction into the log, inside the transaction that settles it: the state change and the
 * bytes that tell of it commit together. Call it with the transaction as it is after the change and under its row
 * lock. Returns the event's id. A transaction has one event of each kind: run again, it returns the first one. Only a
 * bill has one `payment.received` per payment; whoever inserts the payment's row calls it, so that it is called once.
 */
export async function insertCallbackEvent(
  db: Queryable,
  transaction: Transaction,
  event: TransactionEvent,
  payment?: EventPayment,
): Promise<string> {
  const { rows } = await db.query(
    'SELECT id, event, sequence FROM callback_events WHERE transaction_id = $1',
    [transaction.id],
  );
  const before = payment ? undefined : rows.find((row) => row.event === event);
  if (before) return before.id;
  const sequence = 1 + Math.max(0, ...rows.map((row) => row.sequence));
  const { id, body } = buildEventBody(transaction, { event, sequence, payment });
  await db.query(
    `INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, state)
     SELECT $1, $2, k.id, $4, $5, $6, CASE WHEN k.callback_url IS NULL THEN 'no_url' ELSE 'pending' END
     FROM api_keys k WHERE k.id = $3
     ON CONFLICT DO NOTHING`,
    [id, transaction.id, transaction.apiKeyId, event, sequence, body],
  );
  return id;
}

/**
 * Gives an event that was just written a round of its own, because its transaction's workflow has ended. Null when it is
 * not to be sent: its key has no URL.
 */
export async function startOwnRound(
  db: Queryable,
  { transactionId, event }: { transactionId: string; event: TransactionEvent },
): Promise<Queued | null> {
  const { rows } = await db.query(
    `UPDATE callback_events SET round = 1, next_attempt_at = now()
     WHERE transaction_id = $1 AND event = $2 AND state = 'pending' AND round = 0 RETURNING id, round`,
    [transactionId, event],
  );
  const row = rows[0];
  return row ? { eventId: row.id, round: row.round } : null;
}

/** Made from the transaction and the event's place in it, so that a step that runs again makes the same id. */
function eventIdOf(transactionId: string, sequence: number): string {
  const digest = createHash('sha256').update(`${transactionId}:${sequence}`).digest('hex');
  return `evt_${digest.slice(0, 32)}`;
}

/**
 * The exact text of a callback (docs/callbacks.md): keys in the published order, money as `n,nnn.nn`, the metadata as
 * the merchant wrote it. `timestamp` is the moment of the change, not of the sending, so that every attempt sends the
 * same bytes.
 */
export function buildEventBody(
  transaction: Transaction,
  what: { event: TransactionEvent; sequence: number; payment?: EventPayment | undefined },
): { id: string; body: string } {
  const { event, sequence } = what;
  const id = eventIdOf(transaction.id, sequence);
  const body = toJsonText({
    event,
    event_id: id,
    sequence,
    transaction_id: transaction.id,
    transaction_mode: transaction.mode,
    transaction_currency: transaction.currency,
    ...(event.startsWith('payout.')
      ? payoutMembers(transaction, event)
      : paymentMembers(transaction, event, what.payment)),
    timestamp: transaction.updatedAt,
  });
  return { id, body };
}

function paymentMembers(transaction: Transaction, event: TransactionEvent, payment?: EventPayment) {
  const { amount, fee } = payment ?? transaction;
  const received = event === 'payment.received';
  const charged = { fee: formatMoney(fee), settled: formatMoney(minor(amount - fee)) };
  return {
    channel: showChannel(transaction),
    amount: { value: formatMoney(amount), ...(received ? charged : {}) },
    customer: { phone_number: showPhone(transaction), full_name: transaction.fullName },
    metadata: jsonText(transaction.metadata),
    ...(received ? {} : failureMembers(transaction)),
    bill: showBill(transaction),
    created_at: transaction.createdAt,
    updated_at: transaction.updatedAt,
  };
}

function payoutMembers(transaction: Transaction, event: TransactionEvent) {
  return {
    channel: showChannel(transaction),
    amount: { value: formatMoney(transaction.amount) },
    ...endingMembers(transaction, event),
    payout_reference: transaction.reference,
    beneficiary: showBeneficiary(transaction),
    metadata: jsonText(transaction.metadata),
    paid_at: event === 'payout.failed' ? null : (transaction.paidAt ?? transaction.statusAt),
    created_at: transaction.createdAt,
  };
}

function endingMembers(transaction: Transaction, event: TransactionEvent) {
  if (event === 'payout.failed') return failureMembers(transaction);
  if (event === 'payout.completed') return { fee: formatMoney(transaction.fee) };
  // Returned: the bank sent the money back; the payout stays paid.
  return { return_reason: transaction.returnReason, returned_at: transaction.returnedAt };
}

function failureMembers(transaction: Transaction) {
  const cancelled: FailureCode | null = transaction.status === 'cancelled' ? 'cancelled' : null;
  const code = cancelled ?? transaction.failureCode;
  if (code === null) throw new Error(`transaction ${transaction.id} failed without a failure code`);
  return { failure_reason: failureReasonOf(code), failure_code: code };
}
