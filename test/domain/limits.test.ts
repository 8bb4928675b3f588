import assert from 'node:assert/strict';
import {
  describeLimit,
  type LimitedRequest,
  type LimitRefusal,
  type Limits,
  noLimits,
  raisedBy,
  refusalAsTwin,
  refusalByLimits,
  requireLimits,
  twinWindowOf,
} from '../../src/domain/limits.ts';
import { inEnglish } from '../../src/domain/messages.ts';
import { minor } from '../../src/domain/money.ts';

const END = 'It is free again at 2026-01-08T21:00:00Z, midnight in Dar es Salaam';
const ANEW = 'Nothing was done; send the payout with a new Idempotency-Key when it fits';

const said = (refusal: LimitRefusal | null) => refusal && { ...refusal, message: inEnglish(refusal.message) };

describe('what the limits of account and key say', () => {
  /** A payout of 10,000 TZS, the second one of the day to somebody who is known since an hour. */
  const asked = (limits: Partial<Limits>, changes: Partial<LimitedRequest> = {}): LimitedRequest => ({
    amount: minor(1_000_000),
    now: '2026-01-08T12:00:00.500000Z',
    dayEnds: '2026-01-08T21:00:00.000000Z',
    limits: { account: { ...noLimits, ...limits }, key: noLimits },
    days: { account: { value: 3_000_000, payouts: 2 }, key: { value: 3_000_000, payouts: 2 } },
    recipient: { value: 1_500_000, knownSince: '2026-01-08T11:00:00.250000Z' },
    twinAt: null,
    ...changes,
  });
  const ofKey = (limits: Partial<Limits>) =>
    asked({}, { limits: { account: noLimits, key: { ...noLimits, ...limits } } });

  it('is nothing where there is none', () => assert.equal(refusalByLimits(asked({})), null));

  for (const [name, value, sentence] of [
    [
      'payout_max',
      1_000_000,
      'A payout of WHOSE may be at most 9,999.99 TZS (payout_max). Time does not change it: send less, or ask for a higher limit',
    ],
    [
      'payout_daily_max',
      3_000_000,
      `The payouts of a day of WHOSE may be 29,999.99 TZS in all (payout_daily_max): 20,000.00 TZS are used, and 10,000.00 TZS would be too much. ${END}`,
    ],
    [
      'recipient_daily_max',
      1_500_000,
      `The payouts of a day to one recipient of WHOSE may be 14,999.99 TZS in all (recipient_daily_max): 5,000.00 TZS are used, and 10,000.00 TZS would be too much. ${END}`,
    ],
    [
      'payouts_per_day',
      2,
      `The payouts of a day of WHOSE may be 1 (payouts_per_day), and all are used. ${END}`,
    ],
  ] as const)
    it(`is no to what is above ${name}, and yes to what just reaches it`, () => {
      assert.equal(refusalByLimits(asked({ [name]: value })), null);
      assert.equal(refusalByLimits(ofKey({ [name]: value })), null);
      const message = (whose: string) => `${sentence.replace('WHOSE', whose)}. ${ANEW}`;
      const code = 'limit_exceeded';
      const above = { [name]: value - 1 };
      assert.deepEqual(said(refusalByLimits(asked(above))), { code, message: message('this account') });
      assert.deepEqual(said(refusalByLimits(ofKey(above))), { code, message: message('this API key') });
    });

  it('is no to a recipient who is new, until the very moment', () => {
    const knownSince = (moment: string) =>
      refusalByLimits(
        asked({ new_recipient_cooloff_s: 3_600 }, { recipient: { value: 0, knownSince: moment } }),
      );
    assert.equal(knownSince('2026-01-08T11:00:00.500000Z'), null);
    assert.equal(
      said(knownSince('2026-01-08T11:00:00.501000Z'))?.message,
      `This recipient is new to this account, which waits 3600 s before it pays one (new_recipient_cooloff_s). It is possible from 2026-01-08T12:00:01Z. ${ANEW}`,
    );
  });

  it('is no to a twin, in the longer window of the two, before anything else', () => {
    const limits = (account: number | null, key: number | null) => ({
      account: { ...noLimits, duplicate_window_s: account, payout_max: 1 },
      key: { ...noLimits, duplicate_window_s: key },
    });
    for (const [account, key, window] of [
      [60, null, 60],
      [60, 30, 60],
      [null, 90, 90],
      [null, null, null],
    ] as const)
      assert.equal(twinWindowOf(limits(account, key)), window);
    const twinAt = '2026-01-08T11:59:30.000000Z';
    const refused = refusalByLimits(asked({}, { limits: limits(60, 30), twinAt }));
    assert.deepEqual(said(refused), {
      code: 'duplicate_suspected',
      message:
        'The same amount with the same number or account was accepted at 2026-01-08T11:59:30Z under another ' +
        'Idempotency-Key, and duplicate_window_s is 60 s. Nothing was done; if you mean it, send it with a new ' +
        'Idempotency-Key after 2026-01-08T12:00:30Z',
    });
    assert.equal(refusalAsTwin({ limits: limits(60, null), twinAt: null }), null);
    assert.equal(refusalAsTwin({ limits: limits(null, null), twinAt }), null);
    assert.equal(refusalByLimits(asked({}, { limits: limits(60, 30) }))?.code, 'limit_exceeded');
  });

  it('is weaker when what bounds from above rises, what makes wait shrinks, or either goes', () => {
    const raised = (before: Partial<Limits>, after: Partial<Limits>) =>
      raisedBy({ ...noLimits, ...before }, { ...noLimits, ...after });
    assert.deepEqual(raised({ payout_max: 5, duplicate_window_s: 5 }, {}), [
      'payout_max',
      'duplicate_window_s',
    ]);
    assert.deepEqual(raised({ payout_max: 5 }, { payout_max: 6 }), ['payout_max']);
    assert.deepEqual(raised({ duplicate_window_s: 5 }, { duplicate_window_s: 4 }), ['duplicate_window_s']);
    for (const [before, after] of [
      [{ payout_max: 5 }, { payout_max: 4 }],
      [{ duplicate_window_s: 5 }, { duplicate_window_s: 6 }],
      [{ payout_max: 5 }, { payout_max: 5 }],
      [{}, { payout_max: 5 }],
    ])
      assert.deepEqual(raised(before ?? {}, after ?? {}), []);
  });

  it('is shown with its unit', () => {
    assert.equal(describeLimit('payout_max', 5_000_000), '50,000.00 TZS');
    assert.equal(describeLimit('duplicate_window_s', 60), '60 s');
    assert.equal(describeLimit('payouts_per_day', 7), '7');
    assert.equal(describeLimit('payouts_per_day', null), 'none');
  });

  it('is a whole number from one on, within what can be counted', () => {
    for (const value of [1, 7 * 86_400, null]) requireLimits({ duplicate_window_s: value });
    for (const value of [0, -1, 1.5, 7 * 86_400 + 1, Number.NaN])
      assert.throws(
        () => requireLimits({ duplicate_window_s: value }),
        /duplicate_window_s must be a whole number/,
      );
  });
});
