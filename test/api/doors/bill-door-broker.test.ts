import assert from 'node:assert/strict';
import { createResultActivities } from '../../../src/activities/results.ts';
import { createMpesaBrokerDoors } from '../../../src/channels/mpesa-broker/bill-door.ts';
import { mpesaBrokerSettings } from '../../../src/channels/mpesa-broker/settings.ts';
import {
  type BrokerPayment,
  readResponse,
  spPasswordOf,
  timestampOf,
  writePayment,
} from '../../../src/channels/mpesa-broker/wire.ts';
import { createDatabase } from '../../../src/db/pool.ts';
import { createSimulator, type Simulator } from '../../../src/simulator/app.ts';
import { RESULT_PATH } from '../../../src/simulator/mpesa-broker/bill.ts';
import { takeUnposted } from '../../../src/transactions/ending/owed-results.ts';
import { asRole } from '../../support/database.ts';
import { until } from '../../support/wait.ts';
import { billConnectionOf } from '../support/api.ts';
import { makeBill, mistyped, moneyOf, statusOf } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

const SP_ID = '888000';
const PASSWORD = 'the password of this test';
const MINUTE_MS = 60_000;

type Line = { level: string; message: string } & Record<string, unknown>;

describe('the bill door of the m-pesa broker', () => {
  const settings = mpesaBrokerSettings.parse({
    spId: SP_ID,
    password: PASSWORD,
    resultUrl: 'http://127.0.0.1:1/',
    initiator: 'malipo',
  });
  const lines: Line[] = [];
  const note = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, ...facts });
  };
  const bills = createMpesaBrokerDoors({
    settings,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  });
  const billConnections = [billConnectionOf('m-pesa', bills)];
  const { api, test, restart } = useTestApi({
    poolMax: 10,
    billConnections,
    // In place of the workflow: its activity, tried again as Temporal does.
    flows: (database) => ({
      report: async (id) => {
        const { postResult } = createResultActivities({ database, billConnections });
        for (let tries = 0; tries < 20; tries += 1) if (await postResult(id).catch(() => false)) return;
      },
    }),
  });
  let simulator: Simulator;
  let receipts = 0;

  async function open(losesResults = 0): Promise<void> {
    simulator = createSimulator({
      gateway: { url: `http://127.0.0.1:${api.port}`, tokens: {} },
      mpesaBroker: { spId: SP_ID, password: PASSWORD, resultMs: 1_500, losesResults },
      payBillWaitMs: 15_000,
    });
    await simulator.listen(0);
    settings.resultUrl = `${simulator.url}${RESULT_PATH}`;
  }
  afterEach(() => simulator?.close());

  async function payBill(number: string, amount: number, receipt?: string) {
    const answer = await fetch(`${simulator.url}/customer/pay-bill`, {
      method: 'POST',
      body: JSON.stringify({
        control_number: number,
        amount,
        phone_number: '0754123456',
        protocol: 'mpesa-broker',
        ...(receipt === undefined ? {} : { receipt }),
      }),
    });
    return (await answer.json()) as { accepted: boolean; message: string; receipt: string };
  }

  function paymentOf(number: string, changes: Partial<BrokerPayment> = {}, clockOffMs = 0): BrokerPayment {
    receipts += 1;
    const timestamp = changes.timestamp ?? timestampOf(new Date(Date.now() + clockOffMs));
    return {
      spId: SP_ID,
      spPassword: spPasswordOf({ spId: SP_ID, password: PASSWORD, timestamp }),
      timestamp,
      amount: '25000.0',
      commandId: 'Pay Bill',
      initiator: '+255754123456',
      originatorConversationId: `OC-${receipts}`,
      recipient: SP_ID,
      mpesaReceipt: `MP-${receipts}`,
      transactionDate: '2026-01-08 12:00:00',
      accountReference: number,
      transactionId: `T-${receipts}`,
      conversationId: `C-${receipts}`,
      ...changes,
    };
  }

  const send = (raw: string) =>
    api.call('POST', '/channels/mpesa-broker', { key: null, raw, headers: { 'content-type': 'text/xml' } });
  const noted = (receipt: string) => lines.filter((line) => line.receipt === receipt);
  const reportOf = (receipt: string) =>
    until(() => noted(receipt).find(({ level }) => level !== 'warn'), {
      deadlineMs: 10_000,
      what: 'a report',
    });

  it('takes a payment: acknowledged, booked, and the result is confirmed', async () => {
    await open();
    const before = await moneyOf(api);
    const { id, number } = await makeBill(api);
    const paid = await payBill(number, 25_000);
    assert.deepEqual([paid.accepted, paid.message], [true, 'Accepted']);
    assert.equal(await statusOf(api, id), 'completed');
    assert.equal(await moneyOf(api), before + 24_625);
    const { level, status, code, transaction_id } = await reportOf(paid.receipt);
    assert.deepEqual([level, status, code, transaction_id], ['info', 'Confirming', '0', id]);
    assert.equal(simulator.book.movements(number).length, 1);
  });

  it('refuses in the result what is no payment of a bill, and the money goes back', async () => {
    await open();
    const { id, number } = await makeBill(api);
    for (const [wrong, amount, why] of [
      [number, 24_000, 'The amount is less than the bill'],
      [number, 26_000, 'The amount is more than the bill'],
      [mistyped(number), 25_000, 'There is no bill with this control number'],
    ] as const) {
      const paid = await payBill(wrong, amount);
      assert.equal(paid.accepted, false);
      assert.equal(paid.message, `${why}; the money was given back`);
      const { level, status, code } = await reportOf(paid.receipt);
      assert.deepEqual([level, status, code], ['info', 'Cancelling', '999']);
    }
    assert.equal(await statusOf(api, id), 'pending');
    assert.deepEqual(simulator.book.movements(), []);
  });

  it('gives the same decision again to a broker that lost every result, and books once', async () => {
    await open(3);
    const before = await moneyOf(api);
    const { number } = await makeBill(api);
    const paid = await payBill(number, 25_000);
    assert.equal(paid.accepted, true, paid.message);
    assert.equal(await moneyOf(api), before + 24_625);
    const levels = noted(paid.receipt).map(({ level }) => level);
    assert.deepEqual([...new Set(levels)].sort(), ['info', 'warn']);
    // The same receipt later, and with another amount.
    assert.equal((await payBill(number, 25_000, paid.receipt)).accepted, true);
    assert.equal((await payBill(number, 30_000, paid.receipt)).accepted, false);
    assert.equal(await moneyOf(api), before + 24_625);
    assert.equal(simulator.book.movements(number).length, 1);
  });

  it('acknowledges with the ids of the question, and only then posts', async () => {
    await open();
    const { number } = await makeBill(api);
    const payment = paymentOf(number);
    const answer = await send(writePayment(payment));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'text/xml; charset=utf-8');
    assert.deepEqual(readResponse(Buffer.from(answer.text)), {
      conversationId: payment.conversationId,
      originatorConversationId: payment.originatorConversationId,
      transactionId: payment.transactionId,
      responseCode: '0',
      responseDesc: 'Received',
      serviceStatus: 'Success',
    });
    assert.equal((await reportOf(String(payment.mpesaReceipt))).status, 'Confirming');
  });

  it('believes nobody who does not know the password, and no old proof', async () => {
    const { id, number } = await makeBill(api);
    const proven = paymentOf(number);
    const wrong = [
      { ...proven, spPassword: `${proven.spPassword.slice(0, -2)}x=` },
      { ...proven, spPassword: PASSWORD },
      { ...proven, spId: '888001' },
      { ...proven, timestamp: timestampOf(new Date(Date.now() - MINUTE_MS)) },
      paymentOf(number, {}, -16 * MINUTE_MS),
      paymentOf(number, {}, 16 * MINUTE_MS),
      paymentOf(number, { timestamp: 'yesterday' }),
    ];
    for (const payment of wrong) assert.equal((await send(writePayment(payment))).status, 401);
    assert.equal(await statusOf(api, id), 'pending');
  });

  it('lets a clock be 10 minutes off', async () => {
    await open();
    for (const clockOffMs of [-10 * MINUTE_MS, 10 * MINUTE_MS]) {
      const { id, number } = await makeBill(api);
      assert.equal((await send(writePayment(paymentOf(number, {}, clockOffMs)))).status, 200);
      assert.equal(await statusOf(api, id), 'completed');
    }
  });

  it('answers what is no payment with 400, and too much with 413', async () => {
    const { number } = await makeBill(api);
    const whole = writePayment(paymentOf(number));
    for (const raw of ['', 'hello'])
      assert.equal((await send(raw)).status, 401, 'proves nothing, is not read');
    const none = [
      whole.slice(0, -5),
      writePayment(paymentOf(number, { mpesaReceipt: null })),
      writePayment(paymentOf(number, { mpesaReceipt: 'x'.repeat(257) })),
      writePayment(paymentOf(number, { commandId: 'Reversal' })),
      writePayment(paymentOf(number, { commandId: 'Reverse Pay Bill' })),
      writePayment(paymentOf(number, { commandId: 'Pay Bill Reversal' })),
    ];
    for (const raw of none) assert.equal((await send(raw)).status, 400, raw.slice(0, 80));
    assert.equal((await send(`${whole}${' '.repeat(33_000)}`)).status, 413);
  });

  it('does not acknowledge while the database is down, and decides when asked again', async () => {
    await open();
    const { id, number } = await makeBill(api);
    const raw = writePayment(paymentOf(number));
    const dead = createDatabase({ url: 'postgresql://x@127.0.0.1:1/x', poolMax: 1, applicationName: 'dead' });
    await restart({ billDatabase: dead });
    assert.equal((await send(raw)).status, 503);
    await restart();
    assert.equal((await send(raw)).status, 200);
    const { rows } = await test.database.query('SELECT status FROM transactions WHERE id = $1', [id]);
    assert.equal(rows[0].status, 'completed');
  });

  describe('owes its result', () => {
    const DAY_MS = 86_400_000;
    const owed = async () => (await test.database.query('SELECT id, reply FROM owed_results')).rows;
    const listed = async () =>
      (await test.database.query("SELECT detail FROM attention WHERE reason = 'decision_contradicted'")).rows;
    /** As if the process were killed between the commit and the start of the workflow. */
    async function payAndDie(amount = '25000.0') {
      await restart({ flows: { report: async () => {} } });
      const { id, number } = await makeBill(api);
      const payment = paymentOf(number, { amount });
      assert.equal((await send(writePayment(payment))).status, 200);
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
      assert.equal((await send(writePayment({ ...payment, conversationId: 'C-again' }))).status, 200);
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
      assert.match(entry.detail, new RegExp(`^m-pesa:${receipt}: we decided ok, and the network did not`));
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
});
