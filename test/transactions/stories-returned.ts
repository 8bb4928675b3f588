import type { Stories } from './storyteller.ts';

/** Money that a channel says it gave back, whether it had moved or not. */
export const storiesOfReturns: Stories = {
  'mobile: success ~back': ['paid, came back, asks returned', 'The channel returned the payout: AC04'],
  'bank: success ~back:-': ['paid, came back, asks returned', 'The bank returned the payout: AC04'],
  // Read together, in either order.
  'mobile: ~success ~back ()': 'paid, came back, asks returned',
  'mobile: ~back ~success ()': 'paid, came back, asks returned',
  'bank: ~back success': 'paid, came back, asks returned, door applied',
  // Nothing calls it paid: a wallet's channel says that it failed, a bank says only what it moved.
  'mobile: ~back ()': 'failed',
  'ussd: ~back ()': 'failed reversed',
  'bank: ~back:X never_arrived !not_found': 'pending, asks returned',
  'mobile: failure ~back': 'failed',
  'bank: failure ~back': 'failed, suspense 50000, asks returned',
  'bank: failure ~back:- | failure ~back:-': 'failed, suspense 50000 50000, asks returned',
  'bank: failure ~back:RT9 | failure ~back:RT9': 'failed, suspense 50000 50000, asks returned',
  // It makes up for a success that came after the failure, and for none that comes after it.
  'mobile: failure success ~back': 'failed, suspense -50000 50000, asks late_success returned',
  'mobile: ~back () ~success success': 'failed, suspense -50000, asks late_success',
  'mobile: ~back () success': 'failed, suspense -50000, asks late_success',
  // The merchant of a payment was credited.
  'ussd: success ~back': [
    'completed, suspense -50000, asks returned',
    'The payer has the payment back: AC04',
  ],
  // The same return again, under another key of its message: one movement.
  'bank: success ~back:RT9 ~back:RT9': 'paid, came back, asks returned',
  'bank: ~back:RT9 ~back:RT9 success': 'paid, came back, asks returned, door applied contradicting',
  'mobile: success ~back:V1 ~back:V1':
    'paid, came back, asks returned, moved channel itself -50000 ×1 R1 and channel reversal 50000 ×1 V1',
  'ussd: success ~back:V1 ~back:V1': 'completed, suspense -50000, asks returned',
  // Another currency or amount, and a second return.
  'bank: success ~back:RT1:50000:USD ~back:RT2:49999': 'paid, suspense 50000 USD 49999, asks returned',
  'bank: success ~back:RT3 ~back:RT4 ~back:RT5 ~back:-':
    'paid, came back, suspense 50000 50000 50000, asks returned',
  'bank: ~back:RT1 ~back:RT2 success':
    'paid, came back, suspense 50000, asks returned, door applied contradicting',
  'bank: success:R1 ~back:RT7 | success:R2 ~back:RT7': 'paid, came back, asks returned',
};
