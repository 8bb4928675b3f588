// tests: many connections
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { minor } from '../../src/domain/money.ts';
import { ensureServiceAccounts } from '../../src/ledger/accounts.ts';
import { addNames, movementOfItem, turnOf } from '../../src/ledger/booked.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { type MovedLine, postTransfer } from '../../src/ledger/transfer.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { beforeCommit } from '../support/before-statements.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Database, Queryable } from '../support/queryable.ts';

describe('a movement of money at a network or bank', () => {
  const test = useTestDatabase({ each: true, poolMax: 4 });
  const worker = () => asRole(test.database, 'worker');
  beforeEach(async () => {
    await createMerchant(test.database);
    await ensureServiceAccounts(test.database, ['m-pesa'], 'TZS');
  });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const post = (database: Database, amount: number, moved: MovedLine['moved'], key: string = randomUUID()) =>
    inTransaction(database, (db) =>
      postTransfer(db, {
        kind: 'suspense',
        currency: 'TZS',
        transactionId: null,
        dedupeKey: key,
        reference: null,
        lines: [
          { account: { kind: 'clearing', channel: 'm-pesa' }, amount: -amount, moved },
          { account: { kind: 'gains' }, amount },
        ],
      }),
    );
  const told = (...names: string[]) => ({
    toldBy: 'channel' as const,
    connection: 'm-pesa',
    names: names.map((name) => ({ name, isReceipt: true })),
  });
  async function booked(amount: number, ...names: string[]): Promise<string> {
    const id = randomUUID();
    assert.equal(await post(worker(), amount, { ...told(...names), id }), true);
    return id;
  }
  async function namesOf(movement: string) {
    const rows = await test.sql`SELECT name, is_receipt FROM movement_names
        WHERE movement_id = ${movement} AND freed_at IS NULL ORDER BY id`;
    return rows.map((row) => `${row.name}${row.is_receipt ? '' : ' (points)'}`);
  }

  const rows = (
    line: string,
  ) => `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('suspense', 'x') RETURNING id)
    INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id) SELECT t.id, a.id, x.amount, x.movement_id
    FROM t, (VALUES ${line}) AS x (code, amount, movement_id) JOIN ledger_accounts a ON a.code = x.code`;

  it('is named by every entry there, and by no other', async () => {
    const id = await booked(500, 'R1');
    for (const line of [
      `('clearing:m-pesa:TZS', -5, NULL::uuid), ('gains::TZS', 5, NULL)`,
      `('settlement::TZS', -5, NULL::uuid), ('gains::TZS', 5, NULL)`,
      `('gains::TZS', -500, '${id}'::uuid), ('losses::TZS', 500, NULL)`,
    ])
      await assert.rejects(test.database.query(rows(line)), /names its movement, and no other entry has one/);
    await assert.rejects(
      test.database.query(rows(`('settlement::TZS', -500, '${id}'::uuid), ('gains::TZS', 500, NULL)`)),
      /is not the movement/,
      'it moved at another account',
    );
    await assert.rejects(
      test.sql`INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, told_by)
         SELECT gen_random_uuid(), id, 'm-pesa', 'itself', 5, 'TZS', 'channel' FROM ledger_accounts WHERE code = 'clearing:m-pesa:TZS'`,
      /has no entry/,
    );
  });

  it('is booked once, may be taken back and be booked again, and never is another amount', async () => {
    const of = await booked(500, 'R1');
    await assert.rejects(post(worker(), 500, { of, takesBack: false }), /is booked 2 times/);
    await assert.rejects(post(worker(), -400, { of, takesBack: true }), /does not take it back/);
    await post(worker(), -500, { of, takesBack: true });
    await assert.rejects(post(worker(), -500, { of, takesBack: true }), /is booked -1 times/);
    await post(worker(), 500, { of, takesBack: false });
    await assert.rejects(post(worker(), 500, { of, takesBack: false }), /is booked 2 times/);
  });

  it('says what an entry of an amount would be', async () => {
    const of = await booked(500, 'R1');
    const turn = (amount: number) => turnOf(test.database, of, minor(amount));
    assert.deepEqual(await turn(-500), { of, takesBack: true });
    assert.deepEqual([await turn(500), await turn(-400)], [null, null]);
    await post(worker(), -500, { of, takesBack: true });
    const rows = await test.sql`SELECT max(id) AS undoes FROM entries WHERE movement_id = ${of}`;
    assert.deepEqual(await turn(500), { of, takesBack: false, ...rows[0] });
    assert.equal(await turn(-500), null);
  });

  for (const [what, amount, takesBack] of [
    ['taken back', -500, true],
    ['booked again', 500, false],
  ] as const)
    it(`is ${what} by one of two processes that do it at once`, async () => {
      const of = await booked(500, 'R1');
      if (!takesBack) await post(worker(), -500, { of, takesBack: true });
      const paused = beforeCommit(worker());
      const first = post(paused.database, amount, { of, takesBack });
      await paused.reached;
      const second = post(worker(), amount, { of, takesBack });
      // The first has looked at nothing yet: whoever commits second waits for it, and sees it.
      await second.catch(() => {});
      paused.goOn();
      const [one, other] = await Promise.allSettled([first, second]);
      assert.deepEqual([one.status, other.status].sort(), ['fulfilled', 'rejected']);
    });

  it('has a receipt that no other one of its space and direction has, however it is spelled', async () => {
    const first = await booked(500, 'AB c1');
    await assert.rejects(booked(700, 'abC 1'), /the receipt abC 1 is another movement's/);
    const typed = randomUUID();
    await post(worker(), 700, { ...told('abC 1'), id: typed, toldBy: 'people' });
    const out = await booked(-500, 'ABC1');
    const apart = await booked(500, 'AB-C1');
    assert.deepEqual(await namesOf(first), ['AB c1']);
    assert.deepEqual(await namesOf(typed), ['abC 1 (points)'], 'what people typed only points to it');
    assert.deepEqual([await namesOf(out), await namesOf(apart)], [['ABC1'], ['AB-C1']]);
    const both = randomUUID();
    await post(worker(), 500, { ...told('DE', 'de'), id: both });
    assert.deepEqual(await namesOf(both), ['DE'], 'told twice in one message');
  });

  it('waits for another one that is being booked by its receipt, and is not booked then', async () => {
    const paused = beforeCommit(worker());
    const [one, other] = [randomUUID(), randomUUID()];
    const first = post(paused.database, 500, { ...told('R'), id: one });
    await paused.reached;
    const second = post(worker(), 500, { ...told('r'), id: other });
    await untilLockAwaited(test.database);
    paused.goOn();
    await first;
    await assert.rejects(second, { code: 'ML002' });
    assert.deepEqual([await namesOf(one), await namesOf(other)], [['R'], []]);
  });

  it('takes further names, each once', async () => {
    const [one, other] = [await booked(500), await booked(500, 'R2')];
    const add = (movement: string, name: string) =>
      inTransaction(worker(), (db) => addNames(db, [{ movement, name, line: null }]));
    for (let n = 0; n < 2; n += 1) await add(one, 'R1');
    await add(one, 'r 1');
    await add(other, 'R1');
    assert.deepEqual([await namesOf(one), await namesOf(other)], [['R1'], ['R2', 'R1 (points)']]);
  });

  it('is the same one when an item of it is booked, taken back and booked again', async () => {
    const odd = (db: Queryable, receipt: string, direction: 'collection' | 'payout', of: string | null) =>
      postSuspense(db, {
        channel: 'm-pesa',
        connection: 'm-pesa',
        receipt,
        isOurs: true,
        of,
        transactionId: null,
        direction,
        amount: minor(500),
        currency: 'TZS',
        note: 'a test',
      });
    const of = await booked(500, 'R1');
    await inTransaction(worker(), (db) => odd(db, 'failed:1', 'payout', of));
    await inTransaction(worker(), (db) => odd(db, 'succeeded:1', 'collection', of));
    // It stands, so that nothing is to be said again.
    assert.equal(await inTransaction(worker(), (db) => odd(db, 'other:1', 'collection', of)), false);
    const rows = await test.sql`SELECT id FROM suspense_items ORDER BY created_at`;
    const movements = await Promise.all(rows.map(({ id }) => movementOfItem(test.database, id)));
    assert.deepEqual(
      movements.map((one) => one?.id === of),
      [true, true],
    );
  });

  it('is written in two files of the ledger alone', () => {
    const src = path.join(import.meta.dirname, '../../src');
    const writing = (pattern: RegExp) =>
      readdirSync(src, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
        .filter((file) => pattern.test(readFileSync(path.join(src, file), 'utf8')))
        .sort();
    assert.deepEqual(writing(/INSERT INTO (entries|movements|transfers)\b/), ['ledger/transfer.ts']);
    assert.deepEqual(writing(/INSERT INTO movement_names\b/), ['ledger/booked.ts', 'ledger/transfer.ts']);
  });
});
