import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { flagVolume } from '../../src/transactions/ending/volume.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { billRequest } from '../support/merchant.ts';
import { attentionOf } from '../support/unexplained.ts';

describe('what bills bring in over one connection within an hour', () => {
  const desk = openBillDesk();
  /** `most`: TZS an hour. */
  const flag = (connection: string, most: number) =>
    flagVolume(desk.database, [{ connection, abovePerHour: minor(most * 100) }]);
  const shown = async (connection: string) =>
    (await attentionOf(desk.database, `connection:${connection}`)).map(({ reason, detail }) => [
      reason,
      detail,
    ]);
  /** Customers pay parts of one bill over this connection. */
  async function pay(connection: string, ...parts: number[]): Promise<void> {
    const { number } = await desk.bill(billRequest(25_000, { mode: 'flexible' }));
    for (const part of parts) await payBill(desk.database, { ...paymentOf(number, part), connection });
  }

  it('is shown to a person, once, when it is more than was expected, and not when it is as much', async () => {
    await pay('busy', 6_000, 4_000);
    assert.equal(await flag('busy', 10_000), 0);
    assert.deepEqual(await shown('busy'), []);
    assert.equal(await flag('busy', 9_999), 1);
    await flag('busy', 9_999);
    assert.deepEqual(await shown('busy'), [
      ['unusual_volume', '2 payments of bills over busy within an hour brought in 10,000.00 TZS'],
    ]);
  });

  it('is that of accepted payments, and of each connection by its own measure', async () => {
    await pay('one', 20_000);
    await pay('other', 3_000);
    const { number } = await desk.bill();
    const tooMuch = { ...paymentOf(number, 1_000_000), connection: 'other' };
    assert.equal((await receiveBillPayment(desk.database, tooMuch)).outcome, 'refused');
    const rows = await desk.sql`SELECT connection FROM bill_receipts
        WHERE receipt = ${tooMuch.receipt} AND outcome = 'refused'`;
    assert.deepEqual(rows, [{ connection: 'other' }]);
    const alarms = [
      { connection: 'one', abovePerHour: minor(2_500_000) },
      { connection: 'other', abovePerHour: minor(300_000) },
    ];
    assert.equal(await flagVolume(desk.database, alarms), 0);
    assert.deepEqual([await shown('one'), await shown('other')], [[], []]);
    await pay('other', 1);
    assert.equal(await flagVolume(desk.database, alarms), 1);
    assert.deepEqual([await shown('one'), (await shown('other')).length], [[], 1]);
  });
});
