import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { ERASED_MSISDN } from '../../src/domain/msisdn.ts';
import {
  choosePart,
  type PaidPart,
  REFUNDS_MAX,
  type RefundState,
  refundTo,
} from '../../src/domain/refund.ts';

const part: PaidPart = {
  number: 1,
  channel: 'm-pesa',
  receipt: 'R1',
  msisdn: '255754123456',
  fullName: 'ASHA JUMA',
  amount: minor(500_000),
  paidAt: '2026-01-08T12:00:00.000000Z',
};

describe('the payment that a refund means', () => {
  const other = { ...part, number: 2, receipt: 'R2' };

  it('is the only one, or the one with the receipt', () => {
    assert.deepEqual(choosePart([part], null), { part });
    assert.deepEqual(choosePart([part], 'R1'), { part });
    assert.deepEqual(choosePart([part, other], 'R2'), { part: other });
  });

  it('is none where nothing was paid, nothing has the receipt, or several match', () => {
    assert.deepEqual(choosePart([part], 'R2'), { obstacle: 'receipt_unknown' });
    assert.deepEqual(choosePart([part, other], null), { obstacle: 'receipt_needed' });
    const twin = { ...other, channel: 'airtel-money', receipt: 'R1' };
    assert.deepEqual(choosePart([part, twin], 'R1'), { obstacle: 'receipt_shared' });
  });
});

describe('whom a refund pays', () => {
  const state: RefundState = {
    part,
    asked: { channel: 'm-pesa', connection: 'c1' },
    isTooOld: false,
    refunds: 0,
  };

  it('is the payer, over the payer’s network', () => {
    const { channel, msisdn, fullName } = part;
    const payer = { channel, msisdn, fullName, connection: 'c1' };
    assert.deepEqual(refundTo(state), payer);
    assert.deepEqual(refundTo({ ...state, refunds: REFUNDS_MAX - 1 }), payer);
  });

  for (const [obstacle, change] of [
    ['account_unknown', { part: { ...part, channel: 'bank' } }],
    ['payer_unknown', { part: { ...part, msisdn: null } }],
    ['payer_erased', { part: { ...part, msisdn: ERASED_MSISDN } }],
    ['too_old', { isTooOld: true }],
    ['too_many', { refunds: REFUNDS_MAX }],
    ['just_paid', { asked: { channel: 'billpay', connection: 'c1' } }],
    ['not_offered', { asked: { channel: 'm-pesa', connection: null } }],
  ] as const)
    it(`is nobody: ${obstacle}`, () => assert.deepEqual(refundTo({ ...state, ...change }), { obstacle }));
});
