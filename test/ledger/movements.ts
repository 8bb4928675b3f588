import { randomUUID } from 'node:crypto';
import { minor } from '../../src/domain/money.ts';
import { placeHold, type takeHold } from '../../src/ledger/hold.ts';
import { postCollection } from '../../src/ledger/movement.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { Merchant } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { insertTransaction, type Subject, setStatus } from './support.ts';

/** Minor units. */
export const money = (value: number, fee: number) => ({ value: minor(value), fee: minor(fee) });

/** Every movement of a merchant's money, each in a database transaction of its own with what must be true beside it. */
export function movementsOn(database: () => Database) {
  return {
    /** `amount` in minor units */
    fund: (merchant: Merchant, amount: number, move: typeof topUp = topUp) =>
      move(database(), {
        accountId: merchant.accountId,
        amount: minor(amount),
        actor: 'test',
        dedupeKey: randomUUID(),
      }),
    hold: (merchant: Merchant, subject: Subject) =>
      inTransaction(database(), async (db) => {
        await insertTransaction(db, merchant, subject);
        await placeHold(db, subject);
      }),
    collect: (merchant: Merchant, subject: Subject) =>
      inTransaction(database(), async (db) => {
        await insertTransaction(db, merchant, subject);
        await setStatus(db, subject, 'completed');
        await postCollection(db, { ...subject, receipt: 'QX7' });
      }),
    end: (subject: Subject, move: typeof takeHold, status: 'paid' | 'failed') =>
      inTransaction(database(), async (db) => {
        if (await move(db, subject)) await setStatus(db, subject, status);
      }),
  };
}
