import { Context } from '@temporalio/activity';
import { within } from '../base/within.ts';
import type { Passenger } from '../channels/traffic/gate.ts';
import type { CallOptions } from '../domain/channel.ts';
import { type ChannelTransaction, kindOf, type Transaction } from '../domain/transaction.ts';

const nouns = { payment: 'Payment', payout: 'Payout', refund: 'Refund' } as const;

export function passengerOf(transaction: ChannelTransaction): Passenger {
  const { id, channel, connection } = transaction;
  return { id, channel, connection, direction: kindOf(transaction).direction };
}

/** Every request to a channel has these fields. The reference is the same on every attempt. */
export function orderOf(transaction: Transaction) {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    amount: transaction.amount,
    currency: transaction.currency,
    description: `${nouns[kindOf(transaction).statement.type]} ${transaction.reference}`,
  };
}

/** Limits everything that a call does, so nothing leaves after the activity's timeout. */
export function callWithin(timeoutMs: number): CallOptions {
  return { timeoutMs, signal: within(timeoutMs, Context.current().cancellationSignal) };
}
