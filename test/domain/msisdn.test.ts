import assert from 'node:assert/strict';
import { PHONE_PATTERN } from '../../src/api/kit/request-fields.ts';
import { parseMsisdn } from '../../src/domain/msisdn.ts';

const spellings = [
  '0754123456',
  '754123456',
  '255754123456',
  '+255754123456',
  '00255754123456',
  '0754 123 456',
  '0754-123-456',
  '0754.123.456',
  '(0754) 123456',
  '+255 (754) 123-456',
  '+ 255 754 123 456',
  '00 255 754 123456',
  ' 754.123.456 ',
];
const none = [
  '',
  '0',
  '754',
  '075412345',
  '07541234567',
  '0854123456',
  '854123456',
  '254754123456',
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
      assert.equal(parseMsisdn(text), '255754123456');
      assert.match(text, new RegExp(PHONE_PATTERN, 'u'));
    });
  }

  for (const text of none) {
    it(`is none written "${text}", for us and in the document`, () => {
      assert.equal(parseMsisdn(text), null);
      assert.doesNotMatch(text, new RegExp(PHONE_PATTERN, 'u'));
    });
  }
});
