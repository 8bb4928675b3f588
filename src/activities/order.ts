import { Context } from '@temporalio/activity';
import type { Channels } from '../channels/registry.ts';
import type { CallOptions, Channel, Party } from '../domain/channel.ts';
import type { Transaction } from '../domain/transaction.ts';

/** What every request to a channel carries; the reference was decided once and is the same on every attempt. */
export function orderOf(transaction: Transaction) {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    amount: transaction.amount,
    currency: transaction.currency,
    description: `${transaction.type === 'payout' ? 'Payout' : 'Payment'} ${transaction.reference}`,
  };
}

export function partyOf(transaction: Transaction): Party {
  if (transaction.mode === 'bank') {
    const { bic, accountNumber, fullName } = transaction;
    if (bic === null || accountNumber === null || fullName === null)
      throw new Error('a bank payout without an account');
    return { kind: 'bank', bic, accountNumber, fullName };
  }
  if (transaction.msisdn === null) throw new Error('a wallet transaction without a number');
  return { kind: 'wallet', msisdn: transaction.msisdn };
}

export function channelOf(channels: Channels, transaction: Transaction): Channel {
  const configured = channels.forChannel(transaction.channel);
  if (!configured) throw new Error(`channel ${transaction.channel} is not configured`);
  return configured.channel;
}

/**
 * One limit of time for everything that a call to a channel may do (a token renewed, a link followed), so that nothing
 * leaves after the activity has timed out and the flow has gone on.
 */
export function callWithin(timeoutMs: number): CallOptions {
  const signal = AbortSignal.any([Context.current().cancellationSignal, AbortSignal.timeout(timeoutMs)]);
  return { timeoutMs, signal };
}
