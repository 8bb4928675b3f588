import assert from 'node:assert/strict';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { setNumberStatus } from '../../src/transactions/rows/number-store.ts';
import { accept } from '../support/accept.ts';
import { beforeCommit } from '../support/before-statements.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from '../support/merchant.ts';
import { makeNumber } from '../support/numbers.ts';
import {
  driftOf,
  importMoves,
  importOf,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';

describe('a statement that shows the payments of standing numbers and bills', () => {
  const account = walletAccount();
  const test = useTestDatabase({ each: true, poolMax: 12 });
  let merchant: Merchant;
  const door = () => asRole(test.database, 'api');
  const counts = async () => {
    const rows =
      await test.sql`SELECT (SELECT count(*) FROM movement_entries WHERE book = ANY(${account.proves}))::int AS movements,
         (SELECT count(*) FROM suspense_items)::int AS items, (SELECT count(*) FROM line_matches)::int AS matches`;
    return rows[0];
  };
  beforeEach(async () => {
    merchant = await createMerchant(test.database);
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  it('waits for their notifications within the grace, and then is them', async () => {
    const { controlNumber: reference } = await makeNumber(test.database, merchant);
    await importMoves(door(), account, [{ receipt: 'N1', amount: 1_000, reference, minutes: 5 }]);
    assert.deepEqual(await counts(), { movements: 0, items: 0, matches: 0 });
    const decision = await receiveBillPayment(door(), paymentOf(reference, 1_000, { receipt: 'N1' }));
    assert.equal(decision.outcome, 'accepted');
    await matchAgain(door(), account);
    assert.deepEqual(await counts(), { movements: 1, items: 0, matches: 1 });
  });

  it('waits for nothing that a closed number was paid, or after the grace', async () => {
    const { id, controlNumber, accountId } = await makeNumber(test.database, merchant);
    const other = await makeNumber(test.database, merchant);
    await setNumberStatus(door(), { id, accountId, status: 'closed' });
    const moves = [
      { receipt: 'N2', amount: 1_000, reference: other.controlNumber, minutes: 25 * 60 },
      { receipt: 'N3', amount: 1_000, reference: controlNumber, minutes: 5 },
    ];
    await importMoves(door(), account, moves);
    assert.deepEqual(await counts(), { movements: 2, items: 2, matches: 2 });
  });

  it('counts a payment once that is notified while its line is imported, whichever commits first', async () => {
    const { controlNumber } = await makeNumber(test.database, merchant);
    const statement = statementOf(account, 0, [{ receipt: 'N4', amount: 1_000, minutes: 5 }]);
    const payment = paymentOf(controlNumber, 1_000, { receipt: 'N4' });
    const paused = beforeCommit(door());
    const paid = receiveBillPayment(paused.database, payment);
    await paused.reached;
    const imported = importOf(door(), account, statement);
    await Promise.race([imported, untilLockAwaited(test.database)]);
    paused.goOn();
    assert.equal((await paid).outcome, 'accepted');
    await imported;
    assert.deepEqual(await counts(), { movements: 1, items: 0, matches: 1 });
    assert.equal(await driftOf(test.database, account), 0);
  });

  const ofBill = async () => {
    const submission = submissionFor(merchant, billRequest(1_000));
    await accept(asRole(test.database, 'worker'), submission);
    return controlNumberOf(test.database, submission.transactionId);
  };
  const ofNumber = async () => (await makeNumber(test.database, merchant)).controlNumber;
  const shown = [
    ['a number, by its receipt alone', 'N5', ofNumber, false],
    ['a number, with its receipt', 'N5', ofNumber],
    ['a number, without a receipt', null, ofNumber],
    ['a bill, with its receipt', 'N5', ofBill],
    ['a bill, without a receipt', null, ofBill],
  ] as const;
  for (const [what, receipt, make, isNamed = true] of shown)
    it(`takes the item of its line where a payment is notified while that is booked: ${what}`, async () => {
      const reference = await make();
      const line = { receipt, amount: 1_000, reference: isNamed ? reference : null, minutes: 25 * 60 };
      const paused = beforeCommit(door());
      const imported = importMoves(paused.database, account, [line]);
      await paused.reached;
      const paid = receiveBillPayment(door(), paymentOf(reference, 1_000, { receipt: 'N5' }));
      await Promise.race([paid, untilLockAwaited(test.database)]);
      paused.goOn();
      await imported;
      assert.equal((await paid).outcome, 'accepted');
      assert.deepEqual(await counts(), { movements: 1, items: 1, matches: 1 });
      assert.equal(await driftOf(test.database, account), 0);
    });
});
