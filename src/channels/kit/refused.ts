import type { Failed, NotSent, Unknown } from '../../domain/channel.ts';
import { MINOR_PER_UNIT } from '../../domain/money.ts';
import type { ChannelCode } from './codes.ts';
import { asSeen, turnedAway, unknown } from './unclear.ts';

/** Refuses an order that is not in whole shillings, before it is sent; else returns null. */
export function refusedHere(order: { amount: number; currency: string }, currency: string): Failed | null {
  const isWhole = order.amount > 0 && order.amount % MINOR_PER_UNIT === 0;
  if (isWhole && order.currency === currency) return null;
  return { kind: 'failed', code: 'amount_out_of_range', channelReference: null };
}

export function refusalBy(
  code: ChannelCode | undefined,
  text: string,
  channelReference: string | null = null,
): Failed | NotSent | Unknown {
  if (code?.outcome === 'setup') return turnedAway(`refused: ${text}`);
  if (code?.outcome === 'final' && code.failureCode)
    return { kind: 'failed', code: code.failureCode, channelReference };
  const unclear = unknown(`${code?.outcome ?? 'unknown code'}: ${text}`);
  return code?.outcome === 'duplicate' ? asSeen(unclear) : unclear;
}
