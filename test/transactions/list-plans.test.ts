// tests: slow
import assert from 'node:assert/strict';
import { flagOverdue, unreadNews } from '../../src/transactions/rescue/orphans.ts';
import { createTransactionList } from '../../src/transactions/rows/list.ts';
import type { TransactionFilter } from '../../src/transactions/rows/list-filter.ts';
import { findTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { seedTransactions } from '../support/many-transactions.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { watchPlans } from '../support/watched.ts';

/** With the 100,000 further down a fifth of a quick run's time: only who changes a list or an index needs it at once. */
const COUNT = 30_000;
const daysAgo = (days: number) =>
  `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 23)}123Z`;

const everything: TransactionFilter = {
  types: ['payment', 'bill'],
  mode: 'ussd',
  status: 'completed',
  channel: 'm-pesa',
  msisdn: '255754000000',
  metadata: [['till', '0']],
  from: daysAgo(9),
  to: daysAgo(2),
};

/** Filters, and the index that each is read by. */
const filters: [TransactionFilter, string][] = [
  [{}, 'newest'],
  [{ from: daysAgo(9), to: daysAgo(2) }, 'newest'],
  [{ types: ['payment', 'bill'] }, 'kinds'],
  [{ types: ['payment'], status: 'completed' }, 'kinds'],
  [{ status: 'cancelled' }, 'kinds'],
  [{ types: ['payout'], mode: 'bank', channel: 'bank', bic: 'CORUTZTZ' }, 'kinds'],
  [{ channel: 'm-pesa', from: daysAgo(9), to: daysAgo(2) }, 'kinds'],
  [{ reference: 'PYMANY777' }, 'pkey'],
  [{ reference: 'CK779' }, 'channel_reference'],
  [{ reference: 'CK0' }, 'channel_reference'],
  [{ idempotencyKey: 'key-PYMANY777' }, 'pkey'],
  [{ msisdn: '255754000777' }, 'phone'],
  [{ msisdn: '255754000777', status: 'completed' }, 'phone'],
  [{ metadata: [['order', 'INV-777']] }, 'metadata'],
  [{ metadata: [['shop', '77']], types: ['payment'], from: daysAgo(5) }, 'metadata'],
  [everything, '(phone|kinds)'],
];

describe('with many transactions', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  before(async function () {
    this.timeout(120_000);
    merchant = await createMerchant(test.database);
    await seedTransactions(test.database, merchant, COUNT);
    await test.sql`VACUUM ANALYZE`;
  });

  /** Reading one from end to end would be slower for each merchant with every transaction of the others. */
  function assertNoneIsReadWhole(plans: string[]) {
    assert.ok(plans.length > 0);
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (transactions|idempotency_keys)\b/);
  }

  for (const [filter, index] of filters) {
    for (const page of [1, 200]) {
      it(`reads page ${page} of ${JSON.stringify(filter)} by the index ${index}`, async () => {
        const { database, plans } = watchPlans(test.database);
        const list = { accountId: merchant.accountId, filter, page, perPage: 20 };
        const { items, total } = await createTransactionList(database)(list);
        assert.ok(total > 0);
        assert.equal(items.length, Math.max(0, Math.min(20, total - (page - 1) * 20)));
        assertNoneIsReadWhole(plans);
        assert.match(plans.at(-1) ?? '', new RegExp(`transactions_${index}\\b`));
        // What is already in order is merged: sorting would read everything for every page.
        if (['newest', 'kinds'].includes(index))
          assert.doesNotMatch(
            plans.at(-1) ?? '',
            /Sort Key: [^,]*created_at DESC[^\n]*\n *-> *(Append|Index)/,
          );
      });
    }
  }

  it('stops counting at 10,000 with a phone number, a reference or a metadata item, and answers pages beyond', async () => {
    const narrow: TransactionFilter[] = [
      { msisdn: '255754000000' },
      { reference: 'CK0' },
      { metadata: [['till', '0']] },
    ];
    for (const filter of narrow) {
      const list = { accountId: merchant.accountId, filter, page: 510, perPage: 20 };
      const { items, total, totalIsMinimum } = await createTransactionList(test.database)(list);
      assert.deepEqual([items.length, total, totalIsMinimum], [20, 10_000, true], JSON.stringify(filter));
    }
    const all = { accountId: merchant.accountId, filter: {}, page: 1, perPage: 20 };
    const { total, totalIsMinimum } = await createTransactionList(test.database)(all);
    assert.deepEqual([total, totalIsMinimum], [COUNT, false]);
  });

  it('stops counting at 100,000 otherwise: one more is said to be a minimum', async () => {
    const other = await createMerchant(test.database);
    const store = (first: number, last: number) =>
      test.sql`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
           fee_version, channel, reference, msisdn, timing, due_at, connection)
         SELECT md5('other ' || n)::uuid, ${other.accountId}, ${other.apiKeyId}, gen_random_uuid(), 'payment', 'ussd', 'completed', 'payment.received', 100, 'TZS',
           1, 'test', 'm-pesa', 'PYOTHER' || n, '255754123456', '{}', now(), 'test'
         FROM generate_series(${first}::int, ${last}::int) n`;
    let now = 0;
    const listTransactions = createTransactionList(test.database, () => now);
    const totals = async (filter: TransactionFilter) => {
      const list = { accountId: other.accountId, filter, page: 5_000, perPage: 20 };
      const { items, total, totalIsMinimum } = await listTransactions(list);
      return [items.length, total, totalIsMinimum];
    };
    for (let first = 1; first < 100_000; first += 5_000) await store(first, first + 4_999);
    assert.deepEqual(await totals({}), [20, 100_000, false]);
    await store(100_001, 100_001);
    assert.deepEqual(await totals({}), [20, 100_000, true]);
    assert.deepEqual(await totals({ status: 'completed' }), [20, 100_000, true]);
    assert.deepEqual(await totals({ status: 'failed' }), [0, 0, false]);

    await test.sql`DELETE FROM transactions WHERE reference IN ('PYOTHER1', 'PYOTHER2')`;
    now += 59_999;
    assert.deepEqual(await totals({}), [19, 100_000, true], 'that there are more is remembered for a minute');
    assert.deepEqual(await totals({ from: daysAgo(1) }), [19, 99_999, false], 'of this list alone');
    now += 1;
    assert.deepEqual(await totals({}), [19, 99_999, false]);
  }).timeout(120_000);

  it('reads no big table whole for a look-up, nor for what is overdue or unapplied', async () => {
    const { database, plans } = watchPlans(test.database);
    await findTransaction(database, { id: merchant.accountId, accountId: merchant.accountId });
    await unreadNews(database, 60_000);
    await flagOverdue(database);
    assertNoneIsReadWhole(plans);
  });
});
