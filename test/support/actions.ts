import { createActions } from '../../src/operators/action-table.ts';
import { CONNECTION } from './merchant.ts';

const timing = {
  promptTtlMs: 0,
  promptEnquiriesMs: [],
  firstEnquiryAfterMs: 1_000,
  settleTimeMs: 2_000,
  sendTimeoutMs: 4_000,
};

/** What needs two operators, where every network but Halotel's carries payouts over the scripted channel. */
export const actions = createActions({
  payoutRouteOf: (channel) =>
    channel === 'halopesa'
      ? undefined
      : { ...timing, connection: CONNECTION, enquires: true, deduplicates: true },
  timing: 'fast',
});
