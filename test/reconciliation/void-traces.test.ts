// tests: slow
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/books/invariants.ts';
import { minor } from '../../src/domain/money.ts';
import { accept } from '../../src/transactions/acceptance/accept.ts';
import { refusePaidTwice } from '../../src/transactions/care/decisions.ts';
import { settle } from '../../src/transactions/ending/settle.ts';
import { oppositeAgainst } from '../../src/transactions/odd-money/opposites.ts';
import { refundsSoFar } from '../../src/transactions/odd-money/refunds.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { handedOver } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  driftOf,
  importOf,
  type Move,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';

describe('what a void statement booked', () => {
  // Before the database of the test goes.
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const { test, desk } = useOperatorDesk({ each: true });

  const wallet = walletAccount({ theirs: '600100' });
  const voided = async (id: string) =>
    (
      await desk.approve('juma', await desk.cli('asha', 'statements', 'void', id, '--note', 'it is forged'))
    ).join('\n');
  const importMoves = (moves: readonly Move[], account = wallet) =>
    importOf(test.database, account, statementOf(account, 0, moves));
  const fail = (id: string) =>
    settle(test.database, id, {
      kind: 'answer',
      result: { kind: 'failed', code: 'account_blocked', channelReference: null },
    });

  it('hides no refund that was paid all the same', async () => {
    const { id: payment, merchant } = await handedOver(test.database, pushRequest(1_000));
    await settle(test.database, payment, { kind: 'answer', result: succeeded(1_000, 'R0') });
    const { transactionId: refund, ...rest } = submissionFor(merchant, refundRequest(payment));
    await accept(test.database, { transactionId: refund, ...rest });
    await fail(refund);
    const { reference } = (await getTransaction(test.database, refund)) ?? assert.fail();
    const paid = { receipt: 'R0', amount: 1_000 };
    const wrong = await importMoves([paid, { receipt: 'X', amount: 1_000, reference }]);
    await voided(wrong.id);
    await importMoves([paid, { receipt: 'X', amount: -1_000, reference }]);
    const part = { number: null, channel: 'm-pesa', receipt: 'R0', msisdn: null, fullName: null };
    const of = { payment, part: { ...part, amount: minor(1_000_00), paidAt: new Date().toISOString() } };
    assert.equal((await refundsSoFar(test.database, of)).refunded, 1_000_00);
  });

  it('is no money that was released, where people decide that its transaction is paid', async () => {
    const { id, reference } = await handedOver(test.database, pushRequest(1_000));
    const impatient = { ...wallet, graceMs: 0 };
    const wrong = await importMoves([{ receipt: 'X', amount: 700, reference }], impatient);
    await assert.rejects(refusePaidTwice(test.database, id), /let that item leave suspense first/);
    await voided(wrong.id);
    await refusePaidTwice(test.database, id);
  });

  it('forbids no item its way out', async () => {
    const { id: transactionId, reference } = await handedOver(test.database, mobilePayoutRequest(1_000));
    await fail(transactionId);
    const wrong = await importMoves([{ receipt: 'X', amount: -1_000, reference }]);
    const returned = { id: 'si_1', receipt: 'return:1', transactionId, amount: minor(1_000_00) };
    assert.ok(await oppositeAgainst(test.database, returned, { to: 'us' }));
    await voided(wrong.id);
    assert.equal(await oppositeAgainst(test.database, returned, { to: 'us' }), null);
  });

  it('is taken back, where both halves of a sweep are on one ledger account', async () => {
    const other = ['m-pesa-2', 'clearing:m-pesa:TZS'] as const;
    const near = { ...wallet, others: new Map([other]) };
    const wrong = await importMoves(
      [{ receipt: 'S', amount: -200, kind: 'sweep', sweepTo: 'm-pesa-2' }],
      near,
    );
    assert.deepEqual(wrong.outcome.classes, { sweep: 1 });
    assert.match(await voided(wrong.id), /is void: 1 movements are taken back/);
    const { rows } = await test.database.query(
      `SELECT o.account, sum(e.amount)::bigint AS sum FROM entry_accounts o JOIN entries e ON e.id = o.entry_id GROUP BY 1 ORDER BY 1`,
    );
    assert.deepEqual(
      rows.map(({ account, sum }) => [account, sum]),
      [
        ['m-pesa', 0],
        ['m-pesa-2', 0],
      ],
    );
    assert.equal(await driftOf(test.database, near), 200_00);
  });
});
