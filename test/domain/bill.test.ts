import assert from 'node:assert/strict';
import { BILL_PAYMENTS_MAX, type BillState, outstandingOf, refusalOf } from '../../src/domain/bill.ts';
import { type Minor, minor } from '../../src/domain/money.ts';

describe('whether a bill takes a payment', () => {
  const exact: BillState = {
    open: true,
    expired: false,
    mode: 'exact',
    amount: minor(10_000),
    currency: 'TZS',
    payments: 0,
    claimedByAnother: false,
    maximum: minor(50_000),
  };
  const flexible: BillState = { ...exact, mode: 'flexible' };
  const refused = (bill: BillState, amount: number | null = 10_000, currency = 'TZS') =>
    refusalOf(bill, { amount: amount as Minor | null, currency });

  it('is a matter of its state first: it is closed, its time is over, or it is full', () => {
    for (const bill of [exact, flexible]) {
      assert.equal(refused(bill), null);
      assert.equal(refused({ ...bill, payments: BILL_PAYMENTS_MAX - 1 }), null);
      for (const closed of [{ open: false }, { expired: true }, { payments: BILL_PAYMENTS_MAX }])
        assert.equal(refused({ ...bill, ...closed }, null), 'bill_closed');
    }
  });

  it('is no to what is no amount, or another currency', () => {
    for (const bill of [exact, flexible]) {
      for (const amount of [null, 0, -1]) assert.equal(refused(bill, amount), 'amount_invalid');
      assert.equal(refused(bill, 10_000, 'USD'), 'amount_invalid');
    }
  });

  it('is, of an exact bill, a matter of the cent, and of who means to pay it', () => {
    assert.equal(refused(exact, 9_999), 'amount_too_low');
    assert.equal(refused(exact, 10_001), 'amount_too_high');
    assert.equal(refused({ ...exact, claimedByAnother: true }), 'in_progress');
    assert.equal(refused({ ...exact, claimedByAnother: true }, 9_999), 'amount_too_low');
  });

  it('is, of a flexible bill, yes to any amount up to the most that is ever accepted', () => {
    for (const amount of [1, 9_999, 10_001, 50_000])
      assert.equal(refused({ ...flexible, claimedByAnother: true }, amount), null);
    for (const bill of [exact, flexible]) assert.equal(refused(bill, 50_001), 'amount_too_high');
  });

  it('leaves what is outstanding, and never less than nothing', () => {
    const outstanding = (paid: number) => outstandingOf({ paid: minor(paid) }, minor(10_000));
    assert.deepEqual([0, 4_000, 10_000, 10_001].map(outstanding), [10_000, 6_000, 0, 0]);
  });
});
