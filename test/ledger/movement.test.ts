import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { unnamedItemOf } from '../../src/ledger/booked.ts';
import { takeForPayback } from '../../src/ledger/payable.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { assignItem } from '../../src/ledger/suspense-receipts.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { PAYBACK_VALUE, plantPayback } from '../support/agreed-payback.ts';
import { atOnce, itRaced } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { nameItem } from '../support/item-names.ts';
import { pushRequest } from '../support/merchant.ts';
import { suspenseOf } from '../support/unexplained.ts';

type Movement = Parameters<typeof postSuspense>[1];

describe('money that no state explains', () => {
  const test = useTestDatabase();
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const open = async () => (await handedOver(test.database, pushRequest())).id;
  const post = (transactionId: string | null, changes: Partial<Movement> = {}) =>
    inTransaction(test.database, (db) =>
      postSuspense(db, {
        transactionId,
        currency: 'TZS',
        channel: 'm-pesa',
        connection: 'test',
        direction: 'collection',
        amount: minor(700),
        receipt: 'R1',
        note: 'A test.',
        ...changes,
      }),
    );
  const inSuspense = (id: string) => suspenseOf(test.database, id);

  it('is in suspense once per receipt, as what came in or went out', async () => {
    const id = await open();
    assert.equal(await post(id, { receipt: 'IN' }), true);
    assert.equal(await post(id, { receipt: 'IN' }), false);
    assert.equal(await post(id, { receipt: 'OUT', direction: 'payout' }), true);
    assert.deepEqual(await inSuspense(id), [
      [700, 'TZS'],
      [-700, 'TZS'],
    ]);
  });

  it('counts once, for whichever transaction it is reported second', async () => {
    const [first, second] = [await open(), await open()];
    assert.equal(await post(first, { receipt: 'SHARED' }), true);
    for (const id of [first, second, null]) assert.equal(await post(id, { receipt: 'SHARED' }), false);
    assert.deepEqual(await inSuspense(first), [[700, 'TZS']]);
    assert.deepEqual(await inSuspense(second), []);
  });

  it('takes a transaction once where it had none, and never another one', async () => {
    const [first, second] = [await open(), await open()];
    await post(null, { receipt: 'NOBODY' });
    const item = async () => (await test.sql`SELECT * FROM suspense_items WHERE receipt = 'NOBODY'`)[0];
    const { id } = await item();
    for (const its of [first, second]) await assignItem(test.database, id, its);
    assert.equal((await item()).transaction_id, first);
    const change = (its: string | null) =>
      test.sql`UPDATE suspense_items SET transaction_id = ${its} WHERE id = ${id}`;
    for (const its of [second, null]) await assert.rejects(change(its), /append-only/);
  });

  itRaced(test, 4, 'counts once however many report it at the same moment', async () => {
    const ids = [await open(), await open(), await open(), await open()];
    const reports = ids.map((id) => () => post(id, { receipt: 'STORM' }));
    const posted = await atOnce(4, test.database, reports);
    assert.deepEqual(
      posted.filter((one) => one),
      [true],
    );
  });

  it('is another movement over another connection', async () => {
    const id = await open();
    assert.equal(await post(id, { receipt: 'TWO' }), true);
    assert.equal(await post(id, { receipt: 'TWO', connection: 'other' }), true);
  });

  it('is in suspense in its own currency, and is nothing where there is none', async () => {
    const id = await open();
    for (const currency of ['', 'TZ', 'TZSX', 'XTZS', 'tzs'])
      assert.equal(await post(id, { currency, receipt: currency }), false, currency);
    for (const amount of [0, -1]) assert.equal(await post(id, { amount: minor(amount) }), false);
    assert.equal(await post(id, { currency: 'KES', receipt: 'KES' }), true);
    assert.deepEqual(await inSuspense(id), [[700, 'KES']]);
  });

  it('gets the number of its channel later, whichever way it moved, and only where the amount is the same', async () => {
    const id = await open();
    const unnamed = (amount: number) =>
      unnamedItemOf(test.database, {
        transactionId: id,
        direction: 'payout',
        amount: minor(amount),
        currency: 'TZS',
        isNumberedAnew: false,
      });
    assert.equal(await post(id, { receipt: 'PO1', isOurs: true, direction: 'payout' }), true);
    assert.equal(await unnamed(701), null);
    const { item } = (await unnamed(700)) ?? assert.fail();
    const isVoid = (is: boolean) =>
      test.database.query(`ALTER TABLE suspense_items DISABLE TRIGGER USER;
        UPDATE suspense_items SET is_void = ${is} WHERE id = '${item}';
        ALTER TABLE suspense_items ENABLE TRIGGER USER`);
    await isVoid(true);
    assert.equal(await unnamed(700), null, 'its statement is void');
    await isVoid(false);
    await nameItem(test.database, item, 'THEIRS');
    assert.equal(await unnamed(700), null, 'it has a receipt');
    assert.equal(await post(id, { receipt: 'THEIRS', direction: 'payout' }), false, 'it is that one');
  });

  it('leaves for one payback, however often it is taken', async () => {
    const { id } = await plantPayback(test.database);
    const rows =
      await test.sql`SELECT t.reference, t.suspense_item, p.id AS proposal FROM transactions t, proposals p
        WHERE t.id = ${id}`;
    const subject = {
      transactionId: id,
      item: rows[0].suspense_item,
      currency: 'TZS',
      channel: 'm-pesa',
      reference: rows[0].reference,
      value: PAYBACK_VALUE,
    };
    const agreed = { proposalId: rows[0].proposal, note: 'again' };
    assert.equal(await inTransaction(test.database, (db) => takeForPayback(db, subject, agreed)), false);
  });
});
