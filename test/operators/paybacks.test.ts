// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/ending.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { readStatement } from '../../src/ledger/statement.ts';
import type { SuspenseItem } from '../../src/ledger/suspense.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { takeUnattended } from '../../src/transactions/rescue/orphans.ts';
import { createTransactionList } from '../../src/transactions/rows/list.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { notify } from '../support/handed-over.ts';
import type { Merchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { attentionOf } from '../support/unexplained.ts';
import { openSuspenseDesk } from './suspense-desk.ts';

const VALUE = 500_00;
const paid = (receipt: string): Cause => ({ kind: 'answer', result: succeeded(500, receipt) });
const failed: Cause = { kind: 'answer', result: failure('recipient_not_found') };

describe('money in suspense that goes back to its payer', () => {
  const desk = openSuspenseDesk();
  const { suspended, toPayer, approve, itemOf } = desk;
  const settled = (id: string, cause: Cause, database: Database = asRole(desk.database, 'worker')) =>
    tryToEnd(database, id, cause);

  /** An item with its alarm, whose payback two operators agreed on. Returns the id of the payback. */
  async function agreed(item: SuspenseItem): Promise<string> {
    const { proposal, begin } = await approve(await toPayer(item));
    assert.equal(proposal.state, 'executed', proposal.outcome ?? '');
    assert.ok(begin);
    return begin;
  }
  async function late() {
    const { item, merchant } = await suspended();
    const push = item.transactionId ?? '';
    const about = { transactionId: push, thing: item.id };
    await raiseAttention(desk.database, { ...about, reason: 'late_success', detail: 'a test' });
    return { item, merchant, push };
  }
  /** What each account of the service gained since. */
  async function gainsSince<T>(work: () => Promise<T>): Promise<{ gains: number[]; done: T }> {
    const kinds = ['suspense', 'payable', 'clearing', 'fees'];
    const all = () => Promise.all(kinds.map((kind) => desk.onAccount(kind)));
    const before = await all();
    const done = await work();
    return { gains: (await all()).map((now, index) => now - (before[index] ?? 0)), done };
  }

  it('is payable until the payer has it, and its alarm ends with that', async () => {
    const { item, push } = await late();
    const { gains, done: id } = await gainsSince(() => agreed(item));
    assert.deepEqual(gains, [-VALUE, VALUE, 0, 0]);
    const payback = await getTransaction(desk.database, id);
    assert.ok(payback?.mode === 'payback');
    assert.deepEqual(
      [payback.msisdn, payback.channel, payback.amount, payback.fee, payback.accountId],
      ['255754123456', 'm-pesa', VALUE, 0, null],
    );
    const { release, paybacks } = await itemOf(item);
    assert.deepEqual([release?.kind, paybacks.map(({ status }) => status)], ['payback', ['pending']]);
    assert.equal((await attentionOf(desk.database, push)).length, 1, 'nobody has the money yet');

    const ended = await gainsSince(() => settled(id, paid('PB1')));
    assert.deepEqual(ended.gains, [0, -VALUE, VALUE, 0]);
    assert.deepEqual([ended.done.status, ended.done.events], ['paid', []]);
    assert.deepEqual(await settled(id, paid('PB1')), ended.done, 'run twice it changes nothing');
    const [left, ...others] = await attentionOf(desk.database, push);
    assert.deepEqual([left?.reason, others], ['unknown_outcome', []], 'the push itself waits on');
    assert.equal((await itemOf(item)).paybacks[0]?.status, 'paid');
    await assert.rejects(toPayer(item), /has left suspense already/);
  });

  for (const [what, cause] of [
    ['fails', failed],
    ['is cancelled before it is sent', { kind: 'cancel' }],
    ['was never sent', { kind: 'unsent' }],
  ] as const)
    it(`is in suspense again when its payout ${what}, and may go once more`, async () => {
      const { item, push } = await late();
      const id = await agreed(item);
      const { gains } = await gainsSince(() => settled(id, cause));
      assert.deepEqual(gains, [VALUE, -VALUE, 0, 0]);
      const { release, paybacks } = await itemOf(item);
      assert.deepEqual([release, paybacks[0]?.transactionId], [null, id]);
      assert.equal((await attentionOf(desk.database, push)).length, 1, 'a person is still to decide');
      const again = await agreed(item);
      await settled(again, paid(randomUUID()));
      const statuses = (await itemOf(item)).paybacks.map(({ status }) => status);
      assert.equal(statuses.length, 2);
      assert.equal(statuses[1], 'paid');
    });

  it('is not sent to a payer whom an earlier one reached while it waited: it fails, and its item stays', async () => {
    const { item } = await late();
    const first = await agreed(item);
    await settled(first, failed);
    const second = await agreed(item);
    await notify(asRole(desk.database, 'api'), first, succeeded(500, randomUUID()));
    const send = recordSend(asRole(desk.database, 'worker'), { transactionId: second, number: 1 });
    await assert.rejects(send, /says that its payer has the money already/);
    assert.equal((await settled(second, { kind: 'unsent' })).status, 'failed');
    await assert.rejects(toPayer(item), /is gone already/);
  });

  it('is no merchant’s: no balance, no line, no list and no callback has it', async () => {
    const { item, merchant } = await late();
    const seen = () => whatSees(desk.database, merchant);
    const before = await seen();
    const id = await agreed(item);
    await settled(id, paid(randomUUID()));
    assert.deepEqual(await seen(), before);
    const { rowCount } = await desk.database.query('SELECT FROM callback_events WHERE transaction_id = $1', [
      id,
    ]);
    assert.equal(rowCount, 0);
  });

  it('goes to whom the channel named with the receipt, also for no bill of ours', async () => {
    const payment = { ...paymentOf('770000000', 500, { refusalReturnsMoney: false }), controlNumber: null };
    await receiveBillPayment(asRole(desk.database, 'api'), { ...payment, msisdn: '255754000999' });
    const { rows } = await desk.database.query('SELECT id FROM suspense_items WHERE receipt = $1', [
      payment.receipt,
    ]);
    const shown = async () => (await attentionOf(desk.database, `test:${payment.receipt}`)).length;
    await settled(await agreed(await itemOf(rows[0])), failed);
    assert.equal(await shown(), 1, 'it is in suspense again');
    const id = await agreed(await itemOf(rows[0]));
    const payback = await getTransaction(desk.database, id);
    assert.ok(payback?.mode === 'payback');
    assert.equal(payback.msisdn, '255754000999');
    await settled(id, paid(randomUUID()));
    assert.equal(await shown(), 0);
  });

  it('is refused where there is nothing to give back, nobody to give it to, or no way', async () => {
    for (const [changes, why] of [
      [{ direction: 'payout' }, /is missing money: there is nothing to pay back/],
      [{ currency: 'USD' }, /Payouts are in TZS only/],
      [{ transactionId: null }, /The payer of si_\w+ is not known/],
      [{ channel: 'airtel-money' }, /The payer of si_\w+ is not known/],
    ] as const)
      await assert.rejects(toPayer((await suspended(changes)).item), why);
  });

  it('is resumed by the sweep while it is pending, and is sent under one number once', async () => {
    const { item } = await late();
    const id = await agreed(item);
    await desk.database.query("UPDATE transactions SET due_at = now() - interval '1 hour' WHERE id = $1", [
      id,
    ]);
    const taken = await takeUnattended(asRole(desk.database, 'worker'), 60_000);
    assert.deepEqual(
      taken.filter(({ mode }) => mode === 'payback').map((one) => one.id),
      [id],
    );
    const worker = asRole(desk.database, 'worker');
    const sends = await Promise.all([1, 2].map(() => recordSend(worker, { transactionId: id, number: 1 })));
    assert.equal(sends.filter((permit) => permit.granted).length, 1);
    await settled(id, paid(randomUUID()));
  });

  const NOTHING_BREAKS = { at: 0, answerLost: false };
  it('leaves once when the connection breaks at any statement of the approval', async () => {
    const whole = failingDatabase(asRole(desk.database, 'api'), NOTHING_BREAKS);
    await approve(await toPayer((await suspended()).item), whole.database);
    assert.ok(whole.statements() > 10, `${whole.statements()}`);
    for (let at = 1; at <= whole.statements(); at += 1)
      for (const answerLost of [false, true]) {
        const { item } = await suspended();
        const proposal = await toPayer(item);
        const failing = failingDatabase(asRole(desk.database, 'api'), { at, answerLost });
        await assert.rejects(approve(proposal, failing.database), ConnectionLost);
        await approve(proposal).catch((error) =>
          assert.match(error.message, /executed already \(decided by juma\)/),
        );
        const { release, paybacks } = await itemOf(item);
        assert.deepEqual([release?.kind, paybacks.length], ['payback', 1], `at ${at}`);
      }
  }).timeout(60_000);

  for (const [what, cause, left] of [
    ['paid', () => paid(randomUUID()), 'payback'],
    ['failed', () => failed, undefined],
  ] as const)
    it(`is ${what} once when the connection breaks at any statement of its settlement`, async () => {
      const worker = asRole(desk.database, 'worker');
      const whole = failingDatabase(worker, NOTHING_BREAKS);
      await settled(await agreed((await late()).item), cause(), whole.database);
      for (let at = 1; at <= whole.statements(); at += 1)
        for (const answerLost of [false, true]) {
          const { item } = await late();
          const id = await agreed(item);
          const how = cause();
          const { gains } = await gainsSince(async () => {
            const failing = failingDatabase(worker, { at, answerLost });
            await assert.rejects(settled(id, how, failing.database), ConnectionLost);
            await settled(id, how);
          });
          assert.deepEqual(gains, what === 'paid' ? [0, -VALUE, VALUE, 0] : [VALUE, -VALUE, 0, 0], `${at}`);
          assert.equal((await itemOf(item)).release?.kind, left, `at ${at}`);
        }
    }).timeout(60_000);

  /** As whoever has the password of the API process: open_payback is the one way by which it writes transactions. */
  async function forged(item: SuspenseItem) {
    const id = randomUUID();
    const push = await getTransaction(desk.database, item.transactionId ?? '');
    const timing = push?.timing ?? {};
    const { rows } = await asRole(desk.database, 'api').query(
      "SELECT open_payback($1, $2, $3, '255754666666', NULL, 'test', 'submissions:x', $4, interval '1 hour') AS opened",
      [id, item.id, `PO${id}`, timing],
    );
    return { id, opened: rows[0].opened as boolean };
  }

  it('is written down for an open item alone, once, says the database itself', async () => {
    const { item } = await suspended();
    await agreed(item);
    assert.equal((await forged(item)).opened, false);
    await assert.rejects(
      desk.database.query('UPDATE suspense_items SET left_by = NULL WHERE id = $1', [item.id]),
      /append-only/,
    );
  });

  it('is never sent where it was written down and nobody agreed on it', async () => {
    const { item } = await suspended();
    const { id, opened } = await forged(item);
    assert.equal(opened, true);
    assert.equal((await forged(item)).opened, false, 'one at a time');
    const worker = asRole(desk.database, 'worker');
    await assert.rejects(recordSend(worker, { transactionId: id, number: 1 }), /nobody agreed on it/);
    await assert.rejects(settled(id, failed), /has no item/);
    const { proposal } = await approve(await toPayer(item));
    assert.match(proposal.outcome ?? '', /has left suspense already/);
    await desk.database.query("UPDATE transactions SET status = 'cancelled' WHERE id = $1", [id]);
    await settled(await agreed(item), paid(randomUUID()));
  });
});

async function whatSees(database: Database, { accountId }: Merchant) {
  const whole = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  const { lines } = await readStatement(
    database,
    { accountId, currency: 'TZS', ...whole },
    { offset: 0, count: 100 },
  );
  const listed = await createTransactionList(database)({ accountId, filter: {}, page: 1, perPage: 50 });
  return {
    balance: await balanceOf(database, accountId, 'TZS'),
    lines: lines.length,
    listed: listed.items.map(({ id }) => id),
  };
}
