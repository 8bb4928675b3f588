import type { Row } from './storyteller.ts';

const CONFLICT = ['conflicting_failure'];
const BOTH = ['conflicting_failure', 'late_success'];

/** What two people decided, and what its channel says then. */
export const storiesOfDecisions: Row[] = [
  ['mobile', 'decided:failed', { status: 'pending', isApplied: false }],
  ['mobile', 'decided:failed ()', { status: 'failed', answer: null, isApplied: true }],
  ['mobile', 'decided:paid ()', { status: 'paid', answer: null, moved: ['people itself -50000 ×1'] }],
  ['mobile', 'decided:paid cancel', { status: 'paid' }],
  ['mobile', 'decided:paid unsent', { status: 'paid' }],
  // The channel was asked before they decided: its silence says nothing about that, however often it is told.
  ['mobile', 'sent:unknown decided:paid never_arrived', { status: 'paid', answer: null, isApplied: true }],
  ['ussd', 'sent:unknown decided:paid () never_arrived', { status: 'completed', answer: null }],
  ['mobile', 'decided:failed never_arrived never_arrived', { status: 'failed', answer: null }],
  // An answer of the channel wins, and what never left us needs no opinion.
  ['mobile', 'decided:paid failure', { status: 'failed', isApplied: false }],
  ['mobile', 'sent:not_sent decided:paid unsent', { status: 'failed', code: 'network_unavailable' }],
  // It is confirmed; any other receipt is another movement.
  ['mobile', 'decided:paid () success', { status: 'paid', answer: 'confirmed' }],
  ['mobile', 'decided:failed () failure', { status: 'failed', answer: 'confirmed' }],
  ['mobile', 'decided:failed () unanswered', { status: 'failed', answer: 'none' }],
  [
    'mobile',
    'decided:paid () success:R1 success:R2',
    { status: 'paid', answer: 'confirmed', suspense: [-50_000], asks: ['late_success'] },
  ],
  ['mobile', 'sent:accepted:A1 decided:paid () success:R1', { status: 'paid', answer: 'confirmed' }],
  [
    'mobile',
    'sent:accepted:A1 decided:paid () success:R1 success:R2',
    { status: 'paid', answer: 'confirmed', suspense: [-50_000], asks: ['late_success'] },
  ],
  [
    'mobile',
    'decided:paid () success:W1:49999',
    { status: 'paid', answer: null, suspense: [-49_999], asks: ['wrong_amount'] },
  ],
  // It is contradicted: the books say what the channel says, and people have the difference.
  [
    'mobile',
    'decided:failed () success',
    { status: 'failed', answer: 'contradicted', suspense: [-50_000], asks: ['late_success'] },
  ],
  [
    'mobile',
    'sent:unknown decided:paid () failure',
    {
      status: 'paid',
      answer: 'contradicted',
      suspense: [50_000],
      asks: CONFLICT,
      says: 'reported a failure (network_error) after the transaction was paid by a decision',
      moved: ['people itself -50000 ×0'],
    },
  ],
  [
    'mobile',
    'sent:unknown decided:paid () never_arrived:after',
    {
      status: 'paid',
      answer: 'contradicted',
      suspense: [50_000],
      asks: CONFLICT,
      says: 'reported a failure (network_unavailable) after the transaction was paid',
    },
  ],
  ['ussd', 'decided:paid () failure', { status: 'completed', suspense: [-50_000], asks: CONFLICT }],
  // It moved after all.
  ...[
    ['', 'R1'],
    ['sent:accepted:R1 ', 'R1 (points) R1'],
    ['sent:accepted:A1 ', 'A1 (points) R1'],
  ].flatMap(([sent, names]): Row[] => [
    [
      'mobile',
      `${sent}decided:paid () failure success:R1 success:- success:R1`,
      {
        status: 'paid',
        receipt: 'R1',
        suspense: [50_000, -50_000],
        asks: BOTH,
        says: 'neither without the other',
        moved: [`people itself -50000 ×1 ${names}`],
      },
    ],
    [
      'mobile',
      `${sent}decided:paid () failure success:R1 success:R2`,
      { status: 'paid', receipt: 'R1', suspense: [50_000, -50_000, -50_000], asks: BOTH },
    ],
  ]),
  [
    'mobile',
    'decided:paid () failure ~success:-',
    {
      status: 'paid',
      suspense: [50_000, -50_000],
      asks: BOTH,
      says: 'moved 50,000.00 TZS (no receipt) after it had reported a failure',
      door: ['contradicting'],
    },
  ],
  // Two people corrected it before its channel said the same: a person is called where it says otherwise then.
  [
    'mobile',
    'decided:paid () line:OTHER:5 corrected failure',
    {
      status: 'paid',
      suspense: [5, 50_000],
      asks: CONFLICT,
      moved: ['people itself -50000 ×0', 'line itself 5 ×1 OTHER'],
    },
  ],
  [
    'mobile',
    'decided:paid () line:OTHER:5 corrected failure ~back:B1',
    {
      status: 'paid',
      suspense: [5, 50_000],
      asks: [...CONFLICT, 'returned'],
      moved: ['people itself -50000 ×0', 'line itself 5 ×1 OTHER'],
    },
  ],
  [
    'mobile',
    'decided:paid () line:OTHER:5 corrected failure ~success:R2',
    {
      status: 'paid',
      suspense: [5, 50_000],
      asks: BOTH,
      moved: ['people itself -50000 ×0 R2', 'line itself 5 ×1 OTHER'],
    },
  ],
  // The line of a void statement is no word about it.
  [
    'mobile',
    'line:WRONG:-50000:ours void decided:paid () failure',
    {
      status: 'paid',
      suspense: [50_000],
      asks: CONFLICT,
      moved: ['line itself -50000 ×0 WRONG (freed)', 'people itself -50000 ×0'],
    },
  ],
  [
    'mobile',
    'line:WRONG:-50000:ours void decided:paid () failure success',
    {
      status: 'paid',
      suspense: [50_000, -50_000],
      asks: BOTH,
      moved: ['line itself -50000 ×0 WRONG (freed)', 'people itself -50000 ×1 R1'],
    },
  ],
  // It came back.
  [
    'bank',
    'decided:paid () ~back failure',
    { status: 'paid', isReturned: true, answer: 'confirmed', asks: ['returned'] },
  ],
  [
    'bank',
    'decided:paid () failure ~back',
    { status: 'paid', suspense: [50_000], asks: [...CONFLICT, 'returned'] },
  ],
  [
    'bank',
    'decided:paid () failure ~back success',
    { status: 'paid', suspense: [50_000], asks: [...CONFLICT, 'returned'] },
  ],
  // A statement that knows the payout by our reference alone names its return so, too.
  [
    'mobile',
    'decided:paid () failure line:-:-50000:ours ~back:V1 success line:V1:50000:return:ours',
    { status: 'paid', suspense: [50_000], asks: [...CONFLICT, 'returned'] },
  ],
  [
    'bank',
    'decided:paid () failure ~back:V1 success ~back:V2',
    { status: 'paid', suspense: [50_000, 50_000], asks: [...CONFLICT, 'returned'] },
  ],
  [
    'bank',
    'decided:paid () failure success ~back',
    { status: 'paid', isReturned: true, suspense: [50_000, -50_000], asks: [...BOTH, 'returned'] },
  ],
];
