import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { type SuspenseItem, suspenseItemsOf } from '../../src/ledger/suspense.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { payerOf } from '../../src/transactions/acceptance/paybacks.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { noteReceiptSpaces } from '../../src/transactions/rows/receipt-spaces.ts';
import { atOnce } from '../support/at-once.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { billRequest, pushRequest } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

const ASHA = '255754000111';
const JUMA = '255754000222';

describe('a receipt is a number of its connection', () => {
  const desk = openBillDesk();
  const flexible = () => desk.bill(billRequest(25_000, { mode: 'flexible' }));
  const itemsOf = async (receipt: string): Promise<SuspenseItem[]> => {
    const rows = await desk.sql`SELECT id FROM suspense_items WHERE receipt = ${receipt}`;
    return suspenseItemsOf(desk.database, { transactionIds: [], ids: rows.map(({ id }) => id) });
  };
  /** A push of ASHA's that failed and whose money moved all the same. */
  async function latePush(receipt: string): Promise<SuspenseItem | undefined> {
    const { id } = await handedOver(desk.database, pushRequest(5_000, ASHA));
    const failed = failure('customer_timeout');
    for (const result of [failed, succeeded(5_000, receipt)])
      await answered(asRole(desk.database, 'worker'), id, result);
    return (await suspenseItemsOf(desk.database, { transactionIds: [id] }))[0];
  }

  it('so a late success of a push is booked, although a bill was paid under its number elsewhere', async () => {
    const { number } = await flexible();
    const receipt = randomUUID();
    await payBill(desk.database, paymentOf(number, 5_000, { connection: 'other', receipt }));
    assert.equal((await latePush(receipt))?.amount, 500_000);
  });

  it('so the money of a push goes back to its customer, whoever paid under that number elsewhere', async () => {
    const { number } = await desk.bill();
    const receipt = randomUUID();
    const paid = { connection: 'other', receipt, msisdn: JUMA, refusalReturnsMoney: false };
    assert.equal((await payBill(desk.database, paymentOf(number, 24_000, paid))).outcome, 'refused');
    await receiveBillPayment(desk.database, paymentOf(number, 24_000, paid));
    const item = await latePush(receipt);
    assert.ok(item);
    assert.equal((await payerOf(desk.database, item))?.msisdn, ASHA);
    const [theirs] = (await itemsOf(receipt)).filter(({ space }) => space === 'other');
    assert.ok(theirs);
    assert.equal((await payerOf(desk.database, theirs))?.msisdn, JUMA);
  });

  it('so nobody is known to have paid what was refused under its number', async () => {
    const { number } = await desk.bill();
    const receipt = randomUUID();
    await receiveBillPayment(desk.database, paymentOf(number, 24_000, { receipt, msisdn: JUMA }));
    const odd = { direction: 'collection', amount: minor(500), currency: 'TZS', note: 'a test' } as const;
    const item = { channel: 'm-pesa', connection: 'test', receipt, transactionId: null, ...odd };
    await inTransaction(desk.database, (db) => postSuspense(db, item));
    const [stored] = await itemsOf(receipt);
    assert.ok(stored);
    assert.equal(await payerOf(desk.database, stored), null);
  });

  it('so whoever was refused under the number of a push is not its payer, over the same connection either', async () => {
    const { number } = await desk.bill();
    const receipt = randomUUID();
    const refused = await receiveBillPayment(
      desk.database,
      paymentOf(number, 24_000, { receipt, msisdn: JUMA }),
    );
    assert.equal(refused.outcome, 'refused');
    const item = await latePush(receipt);
    assert.ok(item);
    assert.equal((await payerOf(desk.database, item))?.msisdn, ASHA);
    await desk.sql`UPDATE transactions SET msisdn = '255000000000' WHERE id = ${item.transactionId}`;
    assert.equal(await payerOf(desk.database, item), null, 'nobody, once his number is erased');
  });
});

