import type { Row } from './storyteller.ts';

const OPEN = ['late_success', 'unknown_outcome'];
const LATE = ['late_success', 'wrong_amount'];
const CONFLICT = ['conflicting_failure'];

/** A movement that is told twice: by its channel, by lines of statements, and by people. */
export const storiesOfStatements: Row[] = [
  ...(['bank', 'mobile'] as const).flatMap((mode): Row[] =>
    // Its return.
    [
      'success line:R1:-50000:ours line:V1:50000:return ~back',
      'success line:R1:-50000:ours line:V1:50000:return ~back:-',
      'success line:R1:-50000:ours ~back line:V1:50000:return',
      'success line:R1:-50000:ours line:V1:50000:return released:V1 ~back',
    ].map((story) => [mode, story, { status: 'paid', isReturned: true, asks: ['returned'] }]),
  ),
  // The reversal of a push. ClickPesa has no number of one: it gives that of the payment.
  ...['V1', 'R1'].flatMap((number): Row[] =>
    [`line:V1:-50000:reversal ~back:${number}`, `~back:${number} line:V1:-50000:reversal`].map((story) => [
      'ussd',
      `success line:R1:50000 ${story}`,
      { status: 'completed', suspense: [-50_000], asks: ['returned'] },
    ]),
  ),
  ...(['ussd', 'mobile'] as const).flatMap((mode): Row[] => {
    const [sign, status] = mode === 'ussd' ? ['', 'completed' as const] : ['-', 'paid' as const];
    const more = mode === 'ussd' ? 7_000 : -7_000;
    return [
      [mode, `success:- line:R1:${sign}50000 success:R1`, { status }],
      [mode, `success:- line:R1:${sign}50000 success:_r1`, { status }],
      [mode, `decided:paid () line:R1:${sign}50000 success`, { status }],
      [mode, `line:R1:${sign}50000:ours success`, { status, moved: [`line itself ${sign}50000 ×1 R1`] }],
      [mode, `line:-:${sign}50000:ours success`, { status }],
      [
        mode,
        `decided:paid () line:R1:${sign}57000:ours success:R1:57000`,
        { status, suspense: [more], asks: ['wrong_amount'] },
      ],
    ];
  }),
  ['ussd', 'success:r1 line:R_1:50000:ours', { status: 'completed' }],
  // A line of nobody's is in suspense until its success takes it, which a late one does not, nor one of another amount.
  ['ussd', 'line:R1:50000 success', { status: 'completed' }],
  ['mobile', 'line:R1:-50000 success', { status: 'paid' }],
  ['ussd', 'line:R1:50000:ours success:-', { status: 'completed' }],
  ['ussd', 'failure line:R1:50000 success', { status: 'failed', suspense: [50_000], asks: ['late_success'] }],
  ['ussd', 'failure success line:R1:50000', { status: 'failed', suspense: [50_000], asks: ['late_success'] }],
  ['ussd', 'line:R1:49000 success', { status: 'pending', suspense: [49_000], asks: ['late_success'] }],
  // The item of its line was released: he has the money already.
  ['ussd', 'line:R1:50000:ours released:R1 success:-', { status: 'pending', asks: OPEN }],
  ['ussd', 'line:R1:50000:ours released:R1 success:R1', { status: 'pending', asks: OPEN }],
  ['ussd', 'line:-:50000:ours released:- success:R1 success:R1 success:-', { status: 'pending', asks: OPEN }],
  [
    'ussd',
    'line:-:50000:ours released:- success:R1 decided:failed () success:R1',
    { status: 'failed', asks: ['late_success'] },
  ],
  ['bank', 'line:N1:-50000:ours released:N1 success:N2 success:N2', { status: 'pending', asks: OPEN }],
  // A bank numbers a payout anew in its statement, but two answers are two movements.
  [
    'bank',
    'line:N1:-50000:ours success:N2 success:N3',
    { status: 'paid', suspense: [-50_000], asks: ['late_success'] },
  ],
  [
    'bank',
    'failure line:N1:-50000:ours success:N2 success:N3',
    { status: 'failed', suspense: [-50_000, -50_000], asks: ['late_success'] },
  ],
  // Of one that was told without a receipt, the line has its number and the next answer the channel's.
  [
    'bank',
    'failure success:- line:N1:-50000:ours success:N2',
    { status: 'failed', suspense: [-50_000], asks: ['late_success'] },
  ],
  // Its channel took it back: one movement back makes up for one item.
  [
    'ussd',
    'failure success:R1 success:R2 released:R1:V1 !released:R2:V1',
    {
      status: 'failed',
      suspense: [50_000],
      asks: ['late_success'],
      moved: [
        'channel itself 50000 ×1 R1',
        'channel itself 50000 ×1 R2',
        'people reversal -50000 gives back ×1 V1',
      ],
    },
  ],
  ['ussd', 'failure success:R1 line:R1:50000 line:V1:-50000:reversal released:R1:V1', { status: 'failed' }],
  ['bank', 'failure success:R1 released:R1:V1 ~back', { status: 'failed', asks: ['returned'] }],
  [
    'bank',
    'success:R1 success:R2 ~back !released:R2:V1',
    { status: 'paid', isReturned: true, suspense: [-50_000], asks: ['late_success', 'returned'] },
  ],
  [
    'bank',
    'failure success:R1 ~back line:R1:-50000 line:V1:50000:return',
    { status: 'failed', suspense: [-50_000, 50_000], asks: ['late_success', 'returned'] },
  ],
  // A wrong amount, and then the right one under the same receipt: two movements, and none ends it.
  [
    'ussd',
    'success:R1:40000 success:R1',
    { status: 'pending', suspense: [40_000, 50_000], asks: ['late_success', 'wrong_amount'] },
  ],
  // People decided, and its channel contradicts them and itself.
  ['ussd', 'decided:paid () line:R1:50000:ours failure success', { status: 'completed', asks: CONFLICT }],
  [
    'ussd',
    'decided:paid () line:R1:57000:ours failure success:R1:57000',
    { status: 'completed', suspense: [7_000], asks: [...CONFLICT, 'wrong_amount'] },
  ],
  [
    'mobile',
    'decided:paid () failure line:R1:-50000 success',
    { status: 'paid', suspense: [50_000, -50_000], asks: [...CONFLICT, 'receipt_mismatch'] },
  ],
  [
    'mobile',
    'decided:paid () line:R1:-50000:ours line:R2:-50000:ours success:R2',
    { status: 'paid', suspense: [-50_000], asks: ['receipt_mismatch'] },
  ],
  // The difference goes with its line: what its channel says afterwards is booked whole, and once.
  ...['', 'line:R1:57000:ours ', 'line:R1:57000:ours success:R1:57000 void '].map(
    (again): Row => [
      'ussd',
      `decided:paid () line:R1:57000:ours success:R1:57000 void failure ${again}success:R1:57000`,
      { status: 'completed', suspense: [-50_000, 57_000], asks: [...CONFLICT, 'wrong_amount'] },
    ],
  ),
  [
    'bank',
    'decided:paid () line:N1:-57000:ours success:R1:57000 void success:R1:57000 line:N2:-57000:ours',
    { status: 'paid', suspense: [-57_000], asks: ['wrong_amount'] },
  ],
  // The line shows one report with its amount; another receipt is another movement.
  ...(
    [
      ['ussd', 'R1', 1],
      ['mobile', '-', -1],
      ['bank', 'N1', -1],
    ] as const
  ).map(
    ([mode, name, sign]): Row => [
      mode,
      `decided:paid () line:${name}:${sign * 57_000}:ours success:R1:57000 success:R1:57000 success:R2:57000`,
      {
        status: mode === 'ussd' ? 'completed' : 'paid',
        suspense: [sign * 7_000, sign * 57_000],
        asks: ['wrong_amount'],
      },
    ],
  ),
  [
    'ussd',
    'success:R1:40000 line:R1:50000:ours success:R1:50000',
    { status: 'pending', suspense: [40_000, 10_000], asks: LATE },
  ],
  [
    'ussd',
    'failure success:R1:40000 line:R1:50000:ours success:R1:50000 success:R2:50000 success:R2:40000',
    { status: 'failed', suspense: [40_000, 10_000, 50_000, 40_000], asks: LATE },
  ],
  // What was taken back, and what moved: neither is the difference of the other.
  [
    'mobile',
    'decided:paid () failure line:R1:-50007:ours',
    { status: 'paid', suspense: [50_000, -50_007], asks: CONFLICT },
  ],
];
