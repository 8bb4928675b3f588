import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatMoney,
  minor,
  minorFromDecimal,
  minorFromUnits,
  minorSaid,
  toDecimal,
  toFixedDecimal,
  toUnits,
} from '../../src/domain/money.ts';

const amounts = fc.integer({ min: 0, max: 100_000_000_000_000 }).map(minor);

describe('money', () => {
  it('is shown with thousands separators and two decimals', () => {
    assert.equal(formatMoney(minor(500_000)), '5,000.00');
    assert.equal(formatMoney(minor(1_250_050)), '12,500.50');
    assert.equal(formatMoney(minor(5)), '0.05');
    assert.equal(formatMoney(minor(-5_100_000)), '-51,000.00');
    assert.equal(formatMoney(minor(100_000_000_000)), '1,000,000,000.00');
  });

  it('goes through the number of an answer and the decimal of a wire without a change', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        assert.equal(minorFromUnits(toUnits(amount)), amount);
        if (toFixedDecimal(amount).length <= 16)
          assert.equal(minorFromDecimal(toFixedDecimal(amount)), amount);
        assert.equal(formatMoney(amount).replaceAll(',', ''), toFixedDecimal(amount));
      }),
    );
  });

  it('is the same amount in every decimal form of a channel', () => {
    for (const text of ['1000', '1000.0', '1000.00', ' 1000.000 '])
      assert.equal(minorFromDecimal(text), 100_000);
    for (const text of ['+1000', '0001000', '1000.', '+01000.0'])
      assert.equal(minorFromDecimal(text), 100_000);
    for (const text of ['.5', '0.5', '+.50']) assert.equal(minorFromDecimal(text), 50);
    for (const text of ['12.5', '12.50', '12.500']) assert.equal(minorFromDecimal(text), 1_250);
    assert.equal(toDecimal(minor(100_000)), '1000');
    assert.equal(toDecimal(minor(100_050)), '1000.50');
  });

  it('is read as networks say it', () => {
    for (const text of ['1500', '1,500', 'TZS 1500', 'TZS1,500.00', '1500.00 TZS', 'tzs 1500'])
      assert.equal(minorSaid(text), 150_000, text);
    for (const text of ['USD 1500', '1,50', 'TZS', '1.500,00']) assert.equal(minorSaid(text), null, text);
  });

  it('is nothing that is not exactly money', () => {
    for (const text of ['', '-1', '1e3', '1,000', '1.005', 'NaN', '0x10', '.', '+', '++1', '00.001'])
      assert.equal(minorFromDecimal(text), null, text);
    for (const value of [0.001, 12.345, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
      assert.equal(minorFromUnits(value), null, String(value));
    assert.throws(() => minor(0.5), RangeError);
  });
});
