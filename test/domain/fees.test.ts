import assert from 'node:assert/strict';
import fc from 'fast-check';
import data from '../../data/fees.json' with { type: 'json' };
import { type FeeService, feeFor } from '../../src/domain/fees.ts';
import { minor } from '../../src/domain/money.ts';

const NOW = '2026-11-20T08:15:30.123456Z';

describe('fees', () => {
  for (const vector of data.vectors) {
    it(`of ${vector.service} on ${vector.value_minor} minor units is ${vector.fee_minor}`, () => {
      const { fee, version } = feeFor(vector.service as FeeService, minor(vector.value_minor), NOW);
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
        const { fee } = feeFor(service, minor(value), NOW);
        assert.ok(fee >= 0 && fee <= value);
        assert.ok(fee % 100 === 0 || fee === value);
      }),
    );
  });

  it('are refused before any schedule was in force', () => {
    assert.throws(() => feeFor('ussd', minor(100_000), '2024-12-31T23:59:59.999999Z'), /no fee schedule/);
  });
});
