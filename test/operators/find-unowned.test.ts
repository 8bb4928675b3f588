import assert from 'node:assert/strict';
import { find } from '../../src/operators/search/find.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nameItem } from '../support/item-names.ts';
import { createMerchant } from '../support/merchant.ts';

/** No bill of ours has this control number. */
const NOBODYS = '770000000009';

describe('finding what is no merchant’s', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
    await createMerchant(test.database);
  });
  after(() => test.drop());

  const search = (text: string) => find(test.database, text);
  async function pay(amount: number, more: NonNullable<Parameters<typeof paymentOf>[2]>) {
    const payment = paymentOf(NOBODYS, amount, more);
    await receiveBillPayment(test.database, payment);
    return payment;
  }

  it('knows money of no bill, by control number, receipt, payer and item, and where it is', async () => {
    const taken = await pay(3_000, { msisdn: '255754222001', refusalReturnsMoney: false });
    const gaveBack = await pay(4_000, { msisdn: '255754222002', refusalReturnsMoney: true });
    const rows = await test.sql`SELECT id FROM suspense_items WHERE receipt = ${taken.receipt}`;
    for (const text of ['7700 0000 0009', taken.receipt, '0754222001'])
      assert.ok(
        (await search(text)).others.some(
          ({ sentence }) =>
            sentence.startsWith('Taken: 3,000.00 TZS') &&
            sentence.includes(`item ${rows[0].id}) waits in suspense`),
        ),
        text,
      );
    assert.match((await search(rows[0].id)).others[0]?.sentence ?? '', /waits in suspense for a decision/);
    assert.match(
      (await search(gaveBack.receipt)).others[0]?.sentence ?? '',
      /^Refused: 4,000\.00 TZS .*unknown_reference.*gave the money back/,
    );
  });

  it('says what a payment of no bill was: under another’s receipt, unreadable, or counted before', async () => {
    await test.sql`INSERT INTO receipt_spaces (connection, space)
      VALUES ('door', 'shared'), ('push', 'shared') ON CONFLICT DO NOTHING`;
    const own = { connection: 'door', receipt: 'TWICE1', refusalReturnsMoney: false };
    const sentences = async (text: string) => (await search(text)).others.map(({ sentence }) => sentence);
    await pay(1_000, own);
    await pay(2_000, { ...own, connection: 'push' });
    for (const text of ['TWICE1', 'twice1', 'TWICE1 over push/m-pesa'])
      assert.ok(
        (await sentences(text)).some((sentence) =>
          /^Taken: 2,000\.00 TZS for control number 770000000009, under the receipt of another payment\. 2,000\.00 TZS .*waits in suspense/.test(
            sentence,
          ),
        ),
        text,
      );
    await pay(500, { ...own, receipt: 'small-7' });
    assert.match((await sentences('small-7'))[0] ?? '', /^Taken: 500\.00 TZS/);
    const unread = { ...own, receipt: 'UNREAD1', amount: null, amountAsSent: '1e5' };
    await pay(0, unread);
    assert.match((await sentences('UNREAD1'))[0] ?? '', /^Taken: an unreadable amount for/);
    const { rows } = await test.database.query("SELECT id FROM suspense_items WHERE receipt = 'TWICE1'");
    await nameItem(test.database, rows[0]?.id, 'KNOWN1');
    await pay(1_000, { ...own, receipt: 'KNOWN1' });
    const known = (await sentences('KNOWN1')).join();
    assert.match(known, /Taken: 1,000\.00 TZS .*\(receipt TWICE1, item si_\w+\) waits in suspense/);
    assert.doesNotMatch(known, /gave the money back/);
  });
});
