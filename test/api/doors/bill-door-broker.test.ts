import assert from 'node:assert/strict';
import { readResponse, timestampOf } from '../../../src/channels/mpesa-broker/wire.ts';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { writeBrokerPayment } from '../../support/network-messages.ts';
import { makeBill, mistyped, moneyOf, statusOf } from '../support/bills.ts';

import { PASSWORD, useBroker } from './broker.ts';

const MINUTE_MS = 60_000;

describe('the bill door of the m-pesa broker', () => {
  const { api, test, restart, open, payBill, paymentOf, send, noted, reportOf, simulator } = useBroker();

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
    assert.equal(simulator().book.movements(number).length, 1);
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
    assert.deepEqual(simulator().book.movements(), []);
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
    assert.equal((await payBill(number, 30_000, paid.receipt)).accepted, true);
    assert.equal(await moneyOf(api), before + 24_625);
    assert.equal(simulator().book.movements(number).length, 1);
  });

  it('acknowledges with the ids of the question, and only then posts', async () => {
    await open();
    const { number } = await makeBill(api);
    const payment = paymentOf(number);
    const answer = await send(writeBrokerPayment(payment));
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
      paymentOf(number, {}, -196 * MINUTE_MS),
      paymentOf(number, { timestamp: 'yesterday' }),
    ];
    for (const payment of wrong) assert.equal((await send(writeBrokerPayment(payment))).status, 401);
    assert.equal(await statusOf(api, id), 'pending');
  });

  it('lets a clock be 10 minutes off, or in UTC, and takes amounts as people write them', async () => {
    await open();
    for (const [minutesOff, amount] of [
      [-10, '25000'],
      [10, '25000'],
      [-180, '25,000'],
      [-170, 'TZS 25000'],
    ] as const) {
      const { id, number } = await makeBill(api);
      const stamped = paymentOf(number, { amount }, minutesOff * MINUTE_MS);
      assert.equal((await send(writeBrokerPayment(stamped))).status, 200);
      assert.equal(await statusOf(api, id), 'completed');
    }
  });

  it('answers what is no payment with 400, and too much with 413', async () => {
    const { number } = await makeBill(api);
    const whole = writeBrokerPayment(paymentOf(number));
    for (const raw of ['', 'hello'])
      assert.equal((await send(raw)).status, 401, 'proves nothing, is not read');
    const none = [
      whole.slice(0, -5),
      writeBrokerPayment(paymentOf(number, { mpesaReceipt: null })),
      writeBrokerPayment(paymentOf(number, { mpesaReceipt: 'x'.repeat(257) })),
      writeBrokerPayment(paymentOf(number, { commandId: 'Reversal' })),
      writeBrokerPayment(paymentOf(number, { commandId: 'Reverse Pay Bill' })),
      writeBrokerPayment(paymentOf(number, { commandId: 'Pay Bill Reversal' })),
    ];
    for (const raw of none) assert.equal((await send(raw)).status, 400, raw.slice(0, 80));
    assert.equal((await send(`${whole}${' '.repeat(33_000)}`)).status, 413);
  });

  it('does not acknowledge while the database is down, and decides when asked again', async () => {
    await open();
    const { id, number } = await makeBill(api);
    const raw = writeBrokerPayment(paymentOf(number));
    const dead = createDatabase({ url: 'postgresql://x@127.0.0.1:1/x', poolMax: 1, applicationName: 'dead' });
    await restart({ billDatabase: dead });
    assert.equal((await send(raw)).status, 503);
    await restart();
    assert.equal((await send(raw)).status, 200);
    const [paid] = await test.sql`SELECT status FROM transactions WHERE id = ${id}`;
    assert.equal(paid.status, 'completed');
  });
});
