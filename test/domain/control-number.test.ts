import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  dammDigit,
  isDammValid,
  largestSerial,
  makeControlNumber,
  parseControlNumber,
} from '../../src/domain/control-number.ts';
import vectors from './tanqr-vectors.json' with { type: 'json' };

const prefixes = fc.stringMatching(/^[0-9]{2,6}$/).filter((prefix) => !prefix.startsWith('99'));
const numbers = prefixes.chain((prefix) =>
  fc.integer({ min: 0, max: largestSerial(prefix) }).map((serial) => makeControlNumber(prefix, serial)),
);

describe('a control number', () => {
  it('is a prefix, a serial and a check digit, twelve digits together', () => {
    assert.equal(makeControlNumber('77', 1), '770000000017');
    assert.equal(makeControlNumber('77', 999_999_999), '779999999994');
    assert.equal(dammDigit('572'), '4');
    for (const digits of vectors.damm.valid) assert.ok(isDammValid(digits), digits);
    for (const digits of vectors.damm.invalid) assert.ok(!isDammValid(digits), digits);
  });

  it('is read again with the spaces and dashes a customer types', () => {
    for (const text of [
      '7700 0000 0017',
      '770-000-000-017',
      ' 770000000017\n',
      '770\u00a0000\u2013000\u2014017',
    ])
      assert.equal(parseControlNumber(text), '770000000017', text);
    fc.assert(
      fc.property(numbers, (number) => {
        assert.equal(number.length, 12);
        assert.equal(parseControlNumber(number), number);
      }),
    );
  });

  it('is not read when one digit is wrong or two neighbours are swapped', () => {
    fc.assert(
      fc.property(numbers, fc.nat(11), fc.integer({ min: 1, max: 9 }), (number, at, add) => {
        const other = (Number(number[at]) + add) % 10;
        assert.equal(parseControlNumber(number.slice(0, at) + other + number.slice(at + 1)), null);
        const [left, right] = [number[at] ?? '', number[at + 1] ?? ''];
        if (left !== right && right !== '')
          assert.equal(parseControlNumber(number.slice(0, at) + right + left + number.slice(at + 2)), null);
      }),
    );
  });

  it('is nothing but twelve ASCII digits', () => {
    for (const text of [
      '',
      '77000000001',
      '7700000000170',
      '٧٧٠٠٠٠٠٠٠٠١٧',
      '77000000001x',
      '7700000000\u00b97',
    ])
      assert.equal(parseControlNumber(text), null, text);
  });

  it("is not made in the government's space, with a bad prefix, or of a serial without room", () => {
    for (const prefix of ['99', '9912', '7', '7777777', '7a', ''])
      assert.throws(() => makeControlNumber(prefix, 1), RangeError, prefix);
    for (const serial of [-1, 0.5, 1_000_000_000])
      assert.throws(() => makeControlNumber('77', serial), RangeError);
  });
});
