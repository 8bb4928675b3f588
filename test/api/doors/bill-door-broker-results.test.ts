import assert from 'node:assert/strict';
import { createResultActivities } from '../../../src/activities/results.ts';
import { takeUnposted } from '../../../src/transactions/ending/owed-results.ts';
import { asRole } from '../../support/database.ts';
import { writeBrokerPayment } from '../../support/network-messages.ts';
import { makeBill, statusOf } from '../support/bills.ts';

import { useBroker } from './broker.ts';

describe('the bill door of the m-pesa broker owes its result', () => {
  const { api, test, restart, settings, billConnections, open, paymentOf, send, noted } = useBroker();
  const DAY_MS = 86_400_000;
  const owed = async () => (await test.database.query('SELECT id, reply FROM owed_results')).rows;
  const listed = async () =>
    (await test.database.query("SELECT detail FROM attention WHERE reason = 'decision_contradicted'")).rows;
  /** As if the process were killed between the commit and the start of the workflow. */
  async function payAndDie(amount = '25000.0') {
    await restart({ flows: { report: async () => {} } });
    const { id, number } = await makeBill(api);
    const payment = paymentOf(number, { amount });
    assert.equal((await send(writeBrokerPayment(payment))).status, 200);
    return { id, payment, receipt: String(payment.mpesaReceipt) };
  }
  const activities = (more: object = {}) =>
    createResultActivities({ database: asRole(test.database, 'worker'), billConnections, ...more });

  afterEach(() => test.database.query('DELETE FROM owed_results'));

  it('from the commit that decides on, and posts it when it was killed before', async () => {
    await open();
    for (const [amount, status] of [
      ['25000.0', 'Confirming'],
      ['24000.0', 'Cancelling'],
    ] as const) {
      const { receipt } = await payAndDie(amount);
      assert.deepEqual(noted(receipt), []);
      assert.deepEqual(await takeUnposted(asRole(test.database, 'worker'), 60_000), [], 'not yet');
      const [id = ''] = await takeUnposted(asRole(test.database, 'worker'), 0);
      assert.equal(await activities().postResult(id), 'taken');
      assert.deepEqual([noted(receipt).length, noted(receipt)[0]?.status], [1, status]);
      assert.equal(await activities().postResult(id), 'taken before');
      assert.equal(noted(receipt).length, 1);
      assert.deepEqual(await owed(), []);
    }
  });

  it('once, when the broker asks again: for the newer request', async () => {
    await open();
    const { payment } = await payAndDie();
    const [first] = await owed();
    assert.equal((await send(writeBrokerPayment({ ...payment, conversationId: 'C-again' }))).status, 200);
    const [second, ...others] = await owed();
    assert.deepEqual([others, second.reply], [[], 'duplicate']);
    assert.equal(await activities().postResult(first.id), 'taken before');
    assert.equal(await activities().postResult(second.id), 'taken');
  });

  it('until the broker takes it, for a day; then a person is told', async () => {
    const { id, receipt } = await payAndDie();
    settings.resultUrl = 'http://127.0.0.1:1/';
    const [one] = await owed();
    await assert.rejects(activities().postResult(one.id));
    assert.deepEqual([(await owed()).length, await listed()], [1, []]);
    const late = activities({ now: () => Date.now() + DAY_MS });
    assert.equal(await late.postResult(one.id), 'given up');
    const [entry] = await listed();
    assert.match(entry.detail, new RegExp(`^m-pesa:${receipt}: we decided ok, but the network did not`));
    assert.deepEqual(await owed(), []);
    assert.equal(await statusOf(api, id), 'completed');
  });

  it('and calls a person when the broker answers with something else', async () => {
    await payAndDie();
    const [{ id }] = await owed();
    const detail = 'we took the payment, and the broker answers Cancelling';
    const bills = { postResult: async () => ({ kind: 'contradicted' as const, detail }) };
    const contradicting = [{ ...billConnections[0], bills: { ...billConnections[0]?.bills, ...bills } }];
    const before = (await listed()).length;
    const { postResult } = activities({ billConnections: contradicting });
    assert.equal(await postResult(id), 'contradicted');
    assert.equal(await postResult(id), 'taken before');
    assert.equal((await listed()).length, before + 1);
  });
});
