import assert from 'node:assert/strict';
import fc from 'fast-check';
import data from '../../data/fees.json' with { type: 'json' };
import { schema } from '../../src/domain/data/fees.ts';
import type { FeeService } from '../../src/domain/fee-services.ts';
import { feeFor, feesAt, feesNamed } from '../../src/domain/fees.ts';
import { minor } from '../../src/domain/money.ts';
import vectors from './fee-vectors.json' with { type: 'json' };

const NOW = '2026-11-20T08:15:30.123456Z';

describe('fees', () => {
  for (const vector of vectors) {
    it(`of ${vector.service} on ${vector.value_minor} minor units is ${vector.fee_minor}`, () => {
      const { fee, version } = feeFor(
        vector.service as FeeService,
        minor(vector.value_minor),
        feesAt(NOW, null),
      );
      assert.equal(fee, vector.fee_minor);
      assert.equal(version, '2025-01');
      if ('settled_minor' in vector) assert.equal(vector.value_minor - fee, vector.settled_minor);
      if ('held_minor' in vector) assert.equal(vector.value_minor + fee, vector.held_minor);
    });
  }

  it('of a collection never exceeds its value, and is a whole number of shillings or the value itself', () => {
    const services = fc.constantFrom<FeeService>('ussd', 'qr', 'billpay');
    fc.assert(
      fc.property(services, fc.integer({ min: 1, max: 1_000_000_000 }), (service, value) => {
        const { fee } = feeFor(service, minor(value), feesAt(NOW, null));
        assert.ok(fee >= 0 && fee <= value);
        assert.ok(fee % 100 === 0 || fee === value);
      }),
    );
  });

  it('are those of a later schedule from exactly its first moment on', () => {
    const [first] = data.versions;
    assert.ok(first);
    const bank = {
      ...first.services.bank,
      tiers: [{ from: 0, to: null, fixed: 5000, basis_points: 0, min: 0, max: null }],
    };
    const second = {
      version: '2027-01',
      effective_from: '2027-01-01T00:00:00.000000Z',
      services: { ...first.services, bank },
    };
    const versions = schema.parse({ ...data, versions: [first, second] }).versions;
    const at = (moment: string) => feeFor('bank', minor(100_000), feesAt(moment, null, versions));
    assert.deepEqual(at('2026-12-31T23:59:59.999999Z'), { fee: 236_000, version: '2025-01' });
    assert.deepEqual(at('2027-01-01T00:00:00.000000Z'), { fee: 500_000, version: '2027-01' });
    assert.deepEqual(at('2027-01-01T00:00:00.000Z'), { fee: 500_000, version: '2027-01' });
    assert.deepEqual(at('2027-01-01T00:00:00.000001Z'), { fee: 500_000, version: '2027-01' });
    assert.equal(feeFor('bank', minor(100_000), feesNamed('2025-01', null, versions)).fee, 236_000);
    assert.equal(feeFor('bank', minor(100_000), feesNamed('2027-01', null, versions)).fee, 500_000);
    assert.throws(() => feesNamed('2028-01', null, versions), /no fee schedule 2028-01/);
  });

  it('are refused where a schedule has no tier for the value', () => {
    const whole = schema.parse(data).versions[0];
    assert.ok(whole);
    const { mobile } = whole.services;
    const [first, , third] = mobile.tiers;
    assert.ok(first && third);
    const gap = { ...whole, services: { ...whole.services, mobile: { ...mobile, tiers: [first, third] } } };
    assert.equal(feeFor('mobile', minor(499_900), feesAt(NOW, null, [gap])).fee, 30_000);
    assert.throws(
      () => feeFor('mobile', minor(500_000), feesAt(NOW, null, [gap])),
      new RangeError('fee schedule 2025-01 has no tier of mobile for 500000'),
    );
    assert.equal(feeFor('mobile', minor(1_000_000), feesAt(NOW, null, [gap])).fee, 70_000);
  });

  it('are refused before any schedule was in force', () => {
    assert.throws(() => feesAt('2024-12-31T23:59:59.999999Z', null), /no fee schedule/);
  });
});
