import type { Failed } from '../domain/channel.ts';
import { MINOR_PER_UNIT } from '../domain/money.ts';

/** The refusal of an order that is no whole shillings of what a network carries: nothing has left us, and no repetition changes it. */
export function refusedHere(order: { amount: number; currency: string }, currency: string): Failed | null {
  const isWhole = order.amount > 0 && order.amount % MINOR_PER_UNIT === 0;
  if (isWhole && order.currency === currency) return null;
  return { kind: 'failed', code: 'amount_out_of_range', channelReference: null };
}
