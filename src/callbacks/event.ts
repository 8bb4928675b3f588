import { createHash } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { bankByBic } from '../domain/bank.ts';
import { showBill } from '../domain/bill.ts';
import type { CallbackEventName } from '../domain/event.ts';
import { type FailureCode, failureReasonOf } from '../domain/failure.ts';
import { formatMoney, type Minor, minor } from '../domain/money.ts';
import { showMsisdn } from '../domain/msisdn.ts';
import { networkById } from '../domain/network.ts';
import { shownChannelReference, type Transaction } from '../domain/transaction.ts';

export type TransactionEvent = Exclude<CallbackEventName, 'ping'>;

/** A piece of JSON text that is put into the body as it is. */
type Raw = { json: string };
type Field = readonly [name: string, value: unknown | Raw];

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
  const { id, body } = buildEventBody(transaction, { event, sequence, ...(payment ? { payment } : {}) });
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
  what: { event: TransactionEvent; sequence: number; payment?: EventPayment },
): { id: string; body: string } {
  const { event, sequence } = what;
  const id = eventIdOf(transaction.id, sequence);
  const common: Field[] = [
    ['event', event],
    ['event_id', id],
    ['sequence', sequence],
    ['transaction_id', transaction.id],
    ['transaction_mode', transaction.mode],
    ['transaction_currency', transaction.currency],
  ];
  const particular = event.startsWith('payout.')
    ? payoutFields(transaction, event)
    : paymentFields(transaction, event, what.payment);
  return { id, body: toJson([...common, ...particular, ['timestamp', transaction.updatedAt]]) };
}

function paymentFields(transaction: Transaction, event: TransactionEvent, payment?: EventPayment): Field[] {
  const { amount, fee } = payment ?? transaction;
  const received = event === 'payment.received';
  const settled = minor(amount - fee);
  return [
    ['channel', { name: networkName(transaction.channel), reference: shownChannelReference(transaction) }],
    [
      'amount',
      received
        ? { value: formatMoney(amount), fee: formatMoney(fee), settled: formatMoney(settled) }
        : { value: formatMoney(amount) },
    ],
    ['customer', { phone_number: phoneOf(transaction), full_name: transaction.fullName }],
    ['metadata', { json: transaction.metadata }],
    ...(received ? [] : failureFields(transaction)),
    ...billFields(transaction),
    ['created_at', transaction.createdAt],
    ['updated_at', transaction.updatedAt],
  ];
}

/** A QR code is paid like a bill, but the merchant never sees its number. */
function billFields({ bill, type, amount }: Transaction): Field[] {
  if (type !== 'bill' || bill === null) return [];
  return [['bill', showBill(bill, amount)]];
}

function payoutFields(transaction: Transaction, event: TransactionEvent): Field[] {
  return [
    ['channel', { name: payoutChannelName(transaction), reference: shownChannelReference(transaction) }],
    ['amount', { value: formatMoney(transaction.amount) }],
    ...endingFields(transaction, event),
    ['payout_reference', transaction.reference],
    ['beneficiary', beneficiaryOf(transaction)],
    ['metadata', { json: transaction.metadata }],
    ['paid_at', event === 'payout.failed' ? null : (transaction.paidAt ?? transaction.statusAt)],
    ['created_at', transaction.createdAt],
  ];
}

function endingFields(transaction: Transaction, event: TransactionEvent): Field[] {
  if (event === 'payout.failed') return failureFields(transaction);
  if (event === 'payout.completed') return [['fee', formatMoney(transaction.fee)]];
  // Returned: the bank sent the money back; the payout stays paid.
  return [
    ['return_reason', transaction.returnReason],
    ['returned_at', transaction.returnedAt],
  ];
}

function failureFields(transaction: Transaction): Field[] {
  const cancelled: FailureCode | null = transaction.status === 'cancelled' ? 'cancelled' : null;
  const code = cancelled ?? transaction.failureCode;
  if (code === null) throw new Error(`transaction ${transaction.id} failed without a failure code`);
  return [
    ['failure_reason', failureReasonOf(code)],
    ['failure_code', code],
  ];
}

function beneficiaryOf(transaction: Transaction): Record<string, string | null> {
  if (transaction.mode === 'bank') {
    const bank = bankByBic(transaction.bic ?? '');
    return {
      bank_account: transaction.accountNumber,
      bank_name: bank?.name ?? transaction.bic,
      bank_bic: bank?.bic ?? transaction.bic,
    };
  }
  return {
    phone_number: phoneOf(transaction),
    phone_network: transaction.channel,
    full_name: transaction.fullName,
  };
}

/** A wallet payout names its network's id, a bank payout the bank's `value` of the bank list. */
function payoutChannelName(transaction: Transaction): string {
  if (transaction.mode !== 'bank') return transaction.channel;
  return bankByBic(transaction.bic ?? '')?.value ?? transaction.channel;
}

/** Payments name the network in upper case. A network that was switched off since is named by its id. */
function networkName(channel: string): string {
  return networkById(channel)?.name ?? channel.toUpperCase();
}

function phoneOf(transaction: Transaction): string | null {
  return transaction.msisdn === null ? null : showMsisdn(transaction.msisdn);
}

function toJson(fields: readonly Field[]): string {
  const parts = fields.map(([name, value]) => {
    const text = isRaw(value) ? value.json : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${parts.join(',')}}`;
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'json';
}
