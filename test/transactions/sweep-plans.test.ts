// tests: slow
import assert from 'node:assert/strict';
import { takeBehind, takeUnattendedRounds, takeUndelivered } from '../../src/callbacks/unattended.ts';
import { flagOverdue, takeUnattended } from '../../src/transactions/rescue/orphans.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Queryable } from '../support/queryable.ts';
import { watchPlans } from '../support/watched.ts';

/** What holds for so many holds for a million: none of them is read. */
const COUNT = 60_000;
/** A statement of more does not end in its ten seconds on a busy machine. */
const BATCH = 2_500;

describe('with many open bills and the events of a dead receiver', () => {
  const test = useTestDatabase();
  before(async function () {
    this.timeout(240_000);
    const { accountId, apiKeyId } = await createMerchant(test.database);
    for (let first = 0; first < COUNT; first += BATCH) {
      const range = [accountId, apiKeyId, first, first + BATCH - 1];
      await test.database.query(
        `WITH made AS (
           INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, event, amount, currency, fee,
             fee_version, channel, reference, timing, created_at, due_at, overdue_at)
           SELECT md5('bill ' || n)::uuid, $1, $2, gen_random_uuid(), 'bill', 'billpay', 'bill.pending', 100, 'TZS', 1, 'test',
             'billpay', 'BN' || n, '{}', now() - interval '1 day', now() + interval '60 days', now() + interval '61 days'
           FROM generate_series($3::int, $4::int) n RETURNING id, account_id, reference)
         INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, expires_at)
         SELECT id, account_id, reference, reference, 'flexible', now() + interval '60 days' FROM made`,
        range,
      );
      await test.database.query(
        `INSERT INTO callback_events (id, transaction_id, api_key_id, account_id, event, sequence, body, round, created_at, next_attempt_at)
         SELECT 'evt_' || s || '_' || n, md5('bill ' || n)::uuid, $2, $1, 'payment.received', s, '{}', CASE s WHEN 3 THEN 1 ELSE 0 END,
           now() - interval '1 hour', CASE s WHEN 2 THEN NULL ELSE now() + interval '1 day' END
         FROM generate_series($3::int, $4::int) n, generate_series(1, 3) s`,
        range,
      );
    }
    await test.sql`VACUUM ANALYZE`;
  });

  const duties: [string, string, (db: Queryable) => Promise<unknown>][] = [
    ['resumes what is late', 'transactions_due', (db) => takeUnattended(db, 60_000)],
    ['flags what is overdue', 'transactions_overdue', flagOverdue],
    ['delivers what is late', 'callback_events_due', (db) => takeUndelivered(db, 60_000)],
    ['starts lost resends', 'callback_events_resent', (db) => takeUnattendedRounds(db, 60_000)],
  ];
  for (const [what, index, work] of duties) {
    it(`${what} without reading any of them`, async () => {
      const read = async () => {
        // Statistics of this connection's work come a little later than the work.
        const rows =
          await test.sql`SELECT pg_stat_force_next_flush(), idx_tup_read AS read FROM pg_stat_user_indexes
            WHERE indexrelname = ${index}`;
        return Number(rows[0].read);
      };
      const before = await read();
      const { database, plans } = watchPlans(test.database);
      const taken = await work(database);
      assert.ok(taken === 0 || (Array.isArray(taken) && taken.length === 0), 'nothing is due');
      assert.match(plans[0] ?? '', new RegExp(`Index (Only )?Scan using ${index}\\b`));
      assert.doesNotMatch(plans[0] ?? '', /Seq Scan on (transactions|callback_events|bills)\b/);
      assert.equal(await read(), before);
    });
  }

  it('looks at a part of the events that wait behind others, and at none of them again at once', async () => {
    const { database, plans } = watchPlans(test.database);
    assert.deepEqual(await takeBehind(database, 60_000), []);
    assert.match(plans[0] ?? '', /Index Scan using callback_events_behind\b/);
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on callback_events\b/);
    const rows =
      await test.sql`SELECT count(*)::int AS looked FROM callback_events WHERE swept_at IS NOT NULL`;
    assert.equal(rows[0].looked, 2_000);
  });
});
