import type { Row } from './storyteller.ts';

const LATE = ['late_success'];

/** What its channel says of a transaction, and what its flow makes of that. */
export const storiesOfReports: Row[] = [
  ['ussd', 'success', { status: 'completed', receipt: 'R1' }],
  ['mobile', 'success', { status: 'paid', receipt: 'R1' }],
  ['bank', 'success', { status: 'paid', receipt: 'R1' }],
  ['mobile', 'failure', { status: 'failed' }],
  ['ussd', 'failure:customer_declined', { status: 'failed', code: 'customer_declined' }],
  // A flow that gives up: only what provably never left us, or never arrived, has failed.
  ['mobile', 'new cancel !send', { status: 'cancelled' }],
  ['mobile', 'cancel', { status: 'pending' }],
  ['mobile', 'closed:1 cancel unsent', { status: 'pending' }],
  ['ussd', 'unsent', { status: 'pending' }],
  ['ussd', 'sent:not_sent unsent', { status: 'failed', code: 'network_unavailable' }],
  ['ussd', 'sent:accepted never_arrived', { status: 'pending' }],
  ['ussd', 'never_arrived', { status: 'failed', code: 'network_unavailable' }],
  ['mobile', '~pending never_arrived !not_found', { status: 'pending' }],
  ['mobile', 'not_found', { status: 'pending' }],
  ['mobile', 'taken !not_found', { status: 'pending' }],
  ['mobile', 'closed:1 ~success !send', { status: 'pending' }],
  ['mobile', 'closed:1 ~failure !send', { status: 'pending' }],
  ['mobile', 'closed:1 send closed:1 !send', { status: 'pending' }],
  // The first failure ends it, and a success before any failure.
  [
    'ussd',
    '~failure:payer_limit_reached ~failure:customer_declined ()',
    { status: 'failed', code: 'payer_limit_reached' },
  ],
  ['ussd', '~failure ~success ()', { status: 'completed' }],
  ['mobile', '~failure success ()', { status: 'paid' }],
  ['mobile', 'success failure', { status: 'paid' }],
  [
    'ussd',
    'success ~failure',
    {
      status: 'completed',
      asks: ['conflicting_failure'],
      says: 'The channel reported a failure (network_error) after the transaction was completed',
      door: ['contradicting'],
    },
  ],
  // It comes late.
  ['ussd', 'failure ~success', { status: 'failed', suspense: [50_000], asks: LATE, door: ['contradicting'] }],
  ['mobile', 'failure ~success', { status: 'failed', suspense: [-50_000], asks: LATE }],
  ['mobile', 'failure success', { status: 'failed', suspense: [-50_000], asks: LATE }],
  ['ussd', 'failure success:- success:R1', { status: 'failed', suspense: [50_000], asks: LATE }],
  ['ussd', 'failure success:R1 success:-', { status: 'failed', suspense: [50_000], asks: LATE }],
  // A statement shows it in between, and does not name us: at last it is one.
  [
    'ussd',
    'failure success:- line:R1:50000 success:R1',
    { status: 'failed', suspense: [50_000], asks: LATE },
  ],
  [
    'bank',
    'line:R1:-50000 failure success:- success:R1',
    { status: 'failed', suspense: [-50_000], asks: LATE },
  ],
  [
    'ussd',
    'failure success:- success:R1 success:R2',
    { status: 'failed', suspense: [50_000, 50_000], asks: LATE },
  ],
  [
    'ussd',
    'failure success:- success:R1:50000:USD',
    { status: 'failed', suspense: [50_000, '50000 USD'], asks: [...LATE, 'wrong_amount'] },
  ],
  [
    'ussd',
    'failure success:R1:49999 success:- success:R2:49998',
    { status: 'failed', suspense: [49_999, 50_000, 49_998], asks: [...LATE, 'wrong_amount'] },
  ],
  // It is told again: without a receipt, or with its first one, it is the same movement.
  ['ussd', 'success success', { status: 'completed' }],
  ['ussd', 'success ~success', { status: 'completed', door: ['ignored'] }],
  ['ussd', 'failure ~failure', { status: 'failed', door: ['ignored'] }],
  ['ussd', 'new cancel ~failure', { status: 'cancelled', door: ['ignored'] }],
  ['ussd', 'success success:-', { status: 'completed', receipt: 'R1' }],
  [
    'ussd',
    'success:- success:R1',
    { status: 'completed', receipt: 'R1', moved: ['channel itself 50000 ×1 R1'] },
  ],
  ['ussd', 'success:- success:-', { status: 'completed' }],
  [
    'ussd',
    'sent:accepted:A1 success:- success:- success:R1 success:-',
    { status: 'completed', receipt: 'R1' },
  ],
  [
    'ussd',
    'sent:accepted:A1 success:- success:R1 success:A2',
    { status: 'completed', receipt: 'R1', suspense: [50_000], asks: LATE },
  ],
  // It moved twice.
  [
    'ussd',
    'success:R1 success:R2',
    {
      status: 'completed',
      suspense: [50_000],
      asks: LATE,
      says: 'The channel moved 50,000.00 TZS (R2); the transaction is completed for 50,000.00 TZS',
    },
  ],
  // Spelled otherwise, it is the same receipt: a bank's pain.002 comes again in other letters.
  ['bank', 'success:R1 success:r1', { status: 'paid', receipt: 'R1' }],
  ['bank', 'failure success:R1 success:r1', { status: 'failed', suspense: [-50_000], asks: LATE }],
  [
    'ussd',
    '~success:R1 ~success:R2 ()',
    { status: 'completed', receipt: 'R1', suspense: [50_000], asks: LATE },
  ],
  [
    'ussd',
    '~success:R1 ~success:R2 success:R2',
    { status: 'completed', receipt: 'R1', suspense: [50_000], asks: LATE },
  ],
  [
    'mobile',
    '~success:S1 success:S2 success:S3:70000',
    { status: 'paid', suspense: [-50_000, -70_000], asks: [...LATE, 'wrong_amount'] },
  ],
  // Of more than a proof alone may move the channel is asked: what it was told stays, whatever is answered.
  ['ussd', '?success failure', { status: 'failed', suspense: [50_000], asks: LATE, door: ['ignored'] }],
  [
    'ussd',
    '?success:R1 success:R2',
    { status: 'completed', receipt: 'R2', suspense: [50_000], asks: LATE, door: ['ignored'] },
  ],
  ['ussd', '?success success', { status: 'completed', receipt: 'R1', door: ['ignored'] }],
  // Another amount, or another currency, is another movement, and ends nothing.
  [
    'ussd',
    'success:R1 success:R1:49999',
    { status: 'completed', suspense: [49_999], asks: ['wrong_amount'] },
  ],
  [
    'ussd',
    '~success:R9:51000 () success:R9:51000',
    { status: 'pending', suspense: [51_000], asks: ['wrong_amount'], door: ['contradicting'] },
  ],
  [
    'mobile',
    '~success:R1:49000 never_arrived !not_found',
    { status: 'pending', suspense: [-49_000], asks: ['wrong_amount'] },
  ],
  [
    'mobile',
    'success:R1:49000 !not_found',
    { status: 'pending', suspense: [-49_000], asks: ['wrong_amount'] },
  ],
  ['ussd', '~success:R1:0', { status: 'pending', suspense: [0], asks: ['wrong_amount'] }],
  ['ussd', 'success:R1:50000:USD', { status: 'pending', suspense: ['50000 USD'], asks: ['wrong_amount'] }],
  ['ussd', '~success:R1:50000:USD', { status: 'pending', suspense: ['50000 USD'], asks: ['wrong_amount'] }],
  [
    'ussd',
    '~success:R1:51000 ~failure ~success:R2 success:R2',
    { status: 'completed', receipt: 'R2', suspense: [51_000], asks: ['wrong_amount'] },
  ],
  // A receipt is one of its bank alone.
  [
    'bank',
    'failure success | @other failure success',
    { status: 'failed', suspense: [-50_000, -50_000], asks: LATE },
  ],
  [
    'ussd',
    'success:SAME | success:sa_me',
    { status: 'pending', asks: ['receipt_mismatch'], moved: ['channel itself 50000 ×1 SAME'] },
  ],
  [
    'ussd',
    'success:SAME | success:same success:OTHER',
    { status: 'completed', receipt: 'OTHER', asks: ['receipt_mismatch'] },
  ],
  // Two people corrected the first of the two: it ends no other.
  [
    'ussd',
    'success:SAME corrected | success:SAME',
    { status: 'pending', suspense: [-50_000], asks: ['receipt_mismatch'] },
  ],
  // One receipt is one movement, whichever transaction it is told of.
  ['ussd', 'failure ~success | failure ~success', { status: 'failed', suspense: [50_000], asks: LATE }],
  [
    'ussd',
    'failure ~success | failure ~success:R1:70000',
    { status: 'failed', suspense: [50_000, 70_000], asks: ['wrong_amount'] },
  ],
  [
    'ussd',
    'failure success:- success:R1 | failure success:R1',
    { status: 'failed', suspense: [50_000], asks: LATE },
  ],
  [
    'ussd',
    'failure success:- success:R1 | failure success:- success:R1',
    { status: 'failed', suspense: [50_000, 50_000], asks: LATE },
  ],
];
