// tests: slow
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { getSuspenseItem } from '../../src/ledger/suspense.ts';
import { postRelease } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { lockAccount } from '../../src/reconciliation/closed-days.ts';
import { refusePaidTwice } from '../../src/transactions/care/decisions.ts';
import { oppositeAgainst } from '../../src/transactions/odd-money/opposites.ts';
import { refundsSoFar } from '../../src/transactions/odd-money/refunds.ts';
import { takeLateSuccess } from '../../src/transactions/odd-money/suspense.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { plantProposal } from '../support/decision.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { KNOWN_AS } from '../support/item-names.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { mobilePayoutRequest, pushRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import {
  driftOf,
  importMoves,
  importOf,
  type Move,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';
import { useReconciliation } from './desk.ts';

const DAY = 24 * 60;

describe('what a void statement booked', () => {
  const { test, desk, wallet, bank, voided } = useReconciliation();
  const imported = (moves: readonly Move[], account = wallet) => importMoves(test.database, account, moves);
  const fail = (id: string) => answered(test.database, id, failure('account_blocked'));

  it('hides no refund that was paid all the same', async () => {
    const { id: payment, merchant } = await handedOver(test.database, pushRequest(1_000));
    await answered(test.database, payment, succeeded(1_000, 'R0'));
    const { transactionId: refund, ...rest } = submissionFor(merchant, refundRequest(payment));
    await accept(test.database, { transactionId: refund, ...rest });
    await fail(refund);
    const { reference } = (await getTransaction(test.database, refund)) ?? assert.fail();
    const paid = { receipt: 'R0', amount: 1_000 };
    const wrong = await imported([paid, { receipt: 'X', amount: 1_000, reference }]);
    await voided(wrong.id);
    await imported([paid, { receipt: 'X', amount: -1_000, reference }]);
    const part = { number: null, channel: 'm-pesa', receipt: 'R0', msisdn: null, fullName: null };
    const of = { payment, part: { ...part, amount: minor(1_000_00), paidAt: new Date().toISOString() } };
    assert.equal((await refundsSoFar(test.database, of)).refunded, 1_000_00);
  });

  it('of an account that the channels file names no more is alone with that account, too', async () => {
    const gone = walletAccount({ id: 'gone', group: 'gone', theirs: '999' });
    const { id } = await imported([{ receipt: 'F', amount: -5, kind: 'fee' }], gone);
    const other = await test.database.connect();
    await other.query('BEGIN');
    await lockAccount(other, gone.id);
    const done = voided(id);
    await untilLockAwaited(test.database);
    await other.query('ROLLBACK');
    other.release();
    assert.match(await done, /is void: 1 movement taken back/);
  });

  it('is no money that was released, where people decide that its transaction is paid', async () => {
    const { id, reference } = await handedOver(test.database, pushRequest(1_000));
    const impatient = { ...wallet, graceMs: 0 };
    const wrong = await imported([{ receipt: 'X', amount: 700, reference }], impatient);
    await assert.rejects(refusePaidTwice(test.database, id), /let that item leave suspense first/);
    await voided(wrong.id);
    await refusePaidTwice(test.database, id);
  });

  it('forbids no item its way out', async () => {
    const { id: transactionId, reference } = await handedOver(test.database, mobilePayoutRequest(1_000));
    await fail(transactionId);
    const wrong = await imported([{ receipt: 'X', amount: -1_000, reference }]);
    const returned = { id: 'si_1', transactionId, amount: minor(1_000_00) };
    assert.ok(await oppositeAgainst(test.database, returned, { to: 'us' }));
    await voided(wrong.id);
    assert.equal(await oppositeAgainst(test.database, returned, { to: 'us' }), null);
  });

  it('is taken back, where both halves of a sweep are on one ledger account', async () => {
    const other = ['m-pesa-2', 'clearing:m-pesa:TZS'] as const;
    const near = { ...wallet, others: new Map([other]) };
    const wrong = await imported([{ receipt: 'S', amount: -200, kind: 'sweep', sweepTo: 'm-pesa-2' }], near);
    assert.deepEqual(wrong.outcome.classes, { sweep: 1 });
    assert.match(await voided(wrong.id), /is void: 1 movement taken back/);
    const rows = await test.sql`SELECT m.account, sum(e.amount)::bigint AS sum
        FROM movements m JOIN entries e ON e.movement_id = m.id GROUP BY 1 ORDER BY 1`;
    assert.deepEqual(pick(rows, 'account', 'sum'), [
      ['m-pesa', 0],
      ['m-pesa-2', 0],
    ]);
    assert.equal(await driftOf(test.database, near), 0);
  });

  it('stays, where people decide about an item of it at the same moment', async () => {
    const wrong = await imported([{ receipt: 'X', amount: 10 }]);
    const proposal = await desk.cli('asha', 'statements', 'void', wrong.id, '--note', 'it is forged');
    const rows = await test.sql`SELECT id FROM suspense_items`;
    const item = (await getSuspenseItem(test.database, rows[0]?.id)) ?? assert.fail();
    const { voiding } = await inTransaction(test.database, async (db) => {
      const proposalId = await plantProposal(test.database, 'suspense.write-off');
      await postRelease(db, item, { to: 'us', proposalId, note: 'a test' });
      const answer = desk.approve('juma', proposal).then(String, (error: Error) => error.message);
      await untilLockAwaited(test.database);
      return { voiding: answer };
    });
    assert.match(await voiding, new RegExp(`Operators have decided about ${item.id}`));
  });

  it('names no item that was there without it, unless its channel says so, too', async () => {
    const late = async (id: string, receipt: string | null) => {
      const transaction = (await getTransaction(test.database, id)) ?? assert.fail();
      await inTransaction(test.database, (db) => takeLateSuccess(db, transaction, succeeded(1_000, receipt)));
      return transaction.reference;
    };
    const [{ id: one }, { id: other }] = [
      await handedOver(test.database, pushRequest(1_000)),
      await handedOver(test.database, pushRequest(1_000)),
    ];
    for (const id of [one, other]) await fail(id);
    const [reference, confirmed] = [await late(one, null), await late(other, null)];
    const wrong = await imported([
      { receipt: 'W1', amount: 1_000, reference },
      { receipt: 'W2', amount: 1_000, reference: confirmed },
    ]);
    await late(other, 'W2');
    await voided(wrong.id);
    const right = await imported([
      { receipt: 'T1', amount: 1_000, reference },
      { receipt: 'W2', amount: 1_000 },
    ]);
    assert.deepEqual(right.outcome.classes, { receipt: 1, reference: 1 });
    const { rows } = await test.database.query(`SELECT ${KNOWN_AS} FROM suspense_items ORDER BY known_as`);
    assert.deepEqual(pick(rows, 'known_as'), ['T1', 'W2']);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  describe('of a sweep, and the other account has a statement, too', () => {
    const half: Move = { receipt: 'S', amount: -200, kind: 'sweep', sweepTo: 'bank', minutes: 5 };
    const fees: Move[] = [
      { receipt: 'F1', amount: -5, kind: 'fee', minutes: DAY },
      { receipt: 'F2', amount: -5, kind: 'fee', minutes: 4 },
    ];
    const open = async () =>
      JSON.parse((await desk.cli('asha', '--json', 'lines')).join('')).lines.map(
        ({ id }: { id: string }) => id,
      );

    it('leaves no half: none is open, and no line is that one', async () => {
      const wrong = await imported([half]);
      await imported(fees, bank);
      assert.match((await open()).join(), /^en_\d+$/);
      await voided(wrong.id);
      assert.deepEqual(await open(), []);
      const other: Move = { receipt: 'B', amount: 200, kind: 'sweep', sweepTo: 'm-pesa', minutes: 0 };
      const period = { from: new Date(Date.now() - 120_000), to: new Date(Date.now() + 60_000) };
      const later = { ...statementOf(bank, -10, [other]), period };
      const shown = await importOf(test.database, bank, later);
      assert.deepEqual(shown.outcome.classes, { sweep: 1 });
      await imported([half]);
      assert.deepEqual(await open(), []);
      assert.deepEqual([await driftOf(test.database, wallet), await driftOf(test.database, bank)], [0, 0]);
    });

    it('stays, where people corrected the other half', async () => {
      const wrong = await imported([half]);
      await imported(fees, bank);
      const [entry] = await open();
      await desk.agree('lines', 'ours', entry, '--note', 'n');
      await assert.rejects(voided(wrong.id), new RegExp(`Operators have decided about ${entry}`));
    });
  });
});
