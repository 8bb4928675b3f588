import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { nextSubmissions } from '../../../src/batches/batch-slices.ts';
import { startBatch } from '../../../src/batches/batch-start.ts';
import { DAY_MS, dayOf } from '../../../src/domain/day.ts';
import { minor } from '../../../src/domain/money.ts';
import type { Submission } from '../../../src/domain/operation.ts';
import { readStatement } from '../../../src/ledger/statement.ts';
import { checkAll } from '../../../src/reconciliation/check.ts';
import { findStored, identityOf } from '../../../src/transactions/acceptance/idempotency.ts';
import { receiveBillPayment } from '../../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { receiveNotification } from '../../../src/transactions/ending/notifications.ts';
import { unprovenRows } from '../../../src/transactions/rows/row-mac.ts';
import { getTransaction } from '../../../src/transactions/rows/store.ts';
import { accept, restoreAccepted } from '../../support/accept.ts';
import { draftOf } from '../../support/batches.ts';
import { controlNumberOf, payBill, paymentOf } from '../../support/bill-customer.ts';
import { asRole } from '../../support/database.ts';
import {
  bankPayoutRequest,
  billRequest,
  CONNECTION,
  createMerchant,
  type Merchant,
  pushRequest,
  refundRequest,
  submissionFor,
} from '../../support/merchant.ts';
import { useOperatorDesk } from '../../support/operator-desk.ts';
import { plantPaidPush } from '../../support/paid-push.ts';
import { succeeded } from '../../support/scripted-channel.ts';
import { importOf, statementOf, walletAccount } from '../../support/statements-of-accounts.ts';
import { listAttention } from '../../support/unexplained.ts';

const NUMBER = '255754123456';

