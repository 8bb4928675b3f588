import assert from 'node:assert/strict';
import { fingerprintsOf } from '../../src/transactions/acceptance/idempotency.ts';
import { accept } from '../support/accept.ts';
import { useTestApi } from './support/use-api.ts';

const push = { amount: 5_000, currency: 'TZS', phone_number: '0754123456', metadata: { order: 'INV-1' } };

describe('a key that an earlier release stored', () => {
  const { api } = useTestApi({
    flows: (database) => ({
      // As that release stored it.
      submit: async (submission) => {
        const fingerprint = fingerprintsOf('ussd', push)[1] ?? '';
        return { kind: 'answered', accepted: await accept(database, { ...submission, fingerprint }) };
      },
    }),
  });
  const post = (body: unknown) =>
    api.call('POST', 'payments/ussd', { body, headers: { 'idempotency-key': 'from-before' } });

  it('means the same request still, and no other', async () => {
    const first = await post(push);
    assert.equal(first.status, 200, first.text);
    const again = await post(push);
    assert.equal(again.text, first.text);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    const other = await post({ ...push, amount: 6_000 });
    assert.equal(other.body.code, 'idempotency_key_reused');
  });
});
