import assert from 'node:assert/strict';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { matchAgain } from '../../src/reconciliation/import.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { controlNumberOf, paymentOf } from '../support/bill-customer.ts';
import { handedOver } from '../support/handed-over.ts';
import { billRequest, createMerchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { bankAccount, driftOf, importMoves, walletAccount } from '../support/statements-of-accounts.ts';
import { useLines } from './lines.ts';

describe('lines of a statement that come before our movements, or without them', () => {
  const { test, wallet, database, answer, classes, explained, items } = useLines();
  it('about a pending transaction settle nothing: they cause its enquiry and wait, and later match it', async () => {
    const push = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    const imported = await importMoves(database(), wallet, [
      { receipt: 'R1', amount: 1_000, reference: push.reference },
    ]);
    assert.deepEqual([imported.outcome.classes, imported.hinted], [{ waiting: 1 }, [push.id]]);
    assert.equal((await getTransaction(test.database, push.id))?.status, 'pending');
    assert.deepEqual(await matchAgain(database(), wallet), { explained: 0, hinted: [] }, 'it waits');
    await answer(push.id, succeeded(1_000, 'R1'));
    await matchAgain(database(), wallet);
    assert.deepEqual(await explained(), [['R1', 'receipt', 1]]);
    assert.deepEqual(await items(), []);
  });

  it('that name a live bill wait for its notification; what comes after the grace counts once, too', async () => {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, billRequest());
    await accept(test.database, submission);
    const number = await controlNumberOf(test.database, submission.transactionId);
    const shillings = 25_000;
    const line = { receipt: 'R1', amount: shillings, reference: number };
    assert.deepEqual(await classes([line]), { waiting: 1 });
    const payment = paymentOf(number, shillings, { receipt: 'R1', refusalReturnsMoney: false });
    const again = () => receiveBillPayment(test.database, payment);
    const graceless = walletAccount({ graceMs: 1 });
    await matchAgain(database(), graceless);
    assert.deepEqual(await items(), [['R1', null, shillings, true]]);
    assert.deepEqual([(await again()).outcome, (await again()).outcome], ['accepted', 'repeated']);
    assert.deepEqual(await items(), [['R1', null, shillings, false]], 'it is the payment of the bill');
    assert.equal(await driftOf(test.database, wallet), 0);
  });

  it('of a bank about another payment of the same bill are not the one that we have', async () => {
    const merchant = await createMerchant(test.database);
    await ensureServiceAccounts(test.database, ['bank'], 'TZS');
    const submission = submissionFor(merchant, billRequest(10_000, { mode: 'flexible' }));
    await accept(test.database, submission);
    const number = await controlNumberOf(test.database, submission.transactionId);
    const told = (receipt: string) =>
      receiveBillPayment(test.database, paymentOf(number, 5_000, { channel: 'bank', receipt }));
    assert.equal((await told('A')).outcome, 'accepted');
    const bank = bankAccount({ graceMs: 1 });
    const other = { receipt: 'B', amount: 5_000, reference: number, at: new Date(Date.now() - 180_000) };
    assert.deepEqual(await classes([other], bank), { theirs_only: 1 });
    assert.deepEqual(
      await classes([other, { receipt: 'A', amount: 5_000, reference: number, minutes: 1 }], bank),
      { receipt: 1 },
    );
    assert.equal((await told('B')).outcome, 'accepted');
    assert.deepEqual(await items(), [['B', null, 5_000, false]]);
    assert.equal(await driftOf(test.database, bank), 0);
  });

  it('of an accepted payment of a bill are that payment', async () => {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, billRequest());
    await accept(test.database, submission);
    const number = await controlNumberOf(test.database, submission.transactionId);
    await classes([{ receipt: 'R1', amount: 25_000, reference: number }]);
    assert.equal(
      (await receiveBillPayment(test.database, paymentOf(number, 25_000, { receipt: 'R1' }))).outcome,
      'accepted',
    );
    await matchAgain(database(), wallet);
    assert.deepEqual(await explained(), [['R1', 'receipt', 1]]);
  });
});