describe('two connections that share a number space', () => {
  const desk = openBillDesk();
  const flexible = () => desk.bill(billRequest(25_000, { mode: 'flexible' }));
  const credited = async (id: string) => (await desk.stored(id)).bill.paid;
  const share = () =>
    noteReceiptSpaces(
      desk.database,
      new Map([
        ['push', 'push'],
        ['bills', 'push'],
      ]),
    );
  before(share);

  desk.itRaced(4, 'report one payment twice, at one moment too, and it is credited once', async () => {
    await share();
    for (const storm of [false, true]) {
      const { id, number } = await flexible();
      const payment = paymentOf(number, 10_000);
      const report = (connection: string) => () =>
        receiveBillPayment(desk.database, { ...payment, connection });
      const decided = storm
        ? await atOnce(4, desk.database, ['bills', 'push', 'bills', 'push'].map(report))
        : [await report('bills')(), await report('push')()];
      const accepted = decided.filter(({ outcome }) => outcome === 'accepted');
      assert.equal(accepted.length, 1);
      assert.ok(decided.every(({ outcome }) => outcome === 'accepted' || outcome === 'repeated'));
      assert.equal(await credited(id), 1_000_000);
    }
  });

  it('give one number to two customers: the second one’s money is in suspense, once, and goes back to him', async () => {
    const { id, number } = await flexible();
    const first = paymentOf(number, 10_000, { connection: 'push', msisdn: ASHA });
    assert.equal((await receiveBillPayment(desk.database, first)).outcome, 'accepted');
    for (const _ of [1, 2]) {
      const second = { ...first, connection: 'bills', msisdn: JUMA };
      assert.deepEqual(await receiveBillPayment(desk.database, second), {
        outcome: 'suspended',
        transactionId: null,
      });
    }
    assert.equal(await credited(id), 1_000_000);
    const name = `${first.receipt} over bills/m-pesa`;
    const rows = await desk.sql`SELECT id FROM suspense_items WHERE receipt = ${name}`;
    const [item, ...more] = await suspenseItemsOf(desk.database, { transactionIds: [], ids: [rows[0]?.id] });
    assert.ok(item);
    assert.deepEqual(more, []);
    assert.equal(item.amount, 1_000_000);
    assert.match(item.detail, /receipt_of_another/);
    assert.equal((await payerOf(desk.database, item))?.msisdn, JUMA);
    assert.deepEqual(await desk.reasonsOf(`push:${name}`), ['unexpected_payment']);
  });

  it('tell another amount or bill of a receipt that is in suspense as another’s: nothing more is booked, and each story is told', async () => {
    const { number } = await flexible();
    const other = await flexible();
    const receipt = randomUUID();
    const report = (connection: string, to: string, amount: number) =>
      receiveBillPayment(desk.database, paymentOf(to, amount, { connection, receipt }));
    assert.equal((await report('push', number, 1_000)).outcome, 'accepted');
    assert.equal((await report('bills', number, 2_000)).outcome, 'suspended');
    assert.equal((await report('bills', number, 2_000)).outcome, 'suspended', 'the same again');
    const stories: [string, number][] = [
      [number, 7_000],
      [other.number, 2_000],
      [number, 9_000],
    ];
    for (const [to, amount] of [...stories, ...stories])
      assert.equal((await report('bills', to, amount)).outcome, 'suspended');
    const told = (await listAttention(desk.database)).filter(
      ({ reason, detail }) => reason === 'receipt_mismatch' && detail.includes(receipt),
    );
    assert.equal(told.length, stories.length);
    const items = (await listAttention(desk.database)).filter(
      ({ reason, detail }) => reason === 'unexpected_payment' && detail.includes(receipt),
    );
    assert.equal(items.length, 1);
    assert.deepEqual([await credited(other.id)], [0]);
  });

  it('may be one connection of two networks: what the second one’s customer paid is in suspense, too', async () => {
    const { id, number } = await flexible();
    const first = paymentOf(number, 10_000, { msisdn: ASHA });
    const second = { ...first, channel: 'airtel-money', msisdn: JUMA };
    assert.equal((await receiveBillPayment(desk.database, first)).outcome, 'accepted');
    assert.equal((await receiveBillPayment(desk.database, second)).outcome, 'suspended');
    assert.equal(await credited(id), 1_000_000);
  });

  it('report a push that is paid once more over the door: it is no bill of nobody, which would send it back', async () => {
    const request = { ...pushRequest(5_000, ASHA), connection: 'push' };
    const { id: push } = await handedOver(desk.database, request);
    const receipt = randomUUID();
    await answered(asRole(desk.database, 'worker'), push, succeeded(5_000, receipt));
    const told = { connection: 'bills', receipt, refusalReturnsMoney: true };
    for (const number of [(await flexible()).number, '991234567890', null]) {
      const payment = { ...paymentOf(number ?? 'no number', 5_000, told), controlNumber: number };
      assert.equal((await receiveBillPayment(desk.database, payment)).outcome, 'suspended');
    }
    const rows = await desk.sql`SELECT count(*) FROM movement_names WHERE name = ${receipt} AND is_receipt`;
    assert.equal(rows[0].count, 1, 'one movement');
  });

  it('keep a payment that is in suspense for its push from being credited', async () => {
    const { id, number } = await flexible();
    const payment = paymentOf(number, 5_000, { connection: 'bills' });
    const { id: push } = await handedOver(desk.database, { ...pushRequest(5_000, ASHA), connection: 'push' });
    const failed = failure('customer_timeout');
    for (const result of [failed, succeeded(5_000, payment.receipt)])
      await answered(asRole(desk.database, 'worker'), push, result);
    assert.equal((await receiveBillPayment(desk.database, payment)).outcome, 'suspended');
    assert.equal(await credited(id), 0);
  });
});

describe('the number space of a connection', () => {
  const desk = openBillDesk();
  const note = (spaces: Record<string, string>) =>
    noteReceiptSpaces(asRole(desk.database, 'api'), new Map(Object.entries(spaces)));

  it('stays what it was when the file changes its mind, and when the connection leaves the file', async () => {
    await note({ first: 'first', second: 'first' });
    await note({ first: 'first', second: 'first', third: 'third' });
    await note({ third: 'third' });
    await assert.rejects(
      note({ first: 'first', second: 'second', third: 'first' }),
      /connections\.second\.receipts: its receipts were numbers of first until now.*\n.*connections\.third/,
    );
    assert.deepEqual(await desk.sql`SELECT receipt_space('second') AS two, receipt_space('new') AS new`, [
      { two: 'first', new: 'new' },
    ]);
  });
});
