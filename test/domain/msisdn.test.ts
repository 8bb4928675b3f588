import assert from 'node:assert/strict';
import { PHONE_PATTERN } from '../../src/api/kit/request-fields.ts';
import { parseMsisdn, readPhone, showMsisdn } from '../../src/domain/msisdn.ts';

const spellings = [
  '0754123456',
  '754123456',
  '255754123456',
  '+255754123456',
  '00255754123456',
  '0754 123 456',
  '0754-123-456',
  '(0754) 123456',
  '+255 (754) 123-456',
  '+ 255 754 123 456',
  '00 255 754 123456',
];
/** The document is silent of them. */
const alsoTaken = [
  '0754.123.456',
  ' 754.123.456 ',
  '0754,123,456',
  '0754.123456',
  '0754123.456',
  '\u202a+255754123456\u202c',
  '\u200e0754123456',
  '\u00a00754\u202f123456',
  '0754\u2013123\u2013456',
];
/** From a spreadsheet: the number was another one, or nobody knows. */
const shortened = [
  '75412345.0',
  '075412345.0',
  '60123456.7',
  '7541234.00',
  '754123456.0',
  '754123.000',
  '75412345,0',
  '0754123456.',
  '7.54123E+8',
];
const zeroTooMany = ['2550754123456', '+2550754123456', '+255 (0)754 123 456', '002550654123456'];
/** Groups of one digit may be decimals, or thousands. */
const oddGroups = ['075.4.123.456', '754.123.45.6', '1.234,5', '0754.12345.6'];
const none = [
  '',
  '0',
  '754',
  '075412345',
  '07541234567',
  '0854123456',
  '854123456',
  '0222123456',
  '254754123456',
  '+254754123456',
  '0754x23456',
  '+0754123456',
  '000255754123456',
  '+00255754123456',
  '0754/123456',
  '0754\t123456',
  '٠٧٥٤١٢٣٤٥٦',
];

describe('a mobile number', () => {
  for (const text of spellings) {
    it(`is the same written "${text}", for us and in the document`, () => {
      assert.deepEqual(readPhone(text), { msisdn: '255754123456' });
      assert.equal(parseMsisdn(text), '255754123456');
      assert.match(text, new RegExp(PHONE_PATTERN, 'u'));
    });
  }

  for (const text of none) {
    it(`is none written "${text}", for us and in the document`, () => {
      assert.deepEqual(refusalOf(text), 'must_be_phone_here');
      assert.equal(parseMsisdn(text), null);
      assert.doesNotMatch(text, new RegExp(PHONE_PATTERN, 'u'));
    });
  }

  for (const text of alsoTaken) {
    it(`is the same written ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readPhone(text), { msisdn: '255754123456' });
    });
  }

  const refused = {
    is_shortened: shortened,
    must_leave_out_zero: zeroTooMany,
    must_be_phone_here: oddGroups,
  };
  for (const [why, texts] of Object.entries(refused)) {
    for (const text of texts) {
      it(`is refused written "${text}", in a request, a file and the document: ${why}`, () => {
        assert.equal(refusalOf(text), why);
        assert.doesNotMatch(text, new RegExp(PHONE_PATTERN, 'u'));
      });
    }
  }

  it('is shown as people dial it', () => assert.equal(showMsisdn('255754123456'), '0754123456'));

  it('is read as ever where a network tells it', () => {
    assert.equal(parseMsisdn('0754.123.45.6'), '255754123456');
  });
});

function refusalOf(text: string): string | undefined {
  const read = readPhone(text);
  return read.msisdn === null ? read.wrong.id : undefined;
}
