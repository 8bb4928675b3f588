import assert from 'node:assert/strict';
import { fingerprintsOf } from '../../src/transactions/acceptance/idempotency.ts';

const push = { amount: 5_000, currency: 'TZS', phone_number: '0754123456', metadata: { order: 'INV-1' } };
const [now, first] = fingerprintsOf('ussd', push);
const nowOf = (fields: Record<string, unknown>) => fingerprintsOf('ussd', fields)[0];

describe('the fingerprint of a request', () => {
  it('is of the second version, and of the first as that release stored it', () => {
    assert.match(now, /^v2:[0-9a-f]{64}$/);
    // sha256 of ["payments/ussd",[["amount",5000],["currency","TZS"],["metadata",[["order","INV-1"]]],["phone_number","0754123456"]]]
    assert.equal(first, 'v1:fe6055ca57a224480cd09d3ef20f826f2cd9b360da813b7f1a585cdfef42cd95');
  });

  it('does not depend on the order of members, nor on null for what is absent', () => {
    const { metadata, ...rest } = push;
    assert.equal(nowOf({ metadata, ...rest, transaction_channel: null }), now);
  });

  it('is one for every spelling of the number and of the currency', () => {
    for (const phone_number of ['754123456', '+255 754 123 456', '00255754123456', '(0754) 123.456'])
      assert.equal(nowOf({ ...push, phone_number }), now, phone_number);
    assert.equal(nowOf({ ...push, currency: 'tzs' }), now);
    assert.notEqual(nowOf({ ...push, phone_number: '0754123457' }), now);
  });

  it('tells an object from an array of pairs, which the first version did not', () => {
    const [objects, objectsFirst] = fingerprintsOf('ussd', { ...push, metadata: { k: { a: 1 } } });
    const [arrays, arraysFirst] = fingerprintsOf('ussd', { ...push, metadata: { k: [['a', 1]] } });
    assert.equal(objectsFirst, arraysFirst);
    assert.notEqual(objects, arrays);
    assert.notEqual(nowOf({ ...push, metadata: { k: {} } }), nowOf({ ...push, metadata: { k: [] } }));
    assert.notEqual(nowOf({ ...push, metadata: { k: [1, 2] } }), nowOf({ ...push, metadata: { k: [2, 1] } }));
  });

  it('is another one for another operation, amount or item, and leaves metadata as it was sent', () => {
    const others = [
      fingerprintsOf('mobile', push)[0],
      nowOf({ ...push, amount: 5_001 }),
      nowOf({ ...push, metadata: { order: 'inv-1' } }),
      nowOf({ ...push, metadata: { order: 'INV-1', phone_number: '0754123456' } }),
      nowOf({ ...push, metadata: { order: 'INV-1', phone_number: '+255754123456' } }),
    ];
    assert.equal(new Set([now, ...others]).size, 6);
  });
});
