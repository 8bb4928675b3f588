import assert from 'node:assert/strict';
import data from '../../../data/extracts.json' with { type: 'json' };
import { accept } from '../../support/accept.ts';
import { controlNumberOf, payBill, paymentOf } from '../../support/bill-customer.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { plantPaidPush } from '../../support/paid-push.ts';
import { pick } from '../../support/pick.ts';

describe('extracts', () => {
  const { test, desk } = useOperatorDesk({ each: true });
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000 });
  });
  const paid = (amount: number, msisdn = '255754123456') =>
    plantPaidPush(test.database, merchant, { msisdn, amount });
  /** Posted at another moment, which the ledger itself forbids. */
  const movedAt = (id: string, at: string) =>
    test.database.query(
      `ALTER TABLE transfers DISABLE TRIGGER USER;
       UPDATE transfers SET created_at = '${at}' WHERE transaction_id = '${id}'; ALTER TABLE transfers ENABLE TRIGGER USER`,
    );
  const ask = (as: string, path: string) => desk.call(as, 'GET', `extracts/${path}`);
  const october = 'from=2026-10-01&to=2026-11-01';

  it('add up number and value by kind, channel and month of Dar es Salaam', async () => {
    // 20:59:59 UTC is the last second of October there.
    await movedAt(await paid(1_000), '2026-10-31T20:59:59.999999Z');
    await movedAt(await paid(2_000), '2026-09-30T21:00:00Z');
    await movedAt(await paid(4_000), '2026-10-31T21:00:00Z');
    const bill = submissionFor(merchant, billRequest(9_000, { mode: 'flexible' }));
    await accept(test.database, bill);
    const number = await controlNumberOf(test.database, bill.transactionId);
    for (const amount of [3_000, 500]) await payBill(test.database, paymentOf(number, amount));
    await movedAt(bill.transactionId, '2026-10-15T00:00:00Z');
    const { body } = await ask('only-finance', `volumes?${october}`);
    const row = { month: '2026-10', channel: 'm-pesa', direction: 'in' };
    assert.deepEqual(body.volumes, [
      { ...row, kind: 'billpay', number: 2, value_minor: 350_000 },
      { ...row, kind: 'ussd', number: 2, value_minor: 300_000 },
    ]);
    const lines = await desk.cli('asha', 'extracts', 'volumes', '--from', '2026-09-01', '--to', '2026-12-01');
    assert.deepEqual(lines, [
      'month,kind,channel,direction,number,value',
      '2026-10,billpay,m-pesa,in,2,3500.00',
      '2026-10,ussd,m-pesa,in,2,3000.00',
      '2026-11,ussd,m-pesa,in,1,4000.00',
    ]);
  });

  it('name single movements from the threshold on, with the payer, and the audit log says whose were read', async () => {
    const least = data.report_from;
    const id = await paid(least);
    await paid(least - 1);
    const bill = submissionFor(merchant, billRequest(least));
    await accept(test.database, bill);
    const number = await controlNumberOf(test.database, bill.transactionId);
    await payBill(test.database, paymentOf(number, least, { receipt: 'B1', fullName: '=ASHA, "JUMA"' }));
    for (const one of [id, bill.transactionId]) await movedAt(one, '2026-10-15T00:00:00Z');
    const { body } = await ask('only-finance', `large?${october}`);
    assert.equal(body.report_from_minor, least * 100);
    assert.deepEqual(pick(body.movements, 'kind', 'party', 'receipt', 'amount_minor'), [
      ['ussd', '255754123456', `R-${id}`, least * 100],
      ['billpay', '255754123456', 'B1', least * 100],
    ]);
    assert.equal(body.next, null);
    const rows = await test.sql`SELECT detail FROM audit_log WHERE action = 'call.listLargeMovements'
      ORDER BY id DESC LIMIT 1`;
    assert.ok(JSON.stringify(rows[0].detail).includes(bill.transactionId), JSON.stringify(rows[0]));
    const lines = await desk.cli('asha', 'extracts', 'large', '--from', '2026-10-14', '--to', '2026-10-16');
    assert.equal(lines.length, 3);
    const shillings = `${least}.00`;
    assert.match(
      lines[1] ?? '',
      new RegExp(`^2026-10-15T03:00:00[.]0+[+]03:00,2026-10-15,in,ussd,m-pesa,${shillings},`),
    );
    const range = ['--from', '2026-10-14', '--to', '2026-10-16'];
    const [head, first] = await desk.cli('asha', 'extracts', 'large', ...range, '--timezone', 'UTC');
    assert.match(head ?? '', /^at,day,direction,kind,channel,amount,receipt,/);
    assert.match(first ?? '', /^2026-10-15T00:00:00[.]0+Z,2026-10-15,in,/);
    assert.ok(
      lines[2]?.includes(`,B1,255754123456,"'=ASHA, ""JUMA""",,Test shop,${bill.transactionId}`),
      lines[2],
    );
  });

  it('are refused for a range that is none, or longer than a month', async () => {
    for (const range of [
      '',
      'from=2026-10-01',
      'from=2026-11-01&to=2026-10-01',
      'from=2026-10-01&to=2026-11-02',
    ])
      for (const path of ['volumes', 'large'])
        assert.equal((await ask('only-finance', `${path}?${range}`)).status, 422, range);
    assert.equal((await ask('only-support', `volumes?${october}`)).status, 403);
    const wrong = ['extracts', 'volumes', '--from', '2026-10-02', '--to', '2026-10-02'];
    await assert.rejects(desk.cli('asha', ...wrong), /must be after/);
  });
});
