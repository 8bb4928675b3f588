import assert from 'node:assert/strict';
import { readListQuery } from '../../src/api/kit/list-query.ts';
import { requiredMoment } from '../../src/api/kit/moments.ts';
import { resolve } from '../support/contract.ts';

describe('a moment in a query', () => {
  const { from } = resolve({ $ref: '#/components/schemas/ResendCallbacksRequest' }).properties;
  const read = (text: string) => requiredMoment.safeParse(text).data;

  it('is a day or a time with its zone', () => {
    assert.equal(read('2026-11-20'), '2026-11-19T21:00:00.000000Z');
    assert.equal(read('2026-11-20T08:15Z'), '2026-11-20T08:15:00.000000Z');
    assert.equal(read('2026-11-20T01:15:30.5+03:00'), '2026-11-19T22:15:30.500000Z');
  });

  it('explains a + that was not escaped in an address', () => {
    const query = new URLSearchParams('from=2026-11-20T08:15:30+03:00');
    assert.throws(() => readListQuery(query), /has a space where its \+ was.*%2B/);
    assert.throws(
      () => readListQuery(new URLSearchParams('from=yesterday')),
      /must be a day such as 2026-11-20, or a time with its zone such as/,
    );
    const escaped = readListQuery(new URLSearchParams('from=2026-11-20T08:15:30%2B03:00'));
    assert.equal(escaped.filter.from, '2026-11-20T05:15:30.000000Z');
  });

  it('is one that exists', () => {
    assert.equal(read('2024-02-29'), '2024-02-28T21:00:00.000000Z');
    for (const none of [
      '2023-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-11-20T24:00:00Z',
      '2026-11-20T08:15:60Z',
    ])
      assert.equal(read(none), undefined, none);
  });

  it('is written in the same ways in a bill, which may end with a day', () => {
    const bill = resolve({ $ref: '#/components/schemas/CreateBillRequest' }).properties.expires_at;
    assert.equal(bill.pattern, from.pattern);
  });

  it('is read exactly when the document says that it is one', () => {
    const years = ['0999', '1000', '1900', '2000', '2023', '2024', '2100', '2400', '2999', '3000'];
    const days = '01-31 02-28 02-29 02-30 04-30 04-31 11-31 12-31 12-32 13-01 00-01'.split(' ');
    const times = ['', 'T', 'T23:59', 'T24:00:00', 'T23:59:60', 'T08:15:30.1234567', 'T08:15:30.123456'];
    const zones = ['', 'Z', 'z', '+03:00', '-23:59', '+24:00', '+0300'];
    let good = 0;
    for (const year of years)
      for (const day of days)
        for (const time of times)
          for (const zone of zones) {
            const text = `${year}-${day}${time}${zone}`;
            const isRead = read(text) !== undefined;
            assert.equal(isRead, new RegExp(from.pattern, 'u').test(text), text);
            if (isRead) good += 1;
          }
    assert.ok(good > 100, `${good}`);
  });
});

describe('a page in a query', () => {
  it('is told the last that may be asked for', () => {
    assert.equal(readListQuery(new URLSearchParams('page=1000000')).page, 1_000_000);
    for (const page of ['0', '1000001', 'x'])
      assert.throws(() => readListQuery(new URLSearchParams({ page })), {
        message: 'page must be a whole number from 1 to 1,000,000',
      });
  });
});
