import assert from 'node:assert/strict';
import { takeBehind, takeUndelivered } from '../../src/callbacks/unattended.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import {
  flagOverdue,
  sweepSoon,
  takeUnattended,
  takeWithNews,
  unreadNews,
} from '../../src/transactions/rescue/orphans.ts';
import { lockTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { billRequest, createMerchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import type { Queryable } from '../support/queryable.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

describe('what the sweep takes on', () => {
  const test = useTestDatabase({ each: true, poolMax: 4 });

  async function pushed(): Promise<string> {
    const submission = submissionFor(await createMerchant(test.database), pushRequest());
    await accept(test.database, submission);
    await recordSend(test.database, { transactionId: submission.transactionId, number: 1 });
    return submission.transactionId;
  }
  /** Copies of a transaction, older than a minute. */
  async function copies(id: string, count: number) {
    await test.sql`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
         fee_version, settled, channel, reference, msisdn, timing, created_at, due_at, connection)
       SELECT gen_random_uuid(), account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
         fee_version, settled, channel, 'PYCOPY' || n, msisdn, timing, now() - interval '90 seconds', now() - interval '90 seconds', connection
       FROM transactions, generate_series(1, ${count}) n WHERE id = ${id}`;
  }

  /** Does `work` while another process, with a connection of its own, is in a transaction in which it did `first`. */
  async function whileSomebodyElse<T>(first: (db: Queryable) => Promise<unknown>, work: () => Promise<T>) {
    const others = createDatabase({
      url: test.url,
      poolMax: 1,
      applicationName: 'somebody else',
      rowKeys: submissionKeys,
    });
    const connection = await others.connect();
    try {
      await connection.query('BEGIN');
      await first(connection);
      return await work();
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
      await others.end();
    }
  }

  it('looks at the one that waited longest first, however many are new', async () => {
    const id = await pushed();
    await test.sql`UPDATE transactions SET due_at = now() - interval '30 minutes'`;
    await copies(id, 600);
    const taken = await takeUnattended(test.database, 60_000);
    assert.ok(taken.some((transaction) => transaction.id === id));
  });

  it('gets round to news, however much of it no workflow will ever read', async () => {
    const id = await pushed();
    await copies(id, 600);
    await test.sql`INSERT INTO notifications (channel, event_key, transaction_id, content, state, received_at)
       SELECT 'm-pesa', id, id, '{"kind": "of another time"}', 'unapplied',
         now() - CASE id WHEN ${id} THEN interval '2 minutes' ELSE interval '1 hour' END FROM transactions`;
    let sweeps = 0;
    while (!(await unreadNews(test.database, 60_000)).includes(id)) {
      sweeps += 1;
      assert.ok(sweeps < 50, 'it is never looked at');
    }
  });

  it('passes over a row that somebody holds, and leaves the rest free', async () => {
    const [held, free] = [await pushed(), await pushed()];
    await test.sql`UPDATE transactions SET due_at = now() - interval '10 minutes'`;
    const taken = await whileSomebodyElse(
      (holder) => holder.query('SELECT 1 FROM transactions WHERE id = $1 FOR UPDATE', [held]),
      () => takeUnattended(test.database, 60_000),
    );
    assert.deepEqual(pick(taken, 'id'), [free]);
  });

  it('gets round to every undelivered event, whatever one slow receiver does', async () => {
    const id = await pushed();
    await answered(test.database, id, succeeded(5_000));
    await copies(id, 900);
    await test.sql`INSERT INTO callback_events (id, transaction_id, api_key_id, event, sequence, body, created_at)
       SELECT 'evt_' || id, id, api_key_id, 'payment.received', 1, '{}', now() - interval '1 hour'
       FROM transactions WHERE reference LIKE 'PYCOPY%'`;
    const seen = new Set<string>();
    for (let sweep = 0; sweep < 2; sweep += 1)
      for (const transactionId of await takeUndelivered(test.database, 60_000)) seen.add(transactionId);
    assert.equal(seen.size, 900);
  });

  it('leaves an undelivered event alone while its next attempt lies ahead', async () => {
    const id = await pushed();
    await answered(test.database, id, succeeded(5_000));
    const due = async (next: string) => {
      await test.sql`UPDATE callback_events
        SET created_at = now() - interval '1 day', next_attempt_at = now() + ${next}::interval`;
      return (await takeUndelivered(test.database, 60_000)).length;
    };
    assert.equal(await due('2 hours'), 0);
    assert.equal(await due('-1 minute'), 0, 'a worker may just be late');
    assert.equal(await due('-10 minutes'), 1);
  });

  it('flags what its channel has not answered for a day, once, whoever is asking or not', async () => {
    const id = await pushed();
    assert.equal(await flagOverdue(test.database), 0);
    await test.sql`UPDATE transactions SET overdue_at = now() - interval '1 second'`;
    assert.equal(await flagOverdue(test.database), 1);
    assert.equal(await flagOverdue(test.database), 0);
    const [entry] = await listAttention(test.database);
    assert.deepEqual([entry?.subject, entry?.reason], [id, 'unknown_outcome']);
  });

  it('does not flag what is being settled at this moment', async () => {
    const id = await pushed();
    await test.sql`UPDATE transactions SET overdue_at = now() - interval '1 second'`;
    const flagged = await whileSomebodyElse(
      (settling) => lockTransaction(settling, id),
      () => flagOverdue(test.database),
    );
    assert.equal(flagged, 0);
    assert.deepEqual(await listAttention(test.database), []);
    assert.equal(await flagOverdue(test.database), 1, 'it was not settled after all');
  });

  it('is what is past its next step: no bill before its time is over, and no push before its first enquiry', async () => {
    const merchant = await createMerchant(test.database);
    const [open, over] = [submissionFor(merchant, billRequest()), submissionFor(merchant, billRequest())];
    for (const submission of [open, over]) await accept(test.database, submission);
    const waiting = await pushed();
    await test.sql`UPDATE transactions SET created_at = now() - interval '1 hour'`;
    assert.deepEqual(await takeUnattended(test.database, 60_000), []);
    const late = [over.transactionId, waiting];
    await test.sql`UPDATE transactions SET due_at = now() - interval '5 minutes' WHERE id = ANY(${late})`;
    const taken = async () => (await takeUnattended(test.database, 60_000)).map(({ id }) => id).sort();
    assert.deepEqual(await taken(), late.sort());
    assert.deepEqual(await taken(), [], 'in a minute again');
  });

  it('is a bill once when somebody asks for it, and then when its time is over', async () => {
    const submission = submissionFor(await createMerchant(test.database), billRequest());
    await accept(test.database, submission);
    const id = submission.transactionId;
    await sweepSoon(test.database, id);
    assert.deepEqual(pick(await takeUnattended(test.database, 60_000), 'id'), [id]);
    const rows = await test.sql`SELECT due_at = expires_at AS due
        FROM transactions t JOIN bills b ON b.transaction_id = t.id WHERE id = ${id}`;
    assert.equal(rows[0].due, true);
  });

  it('flags what was never handed over, and a bill that did not end at its time', async () => {
    const merchant = await createMerchant(test.database);
    const [push, bill] = [submissionFor(merchant, pushRequest()), submissionFor(merchant, billRequest())];
    for (const submission of [push, bill]) await accept(test.database, submission);
    const rows = await test.sql`SELECT t.id FROM transactions t LEFT JOIN bills b ON b.transaction_id = t.id
       WHERE overdue_at < coalesce(expires_at, now() + interval '2 minutes')`;
    assert.deepEqual(rows, [], 'later than its time');
    await test.sql`UPDATE transactions SET overdue_at = now() - interval '1 second'`;
    assert.equal(await flagOverdue(test.database), 2);
    const details = new Map((await listAttention(test.database)).map((one) => [one.subject, one]));
    assert.match(details.get(push.transactionId)?.detail ?? '', /never handed over/);
    assert.match(details.get(bill.transactionId)?.detail ?? '', /^Its time was over at /);
    assert.deepEqual(pick([...details.values()], 'reason'), ['overdue', 'overdue']);
    await answered(test.database, push.transactionId, succeeded(5_000));
    assert.deepEqual(
      pick(await listAttention(test.database), 'subject'),
      [bill.transactionId],
      'it ended after all',
    );
  });

  it('is an open bill whose flow was lost before it delivered, however many other bills are open', async () => {
    const merchant = await createMerchant(test.database);
    const made = Array.from({ length: 150 }, () =>
      submissionFor(merchant, billRequest(25_000, { mode: 'flexible' })),
    );
    for (const submission of made) await accept(test.database, submission);
    const id = made[149]?.transactionId ?? '';
    const number = await controlNumberOf(test.database, id);
    await receiveBillPayment(test.database, paymentOf(number, 5_000));
    await tryToEnd(test.database, id, { kind: 'notifications' });
    for (const table of ['transactions', 'callback_events'])
      await test.database.query(`UPDATE ${table} SET created_at = created_at - interval '1 hour'`);
    assert.deepEqual(await takeUndelivered(test.database, 60_000), [id]);
  });

  it('is an event that its workflow did not come to although nothing stands before it', async () => {
    const submission = submissionFor(
      await createMerchant(test.database),
      billRequest(25_000, { mode: 'flexible' }),
    );
    await accept(test.database, submission);
    const id = submission.transactionId;
    const number = await controlNumberOf(test.database, id);
    for (const _ of [1, 2]) await receiveBillPayment(test.database, paymentOf(number, 5_000));
    await tryToEnd(test.database, id, { kind: 'notifications' });
    await test.sql`UPDATE callback_events SET created_at = now() - interval '1 hour'`;
    assert.deepEqual(await takeBehind(test.database, 60_000), [], 'it waits for the first');
    await test.sql`UPDATE callback_events
      SET swept_at = NULL, state = CASE sequence WHEN 1 THEN 'delivered' ELSE state END`;
    assert.deepEqual(await takeUndelivered(test.database, 60_000), []);
    assert.deepEqual(await takeBehind(test.database, 60_000), [id]);
    assert.deepEqual(await takeBehind(test.database, 60_000), [], 'not each minute');
  });

  it('is no bill whose later events only wait for an earlier one, and a broken one once an hour', async () => {
    const merchant = await createMerchant(test.database);
    const waits = submissionFor(merchant, billRequest(25_000, { mode: 'flexible' }));
    const broken = submissionFor(merchant, billRequest());
    for (const submission of [waits, broken]) await accept(test.database, submission);
    const number = await controlNumberOf(test.database, waits.transactionId);
    for (const _ of [1, 2]) await receiveBillPayment(test.database, paymentOf(number, 5_000));
    await tryToEnd(test.database, waits.transactionId, { kind: 'notifications' });
    await test.sql`UPDATE callback_events SET created_at = now() - interval '1 hour',
      next_attempt_at = CASE sequence WHEN 1 THEN now() + interval '20 hours' END`;
    const id = broken.transactionId;
    await test.sql`UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = ${id}`;
    assert.deepEqual(await takeUndelivered(test.database, 60_000), []);
    await raiseAttention(test.database, { transactionId: id, reason: 'broken', detail: 'x' });
    const taken = async () => (await takeUnattended(test.database, 60_000)).map((one) => one.id);
    assert.deepEqual(await taken(), [id], 'nobody has tried it again yet');
    await test.sql`UPDATE transactions SET due_at = due_at - interval '55 minutes'`;
    assert.deepEqual(await taken(), []);
    assert.equal(await takeWithNews(test.database, id), null, 'news do not make it mend sooner');
    await test.sql`UPDATE transactions SET due_at = due_at - interval '10 minutes'`;
    assert.deepEqual(await taken(), [id]);
  });
});
