import type { Direction } from './kinds.ts';

/** A channel has these services for merchants; each is up or down by itself. */
export const services = ['payments', 'payouts'] as const;
export type Service = (typeof services)[number];

export const serviceOf: Record<Direction, Service> = { collection: 'payments', payout: 'payouts' };

export const channelStates = ['up', 'degraded', 'down'] as const;
export type ChannelState = (typeof channelStates)[number];

export type Operations = Record<Service | 'callbacks', ChannelState>;

export type Results = { answered: number; failed: number };

export type HealthRules = {
  windowMs: number;
  resultsMin: number;
  degradedShare: number;
  downShare: number;
  probeFirstMs: number;
  probeLastMs: number;
};

/** Counts the newest results until `resultsMin` are reached; with fewer the channel counts as up. */
export function stateOf(
  newestFirst: readonly Results[],
  { resultsMin, degradedShare, downShare }: Pick<HealthRules, 'resultsMin' | 'degradedShare' | 'downShare'>,
): ChannelState {
  let answered = 0;
  let failed = 0;
  for (const slot of newestFirst) {
    answered += slot.answered;
    failed += slot.failed;
    if (answered + failed >= resultsMin) break;
  }
  if (answered + failed < resultsMin) return 'up';
  const share = failed / (answered + failed);
  if (share >= downShare) return 'down';
  return share >= degradedShare ? 'degraded' : 'up';
}

export const checkOutcomes = ['works', 'failed', 'not asked'] as const;
export type CheckedConnection = {
  connection: string;
  protocol: string;
  outcome: (typeof checkOutcomes)[number];
  detail: string;
};
