import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import type { MoneyRequest } from '../../src/domain/operation.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { handedOver, type Started } from '../support/handed-over.ts';
import { mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  digestOf,
  driftOf,
  importMoves,
  importOf,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

describe('lines of a statement and our movements', () => {
  const { test, wallet, database, answer, classes, explained, items } = useLines();

  async function done(request: MoneyRequest, receipt: string | null, shillings = 1_000): Promise<Started> {
    const started = await handedOver(test.database, request, { balance: 100_000 });
    await answer(started.id, succeeded(shillings, receipt));
    return started;
  }

  it('are found by receipt, by our reference, and by nothing less', async () => {
    await done(pushRequest(1_000), 'R1');
    const payout = await done(mobilePayoutRequest(1_000), null);
    const other = await done(pushRequest(1_000), 'R3');
    assert.deepEqual(
      await classes([
        { receipt: 'R1', amount: 1_000 },
        { receipt: 'R2', amount: -1_000, reference: payout.reference },
        // Another receipt is another movement, whatever it refers to.
        { receipt: 'R4', amount: 1_000, reference: other.reference },
        { receipt: null, amount: 1_000 },
      ]),
      { receipt: 1, reference: 1, theirs_only: 2 },
    );
    const digest = await digestOf(test.database);
    await matchAgain(database(), wallet);
    assert.equal(await digestOf(test.database), digest, 'run twice it changes nothing');
    assert.equal(await driftOf(test.database, wallet), 100_000, 'R3 has no line yet');
  });

  it('of one receipt and kind are one; the second is in suspense', async () => {
    await done(pushRequest(1_000), 'R1');
    assert.deepEqual(
      await classes([
        { receipt: 'R1', amount: 1_000 },
        { receipt: 'R1', amount: 1_000 },
        { receipt: 'R1', amount: -15, kind: 'fee' },
      ]),
      { charge: 1, receipt: 1, twice: 1 },
    );
    const { rows } = await test.database.query('SELECT max(to_at) AS until FROM statements');
    const [from, to] = [new Date(rows[0].until), new Date()];
    const later = statementOf(wallet, 1_985, [{ receipt: 'r 1', amount: 1_000, at: from }]);
    const { outcome } = await importOf(database(), wallet, { ...later, period: { from, to } });
    assert.deepEqual(outcome.classes, { twice: 1 }, 'however it is spelled');
    const item = ['line:', null, 1_000, true];
    assert.deepEqual(await items(), [item, item]);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  for (const receipt of ['R#payment#2', 'line:0123456789abcdef', 'opening:m-pesa'])
    it(`keep no file out whose receipts look like names of ours: ${receipt}`, async () => {
      const odd = [
        { receipt, amount: 5 },
        { receipt: 'R', amount: 7 },
        { receipt: 'R', amount: 7 },
        { receipt: null, amount: 3 },
      ];
      const { outcome } = await importMoves(database(), wallet, odd, 100);
      assert.deepEqual(outcome.classes, { opening: 1, theirs_only: 3, twice: 1 });
      assert.equal((await items()).length, 5);
      assert.equal(await driftOf(test.database, wallet), 0);
    });

  it('that differ are one, with the difference in suspense', async () => {
    await done(pushRequest(1_000), 'R1');
    await done(mobilePayoutRequest(1_000), 'R2');
    assert.deepEqual(
      await classes([
        { receipt: 'R1', amount: 980 },
        { receipt: 'R2', amount: 500 },
      ]),
      { differs: 2 },
    );
    assert.deepEqual(await explained(), [
      ['R1', 'differs', 2],
      ['R2', 'differs', 2],
    ]);
    assert.deepEqual(await items(), [
      ['line:', null, -20, true],
      ['line:', null, 1_500, true],
    ]);
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('told with another amount after they were imported are changed: nothing is booked, and they stay open', async () => {
    await classes([{ receipt: 'R1', amount: 1_000, minutes: 30 }]);
    const before = await items();
    const later = statementOf(wallet, 1_000, [{ receipt: 'R1', amount: 900, minutes: 5 }]);
    const period = { from: new Date(Date.now() - 10 * 60_000), to: new Date() };
    assert.deepEqual((await importOf(database(), wallet, { ...later, period })).outcome.classes, {
      changed: 1,
    });
    assert.deepEqual(await items(), before);
  });

  it('that are charges are booked by themselves up to the ceiling of a day', async () => {
    const account = walletAccount({ chargeCeiling: minor(5_000) });
    assert.deepEqual(
      await classes(
        [
          { receipt: null, amount: -30, kind: 'tax' },
          { receipt: 'F1', amount: -20, kind: 'fee' },
          { receipt: 'F2', amount: -1, kind: 'fee' },
          { receipt: 'F3', amount: 5, kind: 'fee' },
        ],
        account,
      ),
      { charge: 2, theirs_only: 2 },
    );
    assert.deepEqual(await items(), [
      ['F2', null, -1, true],
      ['F3', null, 5, true],
    ]);
  });

  it('given back are found by the original that they name, and else keep whose they are', async () => {
    const payment = await done(pushRequest(1_000), 'R1');
    const outcome = await classes([
      { receipt: 'R1', amount: 1_000 },
      { receipt: 'V1', amount: -1_000, kind: 'reversal', names: ['R1'] },
    ]);
    assert.deepEqual(outcome, { receipt: 1, theirs_only: 1 });
    const rows = await test.sql`SELECT transaction_id FROM suspense_items WHERE receipt = 'V1'`;
    assert.equal(rows[0].transaction_id, payment.id);
  });
});
