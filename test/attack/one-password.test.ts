import assert from 'node:assert/strict';
import pg from 'pg';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import type { ProcessRole } from '../../src/platform/db/grants.ts';
import { recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';

/** Whoever has the password of one process of Postgres writes rows that the others would believe. */
describe('attack: rows by the password of one process', () => {
  const test = useTestDatabase();
  /** Without the service's keys. */
  async function as(role: ProcessRole, text: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: test.urlOf(role) });
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }
  const sent = async (request: MoneyRequest = mobilePayoutRequest()) =>
    (await handedOver(test.database, request)).id;

  describe('what became of a send', () => {
    const set = 'UPDATE sends SET outcome = $2 WHERE transaction_id = $1';
    const again = async (id: string) =>
      (await recordSend(asRole(test.database, 'worker'), { transactionId: id, number: 2 })).granted;

    for (const role of ['api', 'worker'] as const)
      it(`that was taken is not made undone by the ${role}: nothing is sent twice`, async () => {
        const id = await sent();
        const send = { transactionId: id, number: 1, outcome: 'accepted' } as const;
        await recordSendOutcome(asRole(test.database, 'worker'), send);
        for (const outcome of ['not_sent', 'not_found', 'unknown', null])
          await assert.rejects(as(role, set, [id, outcome]), { code: '42501' }, String(outcome));
        assert.equal(await again(id), false);
      });

    it('that is unclear is not said to be nothing by the api, and may be shown by a door', async () => {
      const id = await sent();
      for (const outcome of ['not_sent', 'not_found', 'failed', 'unknown'])
        await assert.rejects(as('api', set, [id, outcome]), { code: '42501' }, outcome);
      assert.equal(await again(id), false);
      await as('api', set, [id, 'accepted']);
    });
  });
});
