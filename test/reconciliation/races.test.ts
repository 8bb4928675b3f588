import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { addNames, movementOfItem } from '../../src/ledger/booked.ts';
import { postSuspense } from '../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { beforeCommit, beforeStatements } from '../support/before-statements.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { KNOWN_AS } from '../support/item-names.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { CONNECTION, mobilePayoutRequest, pushRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import {
  bankAccount,
  driftOf,
  importMoves,
  importOf,
  statementOf,
  walletAccount,
} from '../support/statements-of-accounts.ts';
import { until } from '../support/wait.ts';

describe('a statement that is imported while the transactions of its lines end', () => {
  const test = useTestDatabase({ each: true, poolMax: 12 });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  it('counts each of them once, whichever comes first', async () => {
    const account = walletAccount();
    for (let round = 0; round < 8; round += 1) {
      const pairs = await Promise.all(
        [0, 1, 2].flatMap((n) => [
          handedOver(test.database, pushRequest(1_000), { balance: 0 }).then(({ id }) => ({
            id,
            receipt: `R${round}-${n}`,
            amount: 1_000,
          })),
          handedOver(test.database, mobilePayoutRequest(1_000)).then(({ id }) => ({
            id,
            receipt: `P${round}-${n}`,
            amount: -1_000,
          })),
        ]),
      );
      const lines = pairs.map(({ receipt, amount }) => ({ receipt, amount }));
      const from = new Date(Date.now() - 60_000);
      const own = { ...account, id: `m-pesa-${round}` };
      const statement = { ...statementOf(own, 0, lines), period: { from, to: new Date() } };
      const moved = {
        ...statement,
        lines: statement.lines.map((line) => ({ ...line, at: new Date(from.getTime() + line.no) })),
      };
      let statements = 0;
      const counted = beforeStatements(asRole(test.database, 'api'), async () => {
        statements += 1;
      });
      const importing = importOf(counted, own, moved).finally(() => {
        statements = Infinity;
      });
      await Promise.all([
        importing,
        ...pairs.map(async ({ id, receipt }, index) => {
          // One after the other while it goes on, each round at other moments.
          const due = index * 5 + round;
          await until(() => statements >= due, { deadlineMs: 10_000, what: `statement ${due}`, everyMs: 1 });
          const result = succeeded(1_000, receipt);
          await answered(asRole(test.database, 'worker'), id, result);
        }),
      ]);
      assert.equal(await driftOf(test.database, own), 0, `round ${round}`);
      const rows = await test.sql`SELECT count(*)::int AS count FROM movement_entries
          WHERE book = ANY(${account.proves})`;
      assert.equal(rows[0].count, pairs.length * (round + 1), 'each line is one movement');
      const { rowCount } = await test.database.query("SELECT FROM transactions WHERE status = 'pending'");
      assert.equal(rowCount, 0);
    }
  });

  it('books a sweep once whose halves are imported at once', async () => {
    const [wallet, bank] = [walletAccount(), bankAccount()];
    const half = (sweepTo: string, amount: number) =>
      ({ receipt: `S${sweepTo}`, kind: 'sweep', sweepTo, amount }) as const;
    const api = asRole(test.database, 'api');
    const paused = beforeCommit(api);
    const first = importMoves(paused.database, wallet, [half('bank', -5_000)], 5_000);
    await paused.reached;
    const second = importMoves(api, bank, [half('m-pesa', 5_000)]);
    await Promise.race([second, untilLockAwaited(test.database)]);
    paused.goOn();
    await Promise.all([first, second]);
    const rows = await test.sql`SELECT count(*)::int AS count FROM transfers WHERE kind = 'sweep'`;
    assert.equal(rows[0].count, 1);
    assert.deepEqual([await driftOf(test.database, wallet), await driftOf(test.database, bank)], [0, 0]);
  });

  describe('and a report of the same receipt at once', () => {
    const reported = {
      channel: 'm-pesa',
      connection: CONNECTION,
      transactionId: null,
      direction: 'collection',
      currency: 'TZS',
      note: 'late',
    } as const;
    const line = { receipt: 'R1', amount: 1_000 };
    const items = async () =>
      (
        await test.database.query(`SELECT receipt, ${KNOWN_AS} FROM suspense_items ORDER BY receipt`)
      ).rows.map((row) => [row.receipt, row.known_as]);

    for (const [name, isImportFirst] of [
      ['the import first', true],
      ['the report first', false],
    ] as const)
      it(`are one item, ${name}`, async () => {
        const account = walletAccount();
        const [api, worker] = [asRole(test.database, 'api'), asRole(test.database, 'worker')];
        const imports = (database: Parameters<typeof importOf>[0]) => importMoves(database, account, [line]);
        const report = (database: typeof api) =>
          inTransaction(database, (db) =>
            postSuspense(db, { ...reported, receipt: 'R1', amount: minor(100_000) }),
          );
        const paused = beforeCommit(isImportFirst ? api : worker);
        const first: Promise<unknown> = isImportFirst ? imports(paused.database) : report(paused.database);
        await paused.reached;
        const second: Promise<unknown> = isImportFirst ? report(worker) : imports(api);
        await untilLockAwaited(test.database);
        paused.goOn();
        await Promise.all([first, second]);
        assert.deepEqual(await items(), [['R1', null]]);
        assert.equal(await driftOf(test.database, account), 0);
      });

    it('are one item, which the report names', async () => {
      const account = walletAccount();
      const [api, worker] = [asRole(test.database, 'api'), asRole(test.database, 'worker')];
      const amount = minor(100_000);
      const ours = { ...reported, receipt: 'PYOURS', isOurs: true, amount };
      await inTransaction(worker, (db) => postSuspense(db, ours));
      const rows = await test.sql`SELECT id FROM suspense_items`;
      const { id } = (await movementOfItem(worker, rows[0]?.id)) ?? assert.fail();
      const paused = beforeCommit(worker);
      const named = [{ movement: id, name: 'R1', line: null }];
      const first = inTransaction(paused.database, (db) => addNames(db, named));
      await paused.reached;
      const second = importMoves(api, account, [line]);
      await untilLockAwaited(test.database);
      paused.goOn();
      await Promise.all([first, second]);
      assert.deepEqual(await items(), [['PYOURS', 'R1']]);
      assert.equal(await driftOf(test.database, account), 0);
    });
  });
});
