// tests: slow, many connections
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import type { StatementBounds, StatementLine } from '../../src/domain/statement.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { releaseHold, takeHold } from '../../src/ledger/hold.ts';
import { postReturn } from '../../src/ledger/movement.ts';
import { type StatementRange, streamLines } from '../../src/ledger/statement.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { atOnce } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { sqlOf } from '../support/queryable.ts';
import { withdraw } from '../support/withdraw.ts';
import { money, movementsOn } from './movements.ts';
import { assertAddsUp, EVER, wholeStatement } from './statement-support.ts';
import { subjectOf } from './support.ts';

const test = useTestDatabase({ poolMax: 20 });

const { fund, hold, collect, end } = movementsOn(() => test.database);

describe('a statement', () => {
  it('has every change of the balance, in words that a merchant knows', async () => {
    const merchant = await createMerchant(test.database);
    const { accountId } = merchant;
    await topUp(test.database, {
      accountId,
      amount: minor(100_000),
      actor: 'test',
      dedupeKey: 'FT26324',
      note: 'first money',
    });
    const payment = subjectOf(merchant, 'payment', money(5_000, 100));
    const [failed, paid] = [0, 0].map(() => subjectOf(merchant, 'payout', money(40_000, 1_000)));
    assert.ok(failed && paid);
    await collect(merchant, payment);
    await hold(merchant, failed);
    await end(failed, releaseHold, 'failed');
    await hold(merchant, paid);
    await end(paid, takeHold, 'paid');
    await inTransaction(test.database, async (db) => {
      await db.query('UPDATE transactions SET returned_at = now() WHERE id = $1', [paid.transactionId]);
      await postReturn(db, { ...paid, amount: paid.value, connection: 'test', names: [], item: null });
    });
    await withdraw(test.database, { accountId, amount: minor(3_000), actor: 'test', dedupeKey: 'FT26325' });

    const statement = await wholeStatement(test.database, accountId);
    assertAddsUp(statement);
    assert.deepEqual(pick(statement.lines, 'type', 'description', 'amount', 'reference'), [
      ['top_up', 'Top-up: first money', 100_000, 'FT26324'],
      ['payment', 'USSD payment', 5_000, 'QX7'],
      ['fee', 'Fee: USSD payment', -100, 'QX7'],
      ['payout', 'Mobile payout', -40_000, failed.reference],
      ['fee', 'Fee: Mobile payout', -1_000, failed.reference],
      ['payout_reversal', 'Mobile payout that was not made', 40_000, failed.reference],
      ['fee', 'Fee: Mobile payout that was not made', 1_000, failed.reference],
      ['payout', 'Mobile payout', -40_000, paid.reference],
      ['fee', 'Fee: Mobile payout', -1_000, paid.reference],
      ['return', 'Mobile payout that was returned', 40_000, paid.reference],
      ['withdrawal', 'Withdrawal', -3_000, 'FT26325'],
    ]);
    assert.equal(statement.closing, (await balanceOf(test.database, accountId, 'TZS')).current);
    assert.deepEqual(
      [...new Set(statement.lines.map((line) => line.transactionId))],
      [null, payment.transactionId, failed.transactionId, paid.transactionId],
    );
  });

  it('leaves out a fee of nothing, and has a fee that takes the whole payment', async () => {
    const merchant = await createMerchant(test.database);
    await collect(merchant, subjectOf(merchant, 'payment', money(700, 0)));
    await collect(merchant, subjectOf(merchant, 'payment', money(100, 100)));
    const { lines } = await wholeStatement(test.database, merchant.accountId);
    assert.deepEqual(pick(lines, 'type', 'amount', 'balance'), [
      ['payment', 700, 700],
      ['payment', 100, 800],
      ['fee', -100, 700],
    ]);
  });

  it('is empty for an account that never moved anything, and for one that does not exist', async () => {
    const merchant = await createMerchant(test.database);
    for (const accountId of [merchant.accountId, '00000000-0000-4000-8000-000000000000']) {
      const statement = await wholeStatement(test.database, accountId);
      assert.deepEqual(
        [statement.lines, statement.opening, statement.closing, statement.lastLine],
        [[], 0, 0, 0],
      );
    }
  });

  it('is read in batches from its first line to its last, whatever comes meanwhile', async () => {
    const merchant = await createMerchant(test.database);
    for (let count = 0; count < 7; count += 1) await fund(merchant, 10);
    const range = { accountId: merchant.accountId, currency: 'TZS', ...EVER };
    const bounds = await wholeStatement(test.database, merchant.accountId);
    await fund(merchant, 99);
    const batches: number[][] = [];
    for await (const lines of streamLines(test.database, range, bounds, 3))
      batches.push(lines.map(({ line }) => line));
    assert.deepEqual(batches, [[1, 2, 3], [4, 5, 6], [7]]);
  });
});

