import { Context } from '@temporalio/activity';
import type { CallOptions, Party, WalletParty } from '../domain/channel.ts';
import type { Mode } from '../domain/kinds.ts';
import { type ChannelTransaction, kindOf, type Transaction } from '../domain/transaction.ts';
import type { Passenger } from '../traffic/gate.ts';

/** The name that a channel's statements show. */
const nouns: Record<Mode, string> = {
  ussd: 'Payment',
  billpay: 'Payment',
  qr: 'Payment',
  mobile: 'Payout',
  bank: 'Payout',
  refund: 'Refund',
  payback: 'Refund',
};

/** As the gate before its channel knows it. */
export function passengerOf(transaction: ChannelTransaction): Passenger {
  const { id, channel } = transaction;
  return { id, channel, direction: kindOf(transaction).direction };
}

/** Every request to a channel carries these; the reference was decided once and is the same on every attempt. */
export function orderOf(transaction: Transaction) {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    amount: transaction.amount,
    currency: transaction.currency,
    description: `${nouns[transaction.mode]} ${transaction.reference}`,
  };
}

/** The person that a channel asks for money, or pays. */
export function partyOf(transaction: ChannelTransaction): Party {
  switch (transaction.mode) {
    case 'ussd':
    case 'mobile':
    case 'refund':
    case 'payback':
      return walletOf(transaction);
    case 'bank': {
      const { bic, accountNumber, fullName } = transaction;
      return { kind: 'bank', bic, accountNumber, fullName };
    }
  }
}

export function walletOf({ msisdn }: { msisdn: string }): WalletParty {
  return { kind: 'wallet', msisdn };
}

/**
 * One limit of time for everything that a call to a channel may do (a token renewed, a link followed), so that nothing
 * leaves after the activity has timed out and the flow has gone on.
 */
export function callWithin(timeoutMs: number): CallOptions {
  const signal = AbortSignal.any([Context.current().cancellationSignal, AbortSignal.timeout(timeoutMs)]);
  return { timeoutMs, signal };
}
