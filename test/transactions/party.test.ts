import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { accept } from '../support/accept.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  mobilePayoutRequest,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';

const PAYER = '255754123456';
const THIEF = '255784000666';

/** As whoever has the password of a process. */
describe('whom a transaction pays, and who paid it', () => {
  const desk = openBillDesk();
  const accepted = async (request: MoneyRequest) => {
    const submission = submissionFor(desk.merchant, request);
    assert.equal((await accept(asRole(desk.database, 'worker'), submission)).answer.refused, null);
    return submission.transactionId;
  };
  const push = () => plantPaidPush(desk.database, desk.merchant, { msisdn: PAYER });
  const billPaidTwice = async () => {
    const { id, number } = await desk.bill(billRequest(12_000, { mode: 'flexible' }));
    for (const msisdn of [THIEF, PAYER])
      assert.equal((await payBill(desk.database, paymentOf(number, 1_000, { msisdn }))).outcome, 'accepted');
    return id;
  };
  const rowOf = async (id: string) => (await desk.sql`SELECT * FROM transactions WHERE id = ${id}`)[0];

  const kinds: Record<string, () => Promise<string>> = {
    push: () => accepted(pushRequest()),
    'paid push': push,
    'mobile payout': () => accepted(mobilePayoutRequest()),
    'bank payout': () => accepted(bankPayoutRequest()),
    refund: async () => accepted(refundRequest(await push())),
    bill: billPaidTwice,
  };
  const changes: Record<string, string> = {
    'another number': `msisdn = '${THIEF}'`,
    'another name': "full_name = 'A THIEF'",
    'another name with its success': "status = 'completed', msisdn = '255784000666'",
    'no name and number': "msisdn = '255000000000', full_name = NULL",
    'another channel': "channel = 'airtel-money'",
    'another time of its status': "status_at = status_at - interval '500 days'",
    'an earlier end': "status = 'cancelled', status_at = now() - interval '500 days'",
  };
  for (const [kind, make] of Object.entries(kinds))
    it(`stay as they were written, of a ${kind}`, async () => {
      const id = await make();
      const before = await rowOf(id);
      for (const role of ['api', 'worker'] as const)
        for (const [what, change] of Object.entries(changes))
          await assert.rejects(
            asRole(desk.database, role).query(`UPDATE transactions SET ${change} WHERE id = $1`, [id]),
            /does not change|changes now or not at all|cannot become/,
            `${role}: ${what}`,
          );
      assert.deepEqual(await rowOf(id), before);
    });

  it('of a bill are not those of an earlier receipt', async () => {
    const id = await billPaidTwice();
    const rows = await desk.sql`SELECT channel, receipt, msisdn, full_name FROM bill_receipts
        WHERE transaction_id = ${id} AND number = 1`;
    const [first] = rows;
    for (const role of ['api', 'worker'] as const)
      await assert.rejects(
        asRole(desk.database, role).query(
          'UPDATE transactions SET channel = $2, channel_reference = $3, msisdn = $4, full_name = $5 WHERE id = $1',
          [id, first.channel, first.receipt, first.msisdn, first.full_name],
        ),
        /does not change/,
      );
    assert.equal((await rowOf(id)).msisdn, PAYER);
  });

  it('are named by the channel that says that it succeeded, once', async () => {
    const worker = asRole(desk.database, 'worker');
    const id = await accepted(pushRequest());
    const result = { ...succeeded(5_000, randomUUID()), fullName: 'ASHA JUMA' };
    await answered(worker, id, result);
    const { status, full_name } = await rowOf(id);
    assert.deepEqual([status, full_name], ['completed', 'ASHA JUMA']);
    await assert.rejects(
      worker.query("UPDATE transactions SET full_name = 'A THIEF' WHERE id = $1", [id]),
      /does not change/,
    );
  });

  it("are erased by the owner's function alone, and by it all the same", async () => {
    const id = await push();
    await desk.sql`UPDATE transactions SET status_at = now() - interval '10 years' WHERE id = ${id}`;
    const { rows } = await asRole(desk.database, 'api').query('SELECT erase_payers($1, NULL, true) AS n', [
      [id],
    ]);
    assert.equal(rows[0].n, 1);
    assert.equal((await rowOf(id)).msisdn, '255000000000');
  });
});

describe('how a transaction ends', () => {
  const desk = openBillDesk();
  const accepted = async (request: MoneyRequest) => {
    const submission = submissionFor(desk.merchant, request);
    await accept(asRole(desk.database, 'worker'), submission);
    return submission.transactionId;
  };
  const stateOf = async (id: string) => {
    const rows =
      await desk.sql`SELECT status, event, (SELECT count(*)::int FROM callback_events WHERE transaction_id = t.id) AS events
       FROM transactions t WHERE id = ${id}`;
    return rows[0];
  };
  const PAID = "status = 'paid', event = 'payout.completed', paid_at = now()";
  const FAILED = "status = 'failed', event = 'payout.failed', failure_code = 'expired'";
  const half: Record<string, string> = {
    'paid without its money': PAID,
    'failed with its hold': FAILED,
    'paid in one word only': "status = 'paid', paid_at = now()",
    'told as paid while it is pending': "event = 'payout.completed'",
  };
  for (const [what, change] of Object.entries(half))
    it(`is not ${what}, by no process`, async () => {
      const id = await accepted(mobilePayoutRequest());
      for (const role of ['api', 'worker'] as const)
        await assert.rejects(
          asRole(desk.database, role).query(`UPDATE transactions SET ${change} WHERE id = $1`, [id]),
          /only with its event and its money/,
          role,
        );
      assert.deepEqual(await stateOf(id), { status: 'pending', event: 'payout.pending', events: 0 });
    });

  it('is not told before it is so, nor later by somebody else', async () => {
    const id = await accepted(mobilePayoutRequest());
    const tell = (role: 'api' | 'worker', event: string) =>
      asRole(desk.database, role).query(
        `INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body)
         SELECT $1, id, api_key_id, $2, 7, '{}' FROM transactions WHERE id = $3`,
        [`evt_${randomUUID()}`, event, id],
      );
    const events = ['payout.completed', 'payout.failed', 'payout.returned'];
    for (const event of events) await assert.rejects(tell('api', event), /is not what/);
    const result = succeeded(10_000, randomUUID());
    await answered(asRole(desk.database, 'worker'), id, result);
    for (const role of ['api', 'worker'] as const)
      for (const event of events) await assert.rejects(tell(role, event), /is not what/, `${role}: ${event}`);
  });

  it('is whole where its merchant asked for none of its events', async () => {
    const id = await accepted(mobilePayoutRequest());
    await desk.sql`UPDATE api_keys SET subscribed_events = '{payout.returned}'`;
    await answered(asRole(desk.database, 'worker'), id, failure('account_blocked'));
    assert.deepEqual(await stateOf(id), { status: 'failed', event: 'payout.failed', events: 0 });
  });
});

describe('the audit log', () => {
  const desk = openBillDesk();
  const add = (role: 'api' | 'worker', actor: string) =>
    asRole(desk.database, role).query(
      "INSERT INTO audit_log (actor, action, subject) VALUES ($1, 'accounts.freeze', 'x')",
      [actor],
    );

  it("takes an operator's line from the API alone", async () => {
    await assert.rejects(add('worker', 'operator:asha'), /speaks for none/);
    await add('worker', 'worker');
    await add('api', 'operator:asha');
  });
});
