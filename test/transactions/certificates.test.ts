import assert from 'node:assert/strict';
import { pageOfAttention } from '../../src/transactions/care/attention.ts';
import { flagCertificates } from '../../src/transactions/care/certificates.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { pick } from '../support/pick.ts';

describe('certificates of connections', () => {
  const test = useTestDatabase();

  it('call a person thirty days before one ends, once for a connection', async () => {
    const now = new Date('2026-11-25T12:00:00Z');
    const held = (connection: string, about: string, day: string) => ({
      connection,
      about,
      endsAt: new Date(`${day}T12:00:00Z`),
    });
    const certificates = [
      held('m-pesa', 'certificate (CN=malipo)', '2026-12-20'),
      held('m-pesa', 'ca (CN=vodacom)', '2026-11-01'),
      held('halopesa', 'ca (CN=halotel)', '2026-12-26'),
    ];
    const worker = asRole(test.database, 'worker');
    await flagCertificates(worker, certificates, now);
    await flagCertificates(worker, certificates, now);
    const { items } = await pageOfAttention(test.database, { page: 1, perPage: 10 });
    assert.deepEqual(pick(items, 'subject', 'reason', 'detail'), [
      [
        'certificate:m-pesa',
        'certificate_ends',
        'certificate (CN=malipo) of m-pesa ends on 2026-12-20; ca (CN=vodacom) of m-pesa ends on 2026-11-01',
      ],
    ]);
  });
});
