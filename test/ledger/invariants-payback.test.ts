import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { plantPayback } from '../support/agreed-payback.ts';
import { useTestDatabase } from '../support/database.ts';

describe('the check of the ledger, of paybacks', () => {
  const test = useTestDatabase({ each: true, poolMax: 1 });
  let id: string;
  beforeEach(async () => {
    ({ id } = await plantPayback(test.database));
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  for (const [what, plant, found] of [
    [
      'one that ended without its money',
      "UPDATE transactions SET status = 'paid' WHERE id = $1",
      /is paid but 50000 of it is on payable/,
    ],
    [
      'one of another amount than its item',
      'UPDATE transactions SET amount = 1 WHERE id = $1',
      /its payback \S+ is 1 TZS and pending/,
    ],
    [
      'one whose item is open',
      'UPDATE suspense_items SET left_by = NULL FROM transactions t WHERE t.id = $1 AND suspense_items.id = t.suspense_item',
      /its payback \S+ is 50000 TZS and pending/,
    ],
    [
      'money on its way without one',
      "UPDATE transactions SET status = 'failed', failure_code = 'network_error' WHERE id = $1",
      /payable is 50000 TZS but no payback is on its way/,
    ],
  ] as const)
    it(`finds ${what}`, async () => {
      for (const table of ['transactions', 'suspense_items'])
        await test.database.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
      assert.equal((await test.database.query(plant, [id])).rowCount, 1);
      const breaches = await checkInvariants(test.database);
      assert.ok(
        breaches.some((breach) => found.test(breach)),
        breaches.join('\n'),
      );
    });
});
