import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { insertCallbackEvent } from '../../src/callbacks/event.ts';
import type { Mark } from '../../src/domain/mark.ts';
import { minor } from '../../src/domain/money.ts';
import type { MerchantTransaction } from '../../src/domain/transaction.ts';
import {
  agreedToMiss,
  closeFence,
  FenceClosed,
  fenceOf,
  liftFence,
  noteSwept,
  passFence,
  readMark,
  sweepAgeSeconds,
  TransactionMissing,
  whenFenced,
} from '../../src/transactions/care/fence.ts';
import { recordSend, sendHistory } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { getDecision, plantDecision, plantProposal } from '../support/decision.ts';
import { ConnectionLost } from '../support/failing-database.ts';
import { accepted, handedOver } from '../support/handed-over.ts';
import {
  billRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import type { Queryable } from '../support/queryable.ts';
import { attentionOf, listAttention } from '../support/unexplained.ts';

describe('the fence after a restore', () => {
  const test = useTestDatabase({ each: true });

  it('takes a step each time it is passed, and stays closed until it is lifted, past what Temporal knows', async () => {
    const first = await passFence(test.database, null);
    const second = await passFence(test.database, first);
    assert.equal(second?.progress, (first?.progress ?? 0) + 1);
    const ahead = { ...(second as Mark), progress: 100 };
    assert.equal(await passFence(test.database, ahead), null);
    assert.equal(await passFence(test.database, null), null, 'closed is closed, whoever asks');
    assert.deepEqual(await test.sql`SELECT subject, reason FROM attention WHERE resolved_at IS NULL`, [
      { subject: 'postgres', reason: 'restored' },
    ]);
    const lifted = await liftFence(test.database, ahead);
    assert.equal(lifted.progress, 101);
    assert.equal(await fenceOf(test.database), null);
    assert.equal((await passFence(test.database, lifted))?.progress, 102);
    const open = await test.database.query('SELECT FROM attention WHERE resolved_at IS NULL');
    assert.equal(open.rowCount, 0);
  });

  it('knows which Postgres it is, how far that has come, and the last control numbers that it gave out', async () => {
    const mark = await readMark(test.database);
    assert.match(mark.system, /^\d+$/);
    assert.ok(mark.timeline >= 1);
    await accepted(test.database, billRequest());
    await passFence(test.database, null);
    const later = await readMark(test.database);
    assert.deepEqual(later, { ...mark, progress: mark.progress + 1, serial: later.serial });
    assert.ok(later.serial >= mark.serial);
  });

  it('says how long ago a sweep did all of its duties', async () => {
    await test.sql`UPDATE fence SET swept_at = now() - interval '1 hour'`;
    assert.ok((await sweepAgeSeconds(test.database)) >= 3_600);
    await noteSwept(test.database);
    assert.ok((await sweepAgeSeconds(test.database)) < 600);
  });

  it('says why it is closed, to whoever it stops and to a person, and keeps the moment of its first closing', async () => {
    assert.equal(await whenFenced(test.database), null);
    await closeFence(test.database, 'a test');
    const [shown] = await attentionOf(test.database, 'postgres');
    assert.equal(
      shown?.detail,
      'Postgres does not remember what it did: a test. Nothing is sent or decided until recover has run',
    );
    const merchant = await createMerchant(test.database);
    const stopped = accept(test.database, submissionFor(merchant, pushRequest()));
    await assert.rejects(stopped, /nothing is decided until an operator runs recover: a test$/);
    const closing = await whenFenced(test.database);
    assert.match(closing ?? '', /^20\S+Z$/);
    await closeFence(test.database, 'another one');
    assert.equal(await whenFenced(test.database), closing);
  });

  it('may be lifted with what two operators agreed to miss: for this closing, and by their word to lift it', async () => {
    const agreed = (closedAt: string | null, missing = 3, action = 'fence.lift') =>
      plantProposal(test.database, action, { payload: { closed_at: closedAt, missing } });
    const early = await agreed(null);
    assert.equal(await agreedToMiss(test.database, 'pr_nobody'), null);
    await closeFence(test.database, 'a test');
    const closedAt = await whenFenced(test.database);
    assert.equal(await agreedToMiss(test.database, await agreed(closedAt)), 3);
    assert.equal(await agreedToMiss(test.database, await agreed(closedAt, 3, 'ledger.correct')), null);
    for (const other of [early, await agreed('2026-01-01T00:00:00.000000Z')])
      assert.equal(await agreedToMiss(test.database, other), null);
  });

  it('is closed by any process and opened by none', async () => {
    await closeFence(asRole(test.database, 'api'), 'a test');
    await closeFence(asRole(test.database, 'worker'), 'another one');
    assert.equal(await fenceOf(test.database), 'a test', 'the first reason stays');
    const open = 'UPDATE fence SET closed_at = NULL, reason = NULL';
    // What lifting writes beside it no process may write (test/db/forbidden.ts).
    for (const role of ['api', 'worker'] as const)
      await assert.rejects(asRole(test.database, role).query(open), /stays closed until it is lifted/);
    await assert.rejects(test.sql`UPDATE fence SET progress = -1`, /does not go back/);
    await liftFence(test.database, null);
    const step = await passFence(asRole(test.database, 'worker'), null);
    assert.notEqual(step, null, 'and a worker passes it');
  });

  it('is closed with a call for a person, also where the connection breaks right then', async () => {
    let statements = 0;
    const query = (text: string, values: unknown[]) => {
      statements += 1;
      return statements === 1 ? test.database.query(text, values) : Promise.reject(new ConnectionLost());
    };
    await closeFence({ query } as Queryable, 'a test').catch(() => {});
    assert.equal(await fenceOf(test.database), 'a test');
    assert.deepEqual(pick(await listAttention(test.database), 'subject', 'reason'), [
      ['postgres', 'restored'],
    ]);
  });

  it('takes no silence of a channel for a word about a decision while it is closed', async () => {
    const { id } = await handedOver(test.database, mobilePayoutRequest(1_000));
    await plantDecision(test.database, id, 'paid');
    await tryToEnd(test.database, id, { kind: 'notifications' });
    await closeFence(test.database, 'a test');
    const absent = { kind: 'never_arrived', afterDecision: true } as const;
    await assert.rejects(tryToEnd(test.database, id, absent), FenceClosed);
    assert.equal((await getDecision(test.database, id))?.answer, null);
  });

  it('lets nothing be sent, accepted, or decided from absence while it is closed', async () => {
    const merchant = await createMerchant(test.database, { balance: 100_000 });
    const { id } = await accepted(test.database, mobilePayoutRequest(1_000));
    await closeFence(test.database, 'a test');
    await assert.rejects(accept(test.database, submissionFor(merchant, pushRequest(5_000))), FenceClosed);
    await assert.rejects(recordSend(test.database, { transactionId: id, number: 1 }), FenceClosed);
    for (const kind of ['unsent', 'never_arrived'] as const)
      await assert.rejects(tryToEnd(test.database, id, { kind }), FenceClosed);
    assert.equal((await tryToEnd(test.database, id, { kind: 'cancel' })).status, 'pending');
    await plantDecision(test.database, id, 'failed');
    await assert.rejects(tryToEnd(test.database, id, { kind: 'notifications' }), FenceClosed);
    const payment = paymentOf('770000000049', 1_000, { refusalReturnsMoney: false });
    await assert.rejects(validateBillPayment(test.database, payment), FenceClosed);
    await assert.rejects(receiveBillPayment(test.database, payment), FenceClosed);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
  });

  it('takes the payment of a bill that is there: its customer’s money has moved', async () => {
    const { id } = await accepted(test.database, billRequest(25_000));
    const payment = paymentOf(await controlNumberOf(test.database, id), 25_000);
    await closeFence(test.database, 'a test');
    assert.equal((await validateBillPayment(test.database, payment)).outcome, 'accepted');
    assert.equal((await receiveBillPayment(test.database, payment)).outcome, 'accepted');
    assert.equal((await getTransaction(test.database, id))?.status, 'completed');
  });

  it('takes what was accepted before as possibly sent once it is lifted', async () => {
    const { id } = await accepted(test.database, mobilePayoutRequest(1_000));
    await closeFence(test.database, 'a test');
    await liftFence(test.database, null);
    const later = await accepted(test.database, mobilePayoutRequest(1_000));
    assert.deepEqual(await sendHistory(test.database, id), {
      last: 0,
      sends: 0,
      mayHaveArrived: true,
      answered: false,
      restored: true,
    });
    assert.equal((await sendHistory(test.database, later.id)).restored, false);
    for (const kind of ['unsent', 'cancel', 'cancelled_before'] as const) {
      assert.equal((await tryToEnd(test.database, id, { kind })).status, 'pending');
      assert.notEqual((await tryToEnd(test.database, later.id, { kind })).status, 'pending');
    }
  });

  it('leaves pending what a lost primary cancelled and this one may have sent or has a payment of', async () => {
    const { id: sent } = await handedOver(test.database, mobilePayoutRequest(1_000));
    const { id: billed } = await accepted(test.database, billRequest(25_000, { mode: 'flexible' }));
    const controlNumber = await controlNumberOf(test.database, billed);
    await receiveBillPayment(test.database, paymentOf(controlNumber, 1_000, { refusalReturnsMoney: false }));
    for (const id of [sent, billed])
      assert.equal((await tryToEnd(test.database, id, { kind: 'cancelled_before' })).status, 'pending');
  });

  it('gives events that are made anew another id, behind it and after it, and each step that runs again the same', async () => {
    const { id } = await accepted(test.database, billRequest(25_000, { mode: 'flexible' }));
    const bill = (await getTransaction(test.database, id)) as MerchantTransaction;
    const payment = { amount: minor(100_000), fee: minor(1_000) };
    const made = async () => {
      const eventId = await insertCallbackEvent(test.database, bill, 'payment.received', { payment });
      await test.sql`DELETE FROM callback_events WHERE id = ${eventId}`;
      return eventId;
    };
    const ids = [await made(), await made()];
    await closeFence(test.database, 'an older copy');
    ids.push(await made(), await made());
    await liftFence(test.database, null);
    ids.push(await made(), await made());
    assert.deepEqual(
      ids.map((one) => ids.indexOf(one)),
      [0, 0, 2, 2, 4, 4],
    );
    await assert.rejects(tryToEnd(test.database, randomUUID(), { kind: 'cancel' }), TransactionMissing);
  });
});
