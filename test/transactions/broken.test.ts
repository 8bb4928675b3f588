// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Cause } from '../../src/domain/ending.ts';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { assertAddsUp, wholeStatement } from '../ledger/statement-support.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, endTimeOf, payBill, paymentOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { answered, notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  qrRequest,
  refundRequest,
  submissionFor,
} from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';
import { plantPaidPush } from '../support/paid-push.ts';
import type { Database } from '../support/queryable.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { setRule, settlementFor } from '../support/settlement.ts';
import { withdraw } from '../support/withdraw.ts';

/** It is run again until it is known to have worked, as its callers do. */
type Write = (database: Database) => Promise<unknown>;
/** `lines`: what it adds to the statement, in TZS. */
type Row = [what: string, lines: string, prepare: () => Promise<Write>];

describe('what breaks with its connection at any statement', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  let phones = 10_000;

  const funded = (post: typeof topUp, shillings: number) => async (): Promise<Write> => {
    const { accountId } = merchant;
    const amount = minor(shillings * 100);
    const money = { accountId, amount, actor: 'test', dedupeKey: randomUUID() };
    return (database) => post(database, money);
  };
  async function accepted(request: MoneyRequest): Promise<string> {
    const submission = submissionFor(merchant, request);
    await accept(test.database, submission);
    return submission.transactionId;
  }
  /** One that may need a new block of control numbers, which is a statement more. */
  const billedAnew = (request: MoneyRequest) => async (): Promise<Write> => {
    const submission = submissionFor(await createMerchant(test.database), request);
    return async (database) => {
      const done = await accept(database, submission);
      const number = await controlNumberOf(test.database, submission.transactionId);
      assert.ok(done.answer.body.includes(number), 'the answer names the number that was stored');
      return done;
    };
  };
  const accepting = (request: () => MoneyRequest | Promise<MoneyRequest>) => async (): Promise<Write> => {
    const submission = submissionFor(merchant, await request());
    return (database) => accept(database, submission);
  };
  /** `sent`: its channel may have it. */
  const ending =
    (begin: () => Promise<string>, cause: (id: string) => Cause, { sent = false } = {}) =>
    async (): Promise<Write> => {
      const id = await begin();
      if (sent) await recordSend(test.database, { transactionId: id, number: 1 });
      return (database) => tryToEnd(database, id, cause(id));
    };
  const paid =
    (amount: number) =>
    (id: string): Cause => ({ kind: 'answer', result: succeeded(amount, id) });
  const failed = (): Cause => ({ kind: 'answer', result: failure('network_error') });

  const expired = (request: () => MoneyRequest) => async (): Promise<Write> => {
    const id = await accepted(request());
    await endTimeOf(test.database, id);
    return (database) => tryToEnd(database, id, { kind: 'expired' });
  };
  const told = (number: () => Promise<string>) => async (): Promise<Write> => {
    const payment = paymentOf(await number(), 25_000);
    return (database) => receiveBillPayment(database, payment);
  };
  const payout = () => accepted(mobilePayoutRequest(50_000));
  const returned = async (): Promise<Write> => {
    const id = await accepted(bankPayoutRequest(400_000));
    await answered(test.database, id, succeeded(400_000, id));
    const money = { amount: minor(40_000_000), currency: 'TZS', channelReference: null };
    return (database) =>
      notify(database, id, { kind: 'returned', reason: 'AC04', ...money }, { eventKey: `return-${id}` });
  };
  async function bill(amount: number) {
    const id = await accepted(billRequest(amount));
    return { id, number: await controlNumberOf(test.database, id) };
  }
  async function pageOfBill() {
    phones += 1;
    const { id: pays } = await bill(25_000);
    return accepted({ ...pushRequest(25_000, `2557540${phones}`), pays });
  }
  const settled = async (): Promise<Write> => {
    const submission = await settlementFor(test.database, merchant, { amount: 300, partMax: 100 });
    return (database) => accept(database, submission);
  };
  const paidPush = () => plantPaidPush(test.database, merchant, { msisdn: '255754123456' });
  const refundOfPush = async () => refundRequest(await paidPush(), { amount: 1_000 });
  const refund = async () => accepted(await refundOfPush());
  const refundOfBill = async () => {
    const { id, number } = await bill(5_000);
    await payBill(test.database, paymentOf(number, 5_000));
    return refundRequest(id, { amount: 1_000 });
  };
  const refundTooMuch = async () => {
    const id = await paidPush();
    await accepted(refundRequest(id));
    return refundRequest(id);
  };

  const rows: Row[] = [
    ['a top-up', 'top_up 700', funded(topUp, 700)],
    ['a withdrawal', 'withdrawal -300', funded(withdraw, 300)],
    ['a payout that is accepted', 'payout -50000, fee -1000', accepting(() => mobilePayoutRequest())],
    ['a payout that fails', 'payout_reversal 50000, fee 1000', ending(payout, failed)],
    ['a payout that is paid', '', ending(payout, paid(50_000))],
    ['a payout that a bank returns', 'return 400000', returned],
    [
      'a push that is paid',
      'payment 5000, fee -100',
      ending(() => accepted(pushRequest(5_000)), paid(5_000)),
    ],
    ['a bill that is accepted', '', billedAnew(billRequest())],
    ['a QR code that is accepted', '', billedAnew(qrRequest())],
    ['a bill whose time is over', '', expired(billRequest)],
    ['a QR code whose time is over', '', expired(qrRequest)],
    ['a payment of a bill', 'payment 25000, fee -375', told(async () => (await bill(25_000)).number)],
    [
      'a payment of a number',
      'payment 25000, fee -375',
      told(async () => (await makeNumber(test.database, merchant)).controlNumber),
    ],
    ['a push of a page that pays a bill', 'payment 25000, fee -375', ending(pageOfBill, paid(25_000))],
    ['a settlement in three parts', Array(3).fill('payout -100, fee -1').join(', '), settled],
    ['a refund of a push that is accepted', 'refund -1000, fee -300', accepting(refundOfPush)],
    ['a refund of a bill that is accepted', 'refund -1000, fee -300', accepting(refundOfBill)],
    ['a refund that is refused', '', accepting(refundTooMuch)],
    ['a refund that is paid', '', ending(refund, paid(1_000), { sent: true })],
    ['a refund that fails', 'payout_reversal 1000, fee 300', ending(refund, failed, { sent: true })],
    [
      'a refund that is cancelled',
      'payout_reversal 1000, fee 300',
      ending(refund, () => ({ kind: 'cancel' })),
    ],
  ];

  async function books() {
    const { accountId } = merchant;
    const statement = await wholeStatement(test.database, accountId);
    assertAddsUp(statement);
    const [counts] =
      await test.sql`SELECT count(*) AS transactions, count(*) FILTER (WHERE status = 'pending') AS pending,
        (SELECT count(*) FROM callback_events) AS events, (SELECT count(*) FROM idempotency_keys) AS answers,
        (SELECT count(*) FROM bills) AS bills, (SELECT count(*) FROM entries) AS entries FROM transactions`;
    const { reserved } = await balanceOf(test.database, accountId, 'TZS');
    const lines = statement.lines.map(({ type, amount }) => `${type} ${amount / 100}`);
    return { lines, numbers: { ...counts, reserved } as Record<string, number> };
  }
  type Books = Awaited<ReturnType<typeof books>>;
  const gained = (before: Books, after: Books) => ({
    lines: after.lines.slice(before.lines.length).join(', '),
    numbers: Object.entries(after.numbers).map(([name, now]) => [name, now - (before.numbers[name] ?? 0)]),
  });

  for (const [what, lines, prepare] of rows)
    for (const answerLost of [false, true])
      it(`${what}: all or none, and once when it is run again (${answerLost ? 'after' : 'before'} the statement)`, async () => {
        merchant = await createMerchant(test.database, { balance: 100_000_000 });
        await setRule(test.database, merchant, { keep: 0, smallest: 1, cap: 300 });
        await setOwnFees(test.database, merchant.accountId, { rows: { settlement: flat(1) } });
        const start = async () => {
          const write = await prepare();
          const before = await books();
          return { write, gain: async () => gained(before, await books()) };
        };
        const unbroken = await start();
        const none = await unbroken.gain();
        await unbroken.write(test.database);
        const all = await unbroken.gain();
        assert.equal(all.lines, lines);
        assert.notDeepEqual(all, none, 'it writes something');

        const seen: string[] = [];
        for (let at = 1, isBroken = true; isBroken; at += 1) {
          const { write, gain } = await start();
          const failing = failingDatabase(test.database, { at, answerLost });
          isBroken = await write(failing.database).then(
            () => false,
            (error) => {
              assert.ok(error instanceof ConnectionLost, String(error?.stack));
              return true;
            },
          );
          seen.push(isDeepStrictEqual(await gain(), none) ? 'none' : 'all');
          assert.deepEqual(await gain(), seen.at(-1) === 'none' ? none : all, `broken at ${at}`);
          const results = [await write(test.database), await write(test.database)];
          assert.deepEqual(await gain(), all, `broken at ${at}, then run again`);
          const [answer, again] = results.map((one) => (one as { answer?: object }).answer);
          assert.deepEqual(again, answer, 'the very same answer');
        }
        assert.ok(seen.length > 4, `${seen.length - 1} statements`);
        // Only the answer to COMMIT can be lost when it has happened; the last run broke nowhere.
        assert.equal(seen.indexOf('all'), seen.length - (answerLost ? 2 : 1), seen.join());
      }).timeout(120_000);

  after(async () => assert.deepEqual(await checkInvariants(test.database), []));
});
