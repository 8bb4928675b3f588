// tests: slow
import assert from 'node:assert/strict';
import { InsufficientFunds } from '../../src/domain/errors.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { placeHold, releaseHold, takeHold } from '../../src/ledger/hold.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { insertTransaction, type Subject, setStatus, subjectOf } from './support.ts';

describe('many movements at once', () => {
  const test = useTestDatabase();

  const payout = (merchant: Merchant, value: Minor) =>
    subjectOf(merchant, 'payout', { value, fee: minor(100) });
  const hold = (merchant: Merchant, subject: Subject) =>
    inTransaction(test.database, async (db) => {
      await insertTransaction(db, merchant, subject);
      await placeHold(db, subject);
    });

  itRaced(
    test,
    20,
    'never overdraw: 200 holds with money for exactly 100 are 100 holds and 100 refusals',
    async () => {
      const merchant = await createMerchant(test.database, { balance: 100 * 51 });
      const oneHold = () =>
        hold(merchant, payout(merchant, minor(5_000))).catch((error) => {
          if (error instanceof InsufficientFunds) return error;
          throw error;
        });
      const results = await atOnce(20, test.database, times(200, oneHold));
      assert.equal(results.filter((result) => result instanceof InsufficientFunds).length, 100);
      assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), {
        current: 0,
        reserved: 100 * 5_100,
      });
      assert.deepEqual(await checkInvariants(test.database), []);
    },
  );

  itRaced(test, 20, 'end a hold once, when takings and releases race for it', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const subjects = Array.from({ length: 30 }, () => payout(merchant, minor(5_000)));
    for (const subject of subjects) await hold(merchant, subject);
    const end = (subject: Subject, move: typeof takeHold, status: 'paid' | 'failed') =>
      inTransaction(test.database, async (db) => {
        const moved = await move(db, subject);
        if (moved) await setStatus(db, subject, status);
        return moved;
      });
    const take = (subject: Subject) => () => end(subject, takeHold, 'paid');
    const release = (subject: Subject) => () => end(subject, releaseHold, 'failed');
    const ends = subjects.flatMap((one) => [take(one), release(one), take(one), release(one)]);
    const wins = await atOnce(20, test.database, ends);
    assert.equal(wins.filter(Boolean).length, subjects.length);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
    assert.deepEqual(await checkInvariants(test.database), []);
  });
});
