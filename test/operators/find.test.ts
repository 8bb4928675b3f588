import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { startBatch } from '../../src/batches/batch-start.ts';
import { moveBatch } from '../../src/batches/batch-store.ts';
import { formatMoney, minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { type Found, find, HITS_MAX } from '../../src/operators/search/find.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { draftOf } from '../support/batches.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { signKey } from '../support/signed-rows.ts';
import { suspend } from '../support/suspend.ts';
import { plansWithoutScans } from '../support/watched.ts';

describe('finding', () => {
  let test: TestDatabase;
  let merchant: Merchant;
  let other: Merchant;
  before(async () => {
    test = await createTestDatabase();
    merchant = await createMerchant(test.database, { balance: 10_000_000 });
    other = await createMerchant(test.database, { balance: 10_000_000 });
    await test.sql`UPDATE accounts SET name = 'Duka la Asha (Mwenge)' WHERE id = ${merchant.accountId}`;
  });
  after(() => test.drop());

  const search = (text: string): Promise<Found> => find(test.database, text);
  const idsOf = ({ items }: Found) => items.map(({ transaction }) => transaction.id);
  async function start(
    request: MoneyRequest,
    options: { of?: Merchant; key?: string; metadata?: string } = {},
  ) {
    const { of = merchant, metadata = '{}', key } = options;
    const submission = submissionFor(of, request, {
      metadata,
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    await accept(test.database, submission);
    return submission.transactionId;
  }
  let receipts = 0;
  const pay = (controlNumber: string, amount: number, msisdn: string) => {
    receipts += 1;
    const receipt = `QK${receipts}Z`;
    const payment = paymentOf(controlNumber, amount, { receipt, msisdn, fullName: null });
    return receiveBillPayment(test.database, payment).then((decision) => ({ ...decision, receipt }));
  };

  it('finds the bill of a push of its page, and the push of a bill', async () => {
    const bill = await start(billRequest());
    const push = await start({ ...pushRequest(25_000), pays: bill });
    const matched = async (id: string) =>
      (await search(id)).items.map((one) => [one.transaction.id, one.matched]);
    assert.deepEqual(await matched(push), [
      [push, ['transaction id']],
      [bill, ['what the push pays']],
    ]);
    assert.deepEqual(await matched(bill), [
      [push, ['push of its page']],
      [bill, ['transaction id']],
    ]);
  });

  it('finds the transaction of a request by the id that its answer had', async () => {
    const submission = { ...submissionFor(merchant, pushRequest()), requestId: 'req_0f6c9ee453a45f4a' };
    await accept(test.database, submission);
    const found = await search('req_0f6c9ee453a45f4a');
    assert.deepEqual([idsOf(found), found.items[0]?.matched], [[submission.transactionId], ['request']]);
    assert.deepEqual(idsOf(await search('req_0f6c9ee453a45f4b')), []);
  });

  it('knows a phone number in every form, across merchants', async () => {
    const ids = [
      await start(pushRequest(5_000, '255754000149')),
      await start(mobilePayoutRequest(7_000, '255754000149'), { of: other }),
    ];
    for (const form of ['0754000149', '0754 000 149', '+255 754-000-149', '255754000149', '754000149'])
      assert.deepEqual(idsOf(await search(form)).sort(), [...ids].sort(), form);
    assert.deepEqual((await search('0754000149')).items[0]?.matched, ['phone number']);
  });

  it('knows receipts, our references, accounts at banks, keys and ids', async () => {
    const key = `order ${randomUUID()}`;
    const id = await start(pushRequest(5_000, '255754000777'), { key });
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(5_000, 'CKL5T8Q2WX') });
    const rows = await test.sql`SELECT t.reference, e.id AS event FROM transactions t
      JOIN callback_events e ON e.transaction_id = t.id WHERE t.id = ${id}`;
    const { reference, event } = rows[0];
    for (const text of [id, reference, 'CKL5T8Q2WX'])
      for (const typed of [text.toUpperCase(), text.toLowerCase()])
        assert.deepEqual(idsOf(await search(typed)), [id], typed);
    for (const text of [key, event]) assert.deepEqual(idsOf(await search(text)), [id], text);
    const bank = await start(bankPayoutRequest(400_000, '0150998877665'));
    assert.deepEqual(idsOf(await search('0150-9988 77665')), [bank]);
    await plantDecision(test.database, bank, 'paid');
    const decided = await test.sql`SELECT proposal_id FROM decisions WHERE transaction_id = ${bank}`;
    assert.deepEqual(idsOf(await search(decided[0].proposal_id)), []);
    assert.equal((await search(decided[0].proposal_id)).others[0]?.what, 'proposal');
  });

  it('knows a merchant’s order by the value in the metadata, whatever he calls it', async () => {
    const ids = [
      await start(pushRequest(), { metadata: '{"order_id":"INV-2041"}' }),
      await start(pushRequest(), { of: other, metadata: '{"basket": "INV-2041", "n": 4001}' }),
    ];
    assert.deepEqual(idsOf(await search('INV-2041')).sort(), [...ids].sort());
    assert.deepEqual(idsOf(await search('4001')), [ids[1]]);
    assert.deepEqual(idsOf(await search('inv-2041')), []);
  });

  it('knows bills by control number, payment number, each receipt and each payer', async () => {
    const id = await start(billRequest(25_000, { mode: 'flexible', paymentNumber: 'FEES-7' }));
    const number = await controlNumberOf(test.database, id);
    const first = await pay(number, 10_000, '255754111001');
    await pay(number, 5_000, '255754111002');
    const grouped = number.replace(/(\d{4})(?=\d)/g, '$1 ');
    for (const text of [number, grouped, 'FEES-7', first.receipt, '0754111001', '0754111002'])
      assert.deepEqual(idsOf(await search(text)), [id], text);
    const [bill] = (await search('FEES-7')).items;
    assert.equal(
      bill?.explained.state,
      'It is pending: 15,000.00 TZS of 25,000.00 TZS is paid, 10,000.00 TZS is missing',
    );
    assert.deepEqual(pick(bill?.payments, 'amount', 'outcome'), [
      [1_000_000, 'accepted'],
      [500_000, 'accepted'],
    ]);
  });

  it('knows the item and the receipt of odd money beside a transaction', async () => {
    const id = await start(pushRequest(6_000));
    const item = await suspend(test.database, { receipt: 'ODD1', transactionId: id, amount: minor(650_000) });
    for (const text of ['odd1', item.id]) {
      const [hit] = (await search(text)).items;
      assert.equal(hit?.transaction.id, id);
      assert.equal(hit?.explained.situation, 'odd_money');
      assert.match(
        hit?.explained.money[1] ?? '',
        /^6,500\.00 TZS \(receipt ODD1, item si_\w+\) waits in suspense/,
      );
    }
  });

  it('knows a request that was refused and kept, and a ping', async () => {
    const poor = await createMerchant(test.database);
    await start(mobilePayoutRequest(9_000), { of: poor, key: 'too-much' });
    const { items, others } = await search('too-much');
    assert.deepEqual(items, []);
    assert.match(
      others[0]?.sentence ?? '',
      /payouts\/mobile was refused \(insufficient_balance\): nothing was held/,
    );
    const ping = `evt_${'1'.repeat(32)}`;
    await test.sql`INSERT INTO callback_events (id, api_key_id, event, body)
      VALUES (${ping}, ${merchant.apiKeyId}, 'ping', '{}')`;
    assert.match(
      (await search(ping)).others[0]?.sentence ?? '',
      /^ping to .*: pending\. No money depends on it/,
    );
  });

  it('knows a batch by its id and its number: state, money, people, and how to go on', async () => {
    const rich = await createMerchant(test.database, { balance: 10_000_000 });
    await test.database.query("UPDATE accounts SET name = 'Rich' WHERE id = $1", [rich.accountId]);
    await test.database.query("UPDATE api_keys SET holder = 'Asha' WHERE id = $1", [rich.apiKeyId]);
    await signKey(test.database, rich.apiKeyId);
    const { batch, run } = await draftOf(test.database, rich, [{}, {}], { batchNumber: 'SALARIES-11' });
    const said = async (text: string) => {
      const { others } = await search(text);
      assert.deepEqual(pick(others, 'what', 'id'), [['batch', batch.id]], text);
      return others[0]?.sentence ?? '';
    };
    assert.match(
      await said('SALARIES-11'),
      /^Rich's batch SALARIES-11 is draft\. 2 items, 20,000\.00 TZS and fees of [\d,.]+ TZS: 2 wait, 0 on .*Nothing was held for it yet\. Made with the key \S+ of Asha; nobody has started it\. Next: somebody else than its maker starts it/,
    );
    await startBatch(test.database, run);
    const started = await said(batch.id);
    const hold = formatMoney(minor(batch.amount + batch.fees));
    assert.match(
      started,
      /is running\..* started with the key \S+ of Asha\. Next: it continues automatically/,
    );
    assert.ok(started.includes(`${hold} TZS is still held for it`), started);
    const { accountId } = rich;
    await moveBatch(test.database, { id: batch.id, accountId, from: ['running'], to: 'paused' });
    assert.match(
      await said('SALARIES-11'),
      /is paused\..* Next: the merchant resumes it \(payouts:approve\)/,
    );
    assert.ok((await search('no such batch')).lookedFor.includes('id or number of a batch'));
  });

  it('knows a merchant by words of the name, by the id and by a key, with the newest transactions', async () => {
    for (const text of ['asha', 'mwenge duka', 'DUKA LA', merchant.accountId, merchant.apiKeyId]) {
      const { merchants, items, total } = await search(text);
      assert.deepEqual(pick(merchants, 'id'), [merchant.accountId], text);
      assert.ok(items.length > 0 && total >= items.length, text);
      assert.ok(items.every(({ transaction }) => transaction.accountId === merchant.accountId));
    }
  });

  it('finds nothing in what nobody knows', async () => {
    for (const text of [
      '0754999888',
      'NO-SUCH',
      randomUUID(),
      '%',
      "'; --",
      ...'&|! evt_x si_x pr_x 🙂'.split(' '),
    ]) {
      const { items, others, merchants, total } = await search(text);
      assert.deepEqual([items, others, merchants, total], [[], [], [], 0], text);
    }
  });

  it('shows the newest 20 and says how many there are', async () => {
    for (let n = 0; n <= HITS_MAX; n += 1) await start(pushRequest(1_000 + n, '255754333001'));
    const { items, total, totalIsMinimum } = await search('0754333001');
    assert.deepEqual([items.length, total, totalIsMinimum], [HITS_MAX, HITS_MAX + 1, false]);
    assert.equal(items[0]?.transaction.amount, (1_000 + HITS_MAX) * 100);
  });

  it('reads every table by an index: none from end to end', async () => {
    const texts = [
      '0754333001',
      'CKL5T8Q2WX',
      randomUUID(),
      '770000000009',
      'pr_1',
      'si_1',
      `evt_${'1'.repeat(32)}`,
      'asha',
    ];
    const plans = await plansWithoutScans(test.database, async (database) => {
      for (const text of texts) await find(database, text);
    });
    assert.ok(plans.length > 100, `${plans.length}`);
    for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (?!(accounts|fence)\b)\w+/);
  });
});
