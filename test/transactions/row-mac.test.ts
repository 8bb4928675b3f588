import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { unprovenRows } from '../../src/transactions/rows/row-mac.ts';
import { accept } from '../support/accept.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { bankPayoutRequest, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';

/** What can be done in Postgres with the password of a process, or as its owner, and without a key. */
describe('a row that no process of ours wrote', () => {
  const desk = openBillDesk();
  const accepted = async (request: Parameters<typeof submissionFor>[1]) => {
    const submission = submissionFor(desk.merchant, request);
    const { answer } = await accept(desk.database, submission);
    return { id: submission.transactionId, answer };
  };
  const send = (transactionId: string) => recordSend(desk.database, { transactionId, number: 1 });
  /** as whoever has every right in Postgres: triggers do not hold him */
  const change = async (sql: string, id: string) => {
    await desk.sql`ALTER TABLE transactions DISABLE TRIGGER USER`;
    await desk.database.query(`UPDATE transactions SET ${sql} WHERE id = $1`, [id]);
    await desk.sql`ALTER TABLE transactions ENABLE TRIGGER USER`;
  };

  for (const [what, request] of [
    ['push', pushRequest()],
    ['mobile payout', mobilePayoutRequest()],
    ['bank payout', bankPayoutRequest(20_000)],
  ] as const)
    it(`is not sent: a ${what} whose recipient was changed, or its connection, or whose proof is another's`, async () => {
      const other = await accepted(request.mode === 'ussd' ? pushRequest(1_700) : mobilePayoutRequest(1_700));
      const changes = [
        request.mode === 'bank' ? "account_number = '0152000000666'" : "msisdn = '255784000666'",
        "connection = 'another'",
        `mac = (SELECT mac FROM transactions WHERE id = '${other.id}')`,
        'mac = NULL',
      ];
      for (const sql of changes) {
        const { id } = await accepted(request);
        await change(sql, id);
        await assert.rejects(send(id), /nothing of ours wrote down/, sql);
        assert.ok(
          (await unprovenRows(desk.database, 'pending')).some((text) => text.includes(id)),
          sql,
        );
        assert.deepEqual(await desk.sql`SELECT 1 FROM sends WHERE transaction_id = ${id}`, []);
      }
      const { id } = await accepted(request);
      assert.equal((await send(id)).granted, true);
      assert.ok(!(await unprovenRows(desk.database, 'all')).some((text) => text.includes(id)));
    });

  it('is not one whose recipient was erased', async () => {
    for (const [request, erased] of [
      [mobilePayoutRequest(), "msisdn = '255000000000'"],
      [bankPayoutRequest(20_000), "account_number = 'ERASED', full_name = 'ERASED'"],
    ] as const) {
      const { id } = await accepted(request);
      await change(erased, id);
      assert.ok(!(await unprovenRows(desk.database, 'all')).some((text) => text.includes(id)), erased);
      await assert.rejects(send(id), /nothing of ours wrote down/);
    }
  });

  it('is not written by a process without the keys', async () => {
    const keyless = createDatabase({ url: desk.url, poolMax: 1, applicationName: 'test' });
    const submission = submissionFor(desk.merchant, pushRequest());
    await assert.rejects(accept(keyless, submission), /keys of rows/).finally(() => keyless.end());
  });

  it('is not a pending one alone in a full check', async () => {
    const push = await plantPaidPush(desk.database, desk.merchant, { msisdn: '255754123456' });
    await change(`msisdn = '255784000666', reference = '${randomUUID()}'`, push);
    assert.ok((await unprovenRows(desk.database, 'all')).some((text) => text.includes(push)));
    assert.ok(!(await unprovenRows(desk.database, 'pending')).some((text) => text.includes(push)));
  });
});
