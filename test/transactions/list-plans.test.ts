import assert from 'node:assert/strict';
import { listTransactions, type TransactionFilter } from '../../src/transactions/list.ts';
import { flagOverdue, unappliedNotifications } from '../../src/transactions/orphans.ts';
import { findTransaction } from '../../src/transactions/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { seedTransactions } from '../support/many-transactions.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { watchPlans } from '../support/watched.ts';

const COUNT = 30_000;
const daysAgo = (days: number) =>
  `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 23)}123Z`;

const filters: TransactionFilter[] = [
  {},
  { types: ['payment', 'bill'] },
  { types: ['payment'], status: 'completed' },
  { status: 'cancelled' },
  { types: ['payout'], mode: 'bank', channel: 'bank', bic: 'CORUTZTZ' },
  { channel: 'm-pesa', from: daysAgo(9), to: daysAgo(2) },
  { reference: 'PYMANY777' },
  { reference: 'CK779' },
  { reference: 'CK0' },
  { idempotencyKey: 'key-PYMANY777' },
  { msisdn: '255754000777', status: 'completed' },
  { metadata: [['order', 'INV-777']] },
  { metadata: [['shop', '77']], types: ['payment'], from: daysAgo(5) },
  {
    types: ['payment', 'bill'],
    mode: 'ussd',
    status: 'completed',
    channel: 'm-pesa',
    msisdn: '255754000000',
    metadata: [['till', '0']],
    from: daysAgo(9),
    to: daysAgo(2),
  },
];

describe('with many transactions', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  before(async function () {
    this.timeout(120_000);
    test = await createTestDatabase();
    merchant = await createMerchant(test.database);
    await seedTransactions(test.database, merchant, COUNT);
    await test.database.query('ANALYZE');
  });
  after(() => test.drop());

  function assertNoneIsReadWhole(plans: string[]) {
    assert.ok(plans.length > 0);
    const big = /Seq Scan on (transactions|list_recent|list_blocks|list_bits|idempotency_keys)\b/;
    for (const plan of plans) assert.doesNotMatch(plan, big);
  }

  for (const filter of filters) {
    for (const page of [1, 700]) {
      it(`reads no big table whole for page ${page} of ${JSON.stringify(filter)}`, async () => {
        const { database, plans } = watchPlans(test.database);
        const list = { accountId: merchant.accountId, filter, page, perPage: 20 };
        const { items, total } = await listTransactions(database, list);
        assert.ok(total > 0);
        assert.equal(items.length, Math.max(0, Math.min(20, total - (page - 1) * 20)));
        assertNoneIsReadWhole(plans);
      });
    }
  }

  it('reads no big table whole for a look-up, nor for what is overdue or unapplied', async () => {
    const { database, plans } = watchPlans(test.database);
    await findTransaction(database, { id: merchant.accountId, accountId: merchant.accountId });
    await unappliedNotifications(database, 60_000);
    await flagOverdue(database);
    assertNoneIsReadWhole(plans);
  });
});
