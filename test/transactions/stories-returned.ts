import type { Row } from './storyteller.ts';

const RETURNED = ['returned'];
const paid = { status: 'paid', isReturned: true, asks: RETURNED } as const;

/** Money that a channel says it gave back, whether it had moved or not. */
export const storiesOfReturns: Row[] = [
  ['mobile', 'success ~back', { ...paid, says: 'The channel returned the payout: AC04' }],
  ['bank', 'success ~back:-', { ...paid, says: 'The bank returned the payout: AC04' }],
  // Read together, in either order.
  ['mobile', '~success ~back ()', paid],
  ['mobile', '~back ~success ()', paid],
  ['bank', '~back success', { ...paid, door: ['applied'] }],
  // Nothing calls it paid: a wallet's channel says that it failed, a bank says only what it moved.
  ['mobile', '~back ()', { status: 'failed' }],
  ['ussd', '~back ()', { status: 'failed', code: 'reversed' }],
  ['bank', '~back:X never_arrived !not_found', { status: 'pending', asks: RETURNED }],
  ['mobile', 'failure ~back', { status: 'failed' }],
  ['bank', 'failure ~back', { status: 'failed', suspense: [50_000], asks: RETURNED }],
  [
    'bank',
    'failure ~back:- | failure ~back:-',
    { status: 'failed', suspense: [50_000, 50_000], asks: RETURNED },
  ],
  [
    'bank',
    'failure ~back:RT9 | failure ~back:RT9',
    { status: 'failed', suspense: [50_000, 50_000], asks: RETURNED },
  ],
  // It makes up for a success that came after the failure, and for none that comes after it.
  [
    'mobile',
    'failure success ~back',
    { status: 'failed', suspense: [-50_000, 50_000], asks: ['late_success', 'returned'] },
  ],
  ['mobile', '~back () ~success success', { status: 'failed', suspense: [-50_000], asks: ['late_success'] }],
  ['mobile', '~back () success', { status: 'failed', suspense: [-50_000], asks: ['late_success'] }],
  // The merchant of a payment was credited.
  [
    'ussd',
    'success ~back',
    {
      status: 'completed',
      suspense: [-50_000],
      asks: RETURNED,
      says: 'The payer has the payment back: AC04',
    },
  ],
  // The same return again, under another key of its message: one movement.
  ['bank', 'success ~back:RT9 ~back:RT9', paid],
  ['bank', '~back:RT9 ~back:RT9 success', { ...paid, door: ['applied', 'contradicting'] }],
  [
    'mobile',
    'success ~back:V1 ~back:V1',
    { ...paid, moved: ['channel itself -50000 ×1 R1', 'channel reversal 50000 ×1 V1'] },
  ],
  ['ussd', 'success ~back:V1 ~back:V1', { status: 'completed', suspense: [-50_000], asks: RETURNED }],
  // Another currency or amount, and a second return.
  [
    'bank',
    'success ~back:RT1:50000:USD ~back:RT2:49999',
    { status: 'paid', suspense: ['50000 USD', 49_999], asks: RETURNED },
  ],
  ['bank', 'success ~back:RT3 ~back:RT4 ~back:RT5 ~back:-', { ...paid, suspense: [50_000, 50_000, 50_000] }],
  [
    'bank',
    '~back:RT1 ~back:RT2 success',
    { ...paid, suspense: [50_000], door: ['applied', 'contradicting'] },
  ],
  ['bank', 'success:R1 ~back:RT7 | success:R2 ~back:RT7', paid],
];
