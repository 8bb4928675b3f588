import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { createMerchant } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { plantPaidPush } from '../../support/paid-push.ts';

describe('one number of very many payments', () => {
  const { test, desk } = useOperatorDesk();

  it('is erased part by part where it has more than one call looks at', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const id = await plantPaidPush(test.database, merchant, { msisdn: '255754123456' });
    await test.sql`UPDATE transactions
      SET created_at = created_at - interval '500 days', status_at = status_at - interval '500 days'`;
    // Faster than payments: the same row again, without what hangs on it.
    const rows = await test.sql`SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
      WHERE attrelid = 'transactions'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname NOT IN ('id', 'reference', 'submission_id')`;
    const { columns } = rows[0];
    await inTransaction(test.database, async (db) => {
      await db.query("SET LOCAL session_replication_role = 'replica'");
      await db.query(
        `INSERT INTO transactions (id, reference, submission_id, ${columns})
         SELECT gen_random_uuid(), 'X' || n, gen_random_uuid(), ${columns} FROM transactions, generate_series(1, 5100) n WHERE id = $1`,
        [id],
      );
    });
    const erase = ['privacy', 'erase', '--number', '0754123456', '--reason', 'asked for it'];
    assert.deepEqual(await desk.cli('only-admin', ...erase), [
      'at least 5000 transactions have names or numbers to erase',
      'nothing was changed: add --erase to erase them',
    ]);
    assert.deepEqual(await desk.cli('only-admin', ...erase, '--erase'), [
      '5101 transactions have no names and numbers now',
    ]);
    await assert.rejects(desk.cli('only-admin', 'privacy', 'erase'), /Name either --number/);
  }).timeout(60_000);
});
