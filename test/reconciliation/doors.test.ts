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
import { driftOf, importMoves, walletAccount } from '../support/statements-of-accounts.ts';

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

  const ofBill = async () => {
    const submission = submissionFor(merchant, billRequest(1_000));
    await accept(asRole(test.database, 'worker'), submission);
    return controlNumberOf(test.database, submission.transactionId);
  };
  const ofNumber = async () => (await makeNumber(test.database, merchant)).controlNumber;
  const ofNobody = async () => '77000000';
  const [R, none] = ['N5', null];
  type Shown = { receipt: string | null; told?: null; isNamed?: boolean };
  const shown: [string, () => Promise<string>, Shown][] = [
    ['a number, by its receipt alone', ofNumber, { receipt: R, isNamed: false }],
    ['a number, with its receipt', ofNumber, { receipt: R }],
    ['a number, without a receipt', ofNumber, { receipt: none }],
    ['a number, with a receipt that its door does not know', ofNumber, { receipt: R, told: none }],
    ['a bill, with its receipt', ofBill, { receipt: R }],
    ['a bill, without a receipt', ofBill, { receipt: none }],
    ['a bill, with a receipt that its door does not know', ofBill, { receipt: R, told: none }],
    ['a number of nobody, with its receipt', ofNobody, { receipt: R }],
    ['a number of nobody, without a receipt', ofNobody, { receipt: none }],
    ['a number of nobody, with a receipt that its door does not know', ofNobody, { receipt: R, told: none }],
  ];
  for (const [what, make, { receipt, told = R, isNamed = true }] of shown)
    for (const isLineFirst of [true, false])
      it(`counts once what is told ${isLineFirst ? 'while its line is booked' : 'when its line comes'}: ${what}`, async () => {
        const reference = await make();
        const line = { receipt, amount: 1_000, reference: isNamed ? reference : null, minutes: 25 * 60 };
        const payment = {
          ...paymentOf(reference, 1_000, { receipt: told ?? 'try-1', refusalReturnsMoney: false }),
          hasReceipt: told !== null,
        };
        const paused = beforeCommit(door());
        const [first, second] = isLineFirst ? [paused.database, door()] : [door(), paused.database];
        const imports = () => importMoves(first, account, [line]);
        const pays = () => receiveBillPayment(second, payment);
        const begun = isLineFirst ? imports() : pays();
        await paused.reached;
        const other = isLineFirst ? pays() : imports();
        await Promise.race([other, untilLockAwaited(test.database)]);
        paused.goOn();
        await Promise.all([begun, other]);
        const isNobodys = make === ofNobody;
        const paid = (await (isLineFirst ? other : begun)) as Awaited<ReturnType<typeof pays>>;
        assert.equal(paid.outcome, isNobodys ? 'suspended' : 'accepted');
        assert.deepEqual(await counts(), {
          movements: 1,
          items: isLineFirst || isNobodys ? 1 : 0,
          matches: 1,
        });
        const { outcome } = await receiveBillPayment(door(), payment);
        assert.equal(outcome, isNobodys ? 'suspended' : 'repeated');
        assert.equal(await driftOf(test.database, account), 0);
      });
});
