// tests: many connections
import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { serviceBalances } from '../../src/ledger/balances.ts';
import { addUpEntries, ledgerSums } from '../../src/ledger/sums.ts';
import { postTransfer } from '../../src/ledger/transfer.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { atOnce, itRaced } from '../support/at-once.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Queryable } from '../support/queryable.ts';
import { untilAddedUp } from '../support/swept.ts';

describe('the sums of the accounts of the service', () => {
  const test = useTestDatabase({ each: true });
  const open = () => ensureServiceAccounts(test.database, ['m-pesa'], 'TZS');
  beforeEach(open);

  const moved = { toldBy: 'people' as const, names: [] };
  const write = (db: Queryable, dedupeKey: string, amount: number) =>
    postTransfer(db, {
      kind: 'top_up',
      currency: 'TZS',
      transactionId: null,
      dedupeKey,
      reference: null,
      lines: [
        { account: { kind: 'clearing', channel: 'm-pesa' }, amount: minor(-amount), moved },
        { account: { kind: 'settlement' }, amount: minor(amount), moved },
      ],
    });
  const addUp = () => addUpEntries(asRole(test.database, 'worker'), 3);
  const untilAll = () => untilAddedUp(asRole(test.database, 'worker'), 3);
  const sumOf = async (kind: string) =>
    (await ledgerSums(asRole(test.database, 'api'), 'TZS')).find((sum) => sum.kind === kind)?.amount;

  it('follow the entries in batches, and are those of the whole ledger in the end', async () => {
    await createMerchant(test.database);
    for (let n = 0; n < 10; n += 1) await write(test.database, `n${n}`, 10 + n);
    await addUp();
    assert.equal(await sumOf('settlement'), undefined, 'the first time only notes how far they go');
    await untilAll();
    const whole = (await serviceBalances(test.database)).filter(({ amount }) => amount !== 0);
    const sums = (await ledgerSums(test.database, 'TZS')).filter(({ amount }) => amount !== 0);
    const byKind = (rows: { kind: string; amount: number }[]) =>
      Object.fromEntries(rows.map(({ kind, amount }) => [kind, amount]));
    assert.deepEqual(byKind(sums), byKind(whole));
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('never miss an entry whose transaction commits after a later one', async () => {
    const slow = await test.database.connect();
    try {
      await slow.query('BEGIN');
      await write(slow, 'slow', 100);
      await write(test.database, 'fast', 1);
      for (let n = 0; n < 3; n += 1) await addUp();
      assert.equal(await sumOf('settlement'), undefined, 'an earlier entry may still come');
      await slow.query('COMMIT');
    } finally {
      slow.release();
    }
    await untilAll();
    assert.equal(await sumOf('settlement'), 101);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('never miss one whose transaction has the later number and takes the earlier entry', async () => {
    const [early, slow] = [await test.database.connect(), await test.database.connect()];
    try {
      await early.query('BEGIN; SELECT pg_current_xact_id()');
      await slow.query('BEGIN');
      await write(slow, 'slow', 100);
      await write(early, 'early', 1);
      await early.query('COMMIT');
      for (let n = 0; n < 3; n += 1) await addUp();
      assert.equal(await sumOf('settlement'), undefined, 'an earlier entry may still come');
      await slow.query('COMMIT');
    } finally {
      for (const client of [early, slow]) client.release();
    }
    await untilAll();
    assert.equal(await sumOf('settlement'), 101);
  });

  it('never miss one that another sweep noted while this one waited for it', async () => {
    await write(test.database, 'first', 1);
    await addUp();
    const other = await test.database.connect();
    try {
      await other.query('BEGIN; SELECT FROM ledger_sums_head FOR UPDATE');
      const waiting = addUp();
      await untilLockAwaited(test.database);
      await write(test.database, 'late', 100);
      await other.query(
        'UPDATE ledger_sums_head SET until = (SELECT max(id) FROM entries), until_xid = pg_current_xact_id()',
      );
      await other.query('COMMIT');
      await waiting;
    } finally {
      other.release();
    }
    await untilAll();
    assert.equal(await sumOf('settlement'), 101);
  });

  itRaced(test, 3, 'count nothing twice when several sweeps add up at once', async () => {
    await open();
    for (let n = 0; n < 20; n += 1) await write(test.database, `n${n}`, 1);
    for (let n = 0; n < 3; n += 1) await atOnce(3, test.database, [addUp, addUp, addUp]);
    await untilAll();
    assert.equal(await sumOf('settlement'), 20);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('go on in another cluster, whose transactions are numbered anew', async () => {
    await write(test.database, 'before', 5);
    await addUp();
    await test.sql`UPDATE ledger_sums_head SET until_xid = '9000000000000000000'`;
    await addUp();
    assert.equal(await sumOf('settlement'), 5);
  });
});
