import assert from 'node:assert/strict';
import fc from 'fast-check';
import { saidTime } from '../../../src/api/pay/said-time.ts';

const PARTS: Record<string, number[]> = {
  usiku: [0, 1, 2, 3, 19, 20, 21, 22, 23],
  alfajiri: [4, 5],
  asubuhi: [6, 7, 8, 9, 10, 11],
  mchana: [12, 13, 14, 15],
  jioni: [16, 17, 18],
};

describe('times on the pages of customers', () => {
  it('are said as people say them', () => {
    for (const [at, said] of [
      ['2027-02-26T04:29:00Z', '26 Februari 2027, saa 1:29 asubuhi (07:29)'],
      ['2026-12-31T20:59:59.999Z', '31 Desemba 2026, saa 5:59 usiku (23:59)'],
      ['2026-12-31T21:00:00Z', '1 Januari 2027, saa 6:00 usiku (00:00)'],
      ['2026-11-29T03:00:00Z', '29 Novemba 2026, saa 12:00 asubuhi (06:00)'],
      ['2026-11-29T09:05:00Z', '29 Novemba 2026, saa 6:05 mchana (12:05)'],
      ['2026-11-29T15:00:00Z', '29 Novemba 2026, saa 12:00 jioni (18:00)'],
    ] as const)
      assert.equal(saidTime(at, 'sw'), said);
    assert.equal(saidTime('2027-02-26T04:29:00Z', 'en'), '26 February 2027, 07:29');
  });

  it('name in Swahili the same minute twice: by the hours from sunrise or sunset on, and by the clock', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (at) => {
        const said = saidTime(at.toISOString(), 'sw');
        const found = /^\d+ \p{Lu}\p{Ll}+ \d{4}, saa (\d+):(\d\d) (\p{Ll}+) \((\d\d):(\d\d)\)$/u.exec(said);
        assert.ok(found, said);
        const [, hour, minute, part = '', clockHour, clockMinute] = found;
        const ofClock = Number(clockHour);
        assert.equal(ofClock, (at.getUTCHours() + 3) % 24);
        assert.equal(Number(clockMinute), at.getUTCMinutes());
        assert.equal(minute, clockMinute);
        assert.ok(Number(hour) >= 1 && Number(hour) <= 12);
        assert.equal((Number(hour) + 6) % 12, ofClock % 12);
        assert.ok(PARTS[part]?.includes(ofClock), said);
      }),
    );
  });
});