describe('the lines of an account', () => {
  it('have the time at which they got the balance, not that at which they asked for it', async () => {
    const merchant = await createMerchant(test.database, { balance: 10 });
    const first = await test.database.connect();
    await first.query('BEGIN');
    await first.query(
      "SELECT 1 FROM ledger_accounts WHERE account_id = $1 AND kind = 'available' FOR SHARE",
      [merchant.accountId],
    );
    const waiting = fund(merchant, 5);
    await untilLockAwaited(test.database);
    const { rows } = await first.query('SELECT clock_timestamp() AS released');
    await first.query('COMMIT');
    first.release();
    await waiting;
    const last = (await wholeStatement(test.database, merchant.accountId)).lines.at(-1);
    assert.ok(last && last.at > rows[0].released, `${last?.at} is after ${rows[0].released}`);
  });

  it('stay in order when the clock is set back', async () => {
    const merchant = await createMerchant(test.database, { balance: 10 });
    const future = '2031-01-01T00:00:00.000000Z';
    await inTransaction(test.database, async (db) => {
      await db.query('ALTER TABLE ledger_accounts DISABLE TRIGGER ledger_accounts_earned');
      await sqlOf(
        db,
      )`UPDATE ledger_accounts SET moved_at = ${future} WHERE account_id = ${merchant.accountId}`;
      await db.query('ALTER TABLE ledger_accounts ENABLE TRIGGER ledger_accounts_earned');
    });
    await fund(merchant, 5);
    const { lines } = await wholeStatement(test.database, merchant.accountId);
    assert.equal(lines.at(-1)?.at, future);
  });

  it('add up in every statement that is read while 50 write, and nobody deadlocks', async function () {
    this.timeout(120_000);
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const { accountId } = merchant;
    const range = { accountId, currency: 'TZS', ...EVER };
    const before = await deadlocks();
    let writing = true;
    const writers = Array.from({ length: 50 }, (_, writer) => async () => {
      for (let round = 0; round < 4; round += 1) {
        const subject = subjectOf(merchant, 'payout', money(1_000, 10));
        if (writer % 3 === 0) await collect(merchant, subjectOf(merchant, 'payment', money(500, 5)));
        else {
          await hold(merchant, subject);
          await end(subject, round % 2 ? takeHold : releaseHold, round % 2 ? 'paid' : 'failed');
        }
      }
    });
    const written = atOnce(16, test.database, writers).finally(() => {
      writing = false;
    });
    let statements = 0;
    while (writing) {
      const statement = await wholeStatement(test.database, accountId);
      assertAddsUp(statement);
      assert.deepEqual(await streamed(range, statement), statement.lines, 'as CSV is written, later');
      statements += 1;
    }
    await written;
    const statement = await wholeStatement(test.database, accountId);
    assertAddsUp(statement);
    assert.ok(statements > 3, `${statements} statements were read`);
    assert.equal(statement.closing, (await balanceOf(test.database, accountId, 'TZS')).current);
    assert.deepEqual(await checkInvariants(test.database), []);
    assert.equal(await deadlocks(), before);
  });

  async function streamed(range: StatementRange, bounds: StatementBounds): Promise<StatementLine[]> {
    const all: StatementLine[] = [];
    for await (const lines of streamLines(test.database, range, bounds, 50)) all.push(...lines);
    return all;
  }

  async function deadlocks(): Promise<number> {
    await test.sql`SELECT pg_stat_force_next_flush()`;
    const rows =
      await test.sql`SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()`;
    return rows[0].count;
  }
});

describe('a statement is final', () => {
  const past = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
  const isFinal = async (merchant: Merchant, range: { from: string; to: string }) =>
    (await wholeStatement(test.database, merchant.accountId, range)).final;

  it('when its end is over, and never before', async () => {
    const merchant = await createMerchant(test.database, { balance: 10 });
    assert.equal(await isFinal(merchant, past), true);
    const rows = await test.sql`SELECT clock_timestamp() AS now`;
    assert.equal(await isFinal(merchant, { ...past, to: rows[0].now }), true);
    assert.equal(await isFinal(merchant, EVER), false);
  });

  it('not while somebody holds the balance, who may have got it before the end', async () => {
    const merchant = await createMerchant(test.database);
    const client = await test.database.connect();
    await client.query('BEGIN');
    await client.query(
      "SELECT 1 FROM ledger_accounts WHERE account_id = $1 AND kind = 'available' FOR NO KEY UPDATE",
      [merchant.accountId],
    );
    assert.equal(await isFinal(merchant, past), false);
    await client.query('ROLLBACK');
    client.release();
    assert.equal(await isFinal(merchant, past), true);
  });

  it('while somebody holds the balance, too, once there is a line after it', async () => {
    const merchant = await createMerchant(test.database, { balance: 10 });
    const client = await test.database.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM ledger_accounts FOR NO KEY UPDATE');
    assert.equal(await isFinal(merchant, past), true);
    await client.query('ROLLBACK');
    client.release();
  });
});
