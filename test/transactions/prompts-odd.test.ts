// tests: one connection
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment, validateBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { unsignalledPaymentOf } from '../../src/transactions/rescue/orphans.ts';
import { findPage } from '../../src/transactions/rows/payable.ts';
import { accept } from '../support/accept.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { openBillDesk } from '../support/bill-desk.ts';
import { asRole } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { answered, notify } from '../support/handed-over.ts';
import { KNOWN_AS } from '../support/item-names.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { billRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import type { Database } from '../support/queryable.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { importMoves, walletAccount } from '../support/statements-of-accounts.ts';

/** Phones of M-Pesa, each of its own. */
let phones = 20_000;

describe('the money of a push of a page, told of otherwise than at first', () => {
  const desk = openBillDesk();
  const worker = () => asRole(desk.database, 'worker');
  const door = () => asRole(desk.database, 'api');

  async function ask(pays: string, amount = 25_000) {
    phones += 1;
    const submission = submissionFor(desk.merchant, { ...pushRequest(amount, `2557540${phones}`), pays });
    const { mine, answer } = await accept(worker(), submission);
    assert.equal(mine, true, answer.body);
    const rows = await desk.sql`SELECT reference FROM transactions WHERE id = ${submission.transactionId}`;
    return { id: submission.transactionId, reference: String(rows[0]?.reference) };
  }
  const pay = (id: string, receipt: string | null, amount = 25_000) =>
    answered(worker(), id, succeeded(amount, receipt));
  const decidePaid = async (id: string) => {
    await plantDecision(desk.database, id, 'paid');
    await tryToEnd(worker(), id, { kind: 'notifications' });
  };
  const bill = () => desk.bill(billRequest(25_000));
  const refund = async (id: string) =>
    (await accept(worker(), submissionFor(desk.merchant, refundRequest(id)))).answer.body;
  const items = async (receipt: string) => {
    const { rows } = await desk.database.query(
      `SELECT receipt, amount, is_open FROM (SELECT *, ${KNOWN_AS} FROM suspense_items) i WHERE $1 IN (receipt, known_as) OR starts_with(receipt, $1) ORDER BY created_at, id`,
      [receipt],
    );
    return rows.map((row) => [row.receipt, row.amount / 100, row.is_open]);
  };
  let lines = 0;
  /** The next statement: one payment of 25,000 TZS of the next day, whose grace is over. */
  const line = async (receipt: string, reference: string | null = null, over = door()) => {
    const account = walletAccount();
    const move = { receipt, amount: 25_000, reference, minutes: (30 - lines) * 24 * 60 };
    await importMoves(over, account, [move], lines * 25_000);
    lines += 1;
  };
  /** By which passes this line was explained. */
  const passOf = async (receipt: string) =>
    (
      await desk.sql`SELECT m.pass FROM line_matches m JOIN statement_lines l ON l.id = m.line_id
        WHERE l.receipt = ${receipt}`
    ).map(({ pass }) => pass);

  describe('given back by its channel', () => {
    it('is refunded no more: its payer has it', async () => {
      const { id: billId } = await bill();
      const { id } = await ask(billId);
      await pay(id, `R-${id}`);
      await notify(desk.database, id, {
        kind: 'returned',
        amount: minor(25_000_00),
        currency: 'TZS',
        reason: 'REVERSED',
        channelReference: null,
      });
      assert.match(await refund(billId), /refund_exceeds|not_refundable|refunded/);
    });

    it('is refunded no more where people had said that it was paid, and its channel that it failed', async () => {
      const { id: billId } = await bill();
      const { id } = await ask(billId);
      await decidePaid(id);
      assert.equal((await desk.stored(billId)).status, 'completed');
      const result = failure('customer_declined');
      await answered(worker(), id, result);
      assert.match(await refund(billId), /refund_exceeds|not_refundable|refunded/);
    });
  });

  describe('without a receipt', () => {
    it('is under our reference, never under the number of an acknowledgement', async () => {
      const { id: billId } = await bill();
      const { id, reference } = await ask(billId);
      await desk.sql`UPDATE transactions SET channel_reference = 'ACK' WHERE id = ${id}`;
      await pay(id, null);
      assert.equal((await desk.stored(billId)).channelReference, reference);
    });

    it('is the line of a statement that names the receipt which its channel named later', async () => {
      const { id: billId } = await bill();
      const { id } = await ask(billId);
      await decidePaid(id);
      await pay(id, 'R-LATER');
      await line('R-LATER');
      assert.deepEqual([await items('R-LATER'), await passOf('R-LATER')], [[], ['receipt']]);
    });

    it('is the line of a statement that names our reference, whatever receipt it has', async () => {
      const { id: billId } = await bill();
      const { id, reference } = await ask(billId);
      await decidePaid(id);
      await line('R-LINE', reference);
      assert.deepEqual([await items('R-LINE'), await passOf('R-LINE')], [[], ['reference']]);
    });

    it('counts once after a restore, in whichever order its names come', async () => {
      for (const first of ['push', 'payment'] as const) {
        const number = await makeNumber(desk.database, desk.merchant);
        const { id } = await ask(number.id, 3_000);
        const { id: copy, reference } = await ask(number.id, 3_000);
        await decidePaid(id);
        const told = await unsignalledPaymentOf(worker(), id);
        assert.equal(told?.payment.prompt, id);
        // What `recover` finds in a history is of a push that is pending again.
        const lost = { ...told.payment, receipt: reference, prompt: copy };
        const recover = () => receiveBillPayment(worker(), lost, { wasAccepted: true });
        const before = await desk.earned();
        if (first === 'payment') await recover();
        await pay(copy, `R-${copy}`, 3_000);
        const once = (await desk.earned()) - before;
        if (first === 'push') assert.equal((await recover()).outcome, 'repeated');
        assert.equal((await desk.earned()) - before, once);
        assert.ok(once > 0 && once < 300_000);
        assert.deepEqual([await items(reference), await items(`R-${copy}`)], [[], []]);
      }
    });
  });

  describe('that a statement showed first', () => {
    for (const named of [true, false])
      it(`is credited out of suspense, ${named ? 'under its receipt' : 'whatever its channel names it'}`, async () => {
        const { id: billId } = await bill();
        const { id, reference } = await ask(billId);
        await line(`S-${id}`, reference);
        assert.deepEqual(await items(`S-${id}`), [[`S-${id}`, 25_000, true]]);
        await pay(id, named ? `S-${id}` : null);
        const { status, channelReference, bill: paid } = await desk.stored(billId);
        assert.deepEqual(
          [status, channelReference, paid.paid],
          ['completed', named ? `S-${id}` : reference, 2_500_000],
        );
        assert.deepEqual(await items(`S-${id}`), [[`S-${id}`, 25_000, false]]);
        // Told again it changes nothing.
        await pay(id, `S-${id}`);
        assert.deepEqual(
          [await items(`S-${id}`), await desk.earned()],
          [[[`S-${id}`, 25_000, false]], 2_462_500],
        );
      });

    it('stays there, and its push ends, where a door refused its receipt before: a person is called', async () => {
      const { id: billId } = await bill();
      const { id, reference } = await ask(billId);
      const strange = paymentOf('77000000', 25_000, { receipt: `S-${id}` });
      assert.equal((await receiveBillPayment(door(), strange)).outcome, 'refused');
      await line(`S-${id}`, reference);
      for (const _ of [1, 2]) assert.equal((await pay(id, `S-${id}`)).status, 'completed');
      assert.deepEqual(await items(`S-${id}`), [[`S-${id}`, 25_000, true]]);
      assert.deepEqual([(await desk.stored(billId)).bill.paid, await desk.earned()], [0, 0]);
      assert.deepEqual(await desk.reasonsOf(id), ['unexpected_payment']);
    });

    it('is a payment of a number too', async () => {
      const number = await makeNumber(desk.database, desk.merchant);
      const { id, reference } = await ask(number.id);
      await line(`S-${id}`, reference);
      await pay(id, `S-${id}`);
      assert.deepEqual(await items(`S-${id}`), [[`S-${id}`, 25_000, false]]);
      assert.ok((await desk.earned()) > 2_000_000);
    });

    for (const named of [true, false])
      it(`stays there once where its bill was paid meanwhile (${named ? 'with' : 'without'} a receipt)`, async () => {
        const { id: billId, number } = await bill();
        const { id, reference } = await ask(billId);
        await line(`S-${id}`, reference);
        await receiveBillPayment(door(), paymentOf(number, 25_000, { refusalReturnsMoney: false }));
        await pay(id, named ? `S-${id}` : null);
        assert.deepEqual([await items(`S-${id}`), await items(reference)], [[[`S-${id}`, 25_000, true]], []]);
        assert.equal(await desk.earned(), 2_462_500);
        assert.equal((await findPage(door(), [id]))?.prompt?.fate, 'held');
      });
  });

  it('ends while its line is explained, and neither is undone for the other', async () => {
    const { id: billId } = await bill();
    const { id } = await ask(billId);
    let undone = 0;
    let reach = () => {};
    let goOn = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const watched = (database: Database, stop: RegExp | null) =>
      beforeStatements(database, async (_on, query) => {
        const text = typeof query === 'string' ? query : query.text;
        if (text === 'ROLLBACK') undone += 1;
        if (!stop?.test(text)) return;
        reach();
        await released;
      });
    const result = succeeded(25_000, 'RACE');
    const ended = answered(watched(worker(), /INSERT INTO transfers/), id, result);
    await reached;
    const explained = line('RACE', null, watched(door(), null));
    await untilLockAwaited(desk.database);
    goOn();
    await Promise.all([ended, explained]);
    assert.equal(undone, 0);
    assert.equal((await desk.stored(billId)).status, 'completed');
    assert.equal((await passOf('RACE')).length, 1);
  });

  it('waits where its receipt is known for other money: a person is called', async () => {
    const other = await bill();
    const receipt = `K-${other.id}`;
    await receiveBillPayment(door(), paymentOf(other.number, 25_000, { receipt }));
    const { id: billId } = await bill();
    const { id } = await ask(billId);
    await pay(id, receipt);
    await pay(id, receipt);
    assert.deepEqual([await items(receipt), await desk.earned()], [[], 2_462_500]);
    assert.equal((await findPage(door(), [id]))?.prompt?.status, 'pending');
    assert.deepEqual(await desk.sql`SELECT reason FROM attention WHERE transaction_id = ${id}`, [
      { reason: 'receipt_mismatch' },
    ]);
    await pay(id, `${receipt}-own`);
    assert.equal((await findPage(door(), [id]))?.prompt?.status, 'completed');
  });

  describe('keeps its bill while its payer is asked', () => {
    const until = async (billId: string) => {
      const rows = await desk.sql`SELECT claimed_until > now() + interval '4 minutes' AS long FROM bills
          WHERE transaction_id = ${billId}`;
      return rows[0]?.long;
    };
    const cancel = async (billId: string) => (await tryToEnd(worker(), billId, { kind: 'cancel' })).status;
    /** Its prompts live for five minutes, and it is asked for longer ago than that. */
    async function old() {
      const { id: billId, number } = await bill();
      const { id } = await ask(billId);
      await desk.sql`UPDATE transactions
        SET created_at = now() - interval '6 minutes', timing = timing || '{"promptMs": 300000}'
        WHERE id = ${id}`;
      return { id, billId, number };
    }

    it('whatever shorter claim its own payer makes at the door', async () => {
      const { id, billId, number } = await old();
      await recordSend(worker(), { transactionId: id, number: 1 });
      const msisdn = `2557540${phones}`;
      const { outcome } = await validateBillPayment(door(), paymentOf(number, 25_000, { msisdn }));
      assert.deepEqual([outcome, await until(billId)], ['accepted', true]);
    });

    it('from when it is sent, not from when it was asked for', async () => {
      const { id, billId, number } = await old();
      await desk.endClaims();
      await recordSend(worker(), { transactionId: id, number: 1 });
      assert.equal(await until(billId), true);
      const stranger = await validateBillPayment(door(), paymentOf(number, 25_000));
      assert.equal(stranger.outcome, 'refused');
      await desk.endClaims();
      assert.equal(await cancel(billId), 'pending');
      await desk.sql`UPDATE transactions SET prompt_expires_at = now() WHERE id = ${id}`;
      assert.equal(await cancel(billId), 'cancelled');
    });
  });
});