describe('names and numbers of people', () => {
  const { test, desk } = useOperatorDesk({ each: true });
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
  });

  const erase = async (body: object) => (await desk.call('only-admin', 'POST', 'privacy/erase', body)).body;
  const age = (days: number, ids: string[] | null = null) =>
    test.sql`UPDATE transactions
      SET created_at = created_at - ${days} * interval '1 day', status_at = status_at - ${days} * interval '1 day'
      WHERE ${ids}::uuid[] IS NULL OR id = ANY(${ids})`;
  const paid = (msisdn = NUMBER) => plantPaidPush(test.database, merchant, { msisdn });
  const paidToBank = async () => {
    const submission = submissionFor(merchant, bankPayoutRequest());
    const { answer } = await accept(test.database, submission);
    await test.sql`UPDATE transactions SET handed_over_at = now() WHERE id = ${submission.transactionId}`;
    await tryToEnd(test.database, submission.transactionId, {
      kind: 'answer',
      result: succeeded(submission.request.amount / 100, 'B1'),
    });
    await test.database.query("UPDATE callback_events SET state = 'delivered'");
    return { submission, answer };
  };
  /** Everything that Postgres stores, as text. */
  const everything = async () => {
    const rows =
      await test.sql`SELECT table_name AS name, query_to_xml(format('SELECT * FROM %I', table_name), true, true, '')::text AS rows
      FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
    return rows as { name: string; rows: string }[];
  };
  const naming = async (...words: string[]) => {
    const hex = (word: string) => Buffer.from(word).toString('hex');
    const base64 = (word: string) => Buffer.from(word).toString('base64').slice(0, -4);
    return (
      (await everything())
        // In these tests a fingerprint is the request itself; really it is a hash of it.
        .filter(({ name }) => name !== 'idempotency_keys')
        .filter(({ rows }) =>
          words.some((word) => [word, hex(word), base64(word)].some((form) => rows.includes(form))),
        )
        .map(({ name }) => name)
    );
  };
  const money = async () => {
    const all = await everything();
    const books = all.filter(({ name }) =>
      ['entries', 'transfers', 'holds', 'ledger_accounts', 'idempotency_keys'].includes(name),
    );
    return createHash('sha256').update(JSON.stringify(books)).digest('hex');
  };

  const statement = () =>
    readStatement(
      test.database,
      { accountId: merchant.accountId, currency: 'TZS', from: '2020-01-01', to: '2100-01-01' },
      { offset: 0, count: 100 },
    );

  it('are counted first, and erased where they are old enough, everywhere, without touching money or keys', async () => {
    const old = await paid();
    const { submission, answer } = await paidToBank();
    const channel = {
      verifyNotification: () => true,
      translateNotification: () => ({
        eventKey: 'again',
        subject: { transactionId: old },
        content: { ...succeeded(5_000, `R-${old}`), fullName: 'ASHA JUMA' },
      }),
    };
    const raw = {
      method: 'POST',
      transactionId: null,
      token: null,
      headers: {},
      body: Buffer.from(`"msisdn":"${NUMBER}" ASHA JUMA`),
    };
    await receiveNotification(test.database, { connections: [{ id: CONNECTION, channel }], raw });
    // He asked for this bill and did not pay it.
    await accept(test.database, submissionFor(merchant, billRequest()));
    await test.database.query(
      "UPDATE bills SET claimed_by = ARRAY['a:receipt:R9', 'm-pesa:payer:' || $1], claimed_until = now() - interval '2 days'",
      [NUMBER],
    );
    await age(500);
    await test.database.query('UPDATE payout_recipients SET day = day - 500');
    await test.database.query('UPDATE payout_days SET day = day - 500');
    const young = await paid('255754999888');
    const { accountNumber, fullName } = submission.request;
    const words = [NUMBER, NUMBER.slice(3), 'ASHA JUMA', accountNumber, fullName];
    const before = { money: await money(), statement: await statement() };
    assert.ok(before.statement.lines.length >= 3);
    const asked = { account_id: merchant.accountId, older_than_days: 400, reason: 'asked for it' };

    assert.deepEqual(await erase(asked), { transactions: 2, kept: 0, erased: false, next: null });
    assert.ok((await naming(...words)).length >= 5, 'nothing changed yet');
    const done = { transactions: 2, kept: 0, erased: true, next: null };
    assert.deepEqual(await erase({ ...asked, dry_run: false }), done);
    assert.deepEqual(await naming(NUMBER, accountNumber, fullName), []);
    assert.deepEqual(
      (await naming('ASHA JUMA')).sort(),
      ['callback_events', 'transactions'],
      'of the young one',
    );
    assert.equal((await erase({ ...asked, dry_run: false })).transactions, 0, 'done twice it does nothing');

    assert.deepEqual({ money: await money(), statement: await statement() }, before);
    assert.deepEqual((await checkAll(test.database)).breaches, []);
    const seen = await getTransaction(test.database, old);
    assert.deepEqual(seen?.mode === 'ussd' && [seen.msisdn, seen.fullName, seen.amount, seen.status], [
      '255000000000',
      null,
      minor(500_000),
      'completed',
    ]);
    const other = await getTransaction(test.database, young);
    assert.equal(other?.mode === 'ussd' && other.msisdn, '255754999888');
    const stored = await findStored(test.database, merchant.accountId, identityOf(submission));
    assert.equal(stored?.body, answer.body.replace(accountNumber, 'ERASED'), 'the key still answers');
  });

  it('of one person are found in every account, and the audit log does not keep the number', async () => {
    const first = await paid();
    merchant = await createMerchant(test.database);
    const second = await paid();
    const third = await paid('255754999888');
    await age(500);
    const young = await paid();
    const asked = { number: '0754 123 456', reason: 'asked for it' };
    assert.deepEqual(await erase(asked), { transactions: 2, kept: 1, erased: false, next: null });
    assert.equal((await erase({ ...asked, dry_run: false })).transactions, 2);
    const numbers = await test.database.query('SELECT id, msisdn FROM transactions ORDER BY created_at');
    const of = Object.fromEntries(numbers.rows.map(({ id, msisdn }) => [id, msisdn]));
    assert.deepEqual(
      [of[first], of[second], of[third], of[young]],
      ['255000000000', '255000000000', '255754999888', NUMBER],
    );
    const rows = await test.sql`SELECT * FROM audit_log
      WHERE action LIKE '%rivacy%' OR action LIKE '%erasePayers%'`;
    assert.ok(
      rows.some(
        ({ action, subject }) => action === 'privacy.erase' && /^number:\S+:[0-9a-f]{32}$/.test(subject),
      ),
    );
    assert.ok(!/754\D*123\D*456/.test(JSON.stringify(rows.map(({ hash, ...line }) => line))));
  });

  it('stay while something is still to be done, whoever asks', async () => {
    const ids = [await paid(), await paid(), await paid()];
    await age(500);
    await test.sql`INSERT INTO attention (transaction_id, reason) VALUES (${ids[0]}, 'late_success')`;
    await test.sql`UPDATE callback_events SET state = 'pending' WHERE transaction_id = ${ids[1]}`;
    await age(-200, [ids[2] as string]);
    const erased = await asRole(test.database, 'api').query('SELECT erase_payers($1, NULL, true) AS count', [
      ids,
    ]);
    assert.equal(erased.rows[0].count, 0);
    assert.equal((await erase({ number: NUMBER })).kept, 3);
    const young = await desk.call('only-admin', 'POST', 'privacy/erase', {
      account_id: merchant.accountId,
      older_than_days: 30,
    });
    assert.equal(young.body.code, 'validation_failed');
    for (const wrong of [
      {},
      { number: NUMBER, account_id: merchant.accountId },
      { account_id: merchant.accountId },
    ])
      assert.equal((await desk.call('only-admin', 'POST', 'privacy/erase', wrong)).status, 422);
  });

  it('that are younger than ten years are erased for a reason alone, and the audit log keeps it', async () => {
    await paid();
    const early = { account_id: merchant.accountId, older_than_days: 3_649 };
    const late = { ...early, older_than_days: 3_650 };
    await age(3_649.5);
    const refused = await desk.call('only-admin', 'POST', 'privacy/erase', { ...early, dry_run: false });
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.body.errors, [
      { field: 'reason', message: 'is required to erase data that is younger than 3650 days' },
    ]);
    const ofPerson = { number: NUMBER };
    assert.deepEqual(await erase({ ...ofPerson, dry_run: false }), {
      transactions: 0,
      kept: 1,
      erased: false,
      next: null,
    });
    const erased = (isEarly: boolean) =>
      asRole(test.database, 'api').query(
        'SELECT erase_payers(array_agg(id), NULL, $1) AS count FROM transactions',
        [isEarly],
      );
    assert.equal((await erased(false)).rows[0].count, 0, 'the database says so itself');
    const reason = 'the regulator asked for it, letter 12';
    assert.equal((await erase({ ...early, reason, dry_run: false })).transactions, 1);
    const { rows } = await test.database.query("SELECT detail FROM audit_log WHERE action = 'privacy.erase'");
    assert.deepEqual(rows, [{ detail: { older_than_days: 3_649, reason, transactions: 1 } }]);
    await paid();
    await age(3_651);
    assert.equal((await erase({ ...late, dry_run: false })).transactions, 1, 'old enough for no reason');
  });

  it('that are erased everywhere are nobody: refunds, resends and restores do nothing, and the day closes', async () => {
    const push = submissionFor(merchant, pushRequest(5_000, NUMBER));
    const bill = submissionFor(merchant, billRequest(12_000));
    const { run } = await draftOf(test.database, merchant, [{ msisdn: NUMBER }]);
    await startBatch(test.database, run);
    const [item = assert.fail()] = await nextSubmissions(test.database, run);
    const accepted = async (submission: Submission) => {
      const restore = { submission, accepted: await accept(test.database, submission), isDry: false };
      const { transactionId: id, request } = submission;
      const result = succeeded(Number(request.amount) / 100, `R-${id}`);
      if (submission !== bill) await tryToEnd(test.database, id, { kind: 'answer', result });
      return restore;
    };
    const taken = [await accepted(push), await accepted(item), await accepted(bill)];
    const payment = paymentOf(await controlNumberOf(test.database, bill.transactionId), 12_000);
    await payBill(test.database, payment);
    const ids = taken.map(({ submission }) => submission.transactionId);
    const moves = [
      { receipt: `R-${push.transactionId}`, amount: 5_000 },
      { receipt: `R-${item.transactionId}`, amount: -10_000 },
      { receipt: payment.receipt, amount: 12_000 },
      { amount: -5, kind: 'fee' as const, minutes: -1_440 },
    ];
    const atOnce = moves.map((move) => ({ minutes: 0, ...move }));
    const shown = statementOf(walletAccount(), 0, atOnce);
    await importOf(test.database, walletAccount(), shown, { now: new Date(Date.now() + 2 * DAY_MS) });
    await age(500);
    await test.database.query('UPDATE payout_recipients SET day = day - 500');
    await test.sql`UPDATE callback_events
      SET state = 'delivered', created_at = created_at - interval '500 days'`;
    const [before, seen] = [await money(), await listAttention(test.database)];
    assert.equal((await erase({ number: NUMBER, reason: 'asked for it', dry_run: false })).transactions, 3);
    assert.deepEqual(await naming(NUMBER), []);

    const day = (ago: number) => dayOf(new Date(Date.now() - ago * DAY_MS));
    const listed = await desk.call('asha', 'GET', `payments?from=${day(502)}&to=${day(498)}`);
    assert.deepEqual(listed.body.data.map(({ id }: { id: string }) => id).sort(), [...ids].sort());
    for (const id of ids) assert.equal((await desk.call('asha', 'GET', `transactions/${id}`)).status, 200);
    const resend = `accounts/${merchant.accountId}/callbacks`;
    const events = (await desk.call('asha', 'GET', resend)).body.data;
    assert.equal(events.length, 3);
    for (const { event_id } of events) {
      const { body } = await desk.call('asha', 'POST', `${resend}/resend`, { event_id });
      assert.equal(body.code, 'validation_failed');
    }
    for (const again of taken) assert.equal(await restoreAccepted(test.database, again), 'there');
    await receiveBillPayment(test.database, payment, { wasAccepted: true });
    assert.deepEqual(await nextSubmissions(test.database, run), []);
    assert.equal(await money(), before);
    for (const id of [push.transactionId, bill.transactionId]) {
      const { answer } = await accept(test.database, submissionFor(merchant, refundRequest(id)));
      assert.equal(answer.refused, 'not_refundable');
      assert.match(answer.body, /Name and number of who paid were erased/);
    }
    await desk.agree('days', 'close', 'm-pesa', day(0), '--reason', 'all is explained');
    assert.deepEqual(await unprovenRows(test.database, 'all'), []);
    assert.deepEqual(await listAttention(test.database), seen);
  });
});
