import assert from 'node:assert/strict';
import { createSweep } from '../../src/app/sweep.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { closeFence } from '../../src/transactions/care/fence.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { idleTemporal } from '../support/idle-temporal.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { pushRequest } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { digestOf, driftOf, importMoves, walletAccount } from '../support/statements-of-accounts.ts';

describe('lines of statements that wait', () => {
  const test = useTestDatabase({ each: true });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));

  const account = walletAccount();
  function sweepOf(
    accounts: readonly AccountInUse[],
    database: Database = test.database,
    observeFailure: (duty: string) => void = () => {},
  ) {
    const signals: unknown[] = [];
    const { sweep } = createSweep({
      database: asRole(database, 'worker'),
      client: idleTemporal({
        getHandle: (id: string) => ({
          signal: async (_name: unknown, news: string) => signals.push([id, news]),
        }),
      }),
      unattendedAfterMs: 60_000,
      submissionKeys,
      keepMark: async () => {},
      statementAccounts: accounts,
      observeFailure,
    });
    return { sweep, signals };
  }
  /** A push that is pending, and a line about it. */
  async function waiting() {
    const push = await handedOver(test.database, pushRequest(1_000), { balance: 0 });
    const line = { receipt: 'R1', amount: 1_000, reference: push.reference };
    const { outcome } = await importMoves(test.database, account, [line]);
    assert.deepEqual(outcome.classes, { waiting: 1 });
    return push;
  }
  const explained = async () =>
    (await test.database.query('SELECT pass FROM line_matches ORDER BY entry_id')).rows.map(
      ({ pass }) => pass,
    );

  it('are matched by the sweep after their movement came, and the next one changes nothing', async () => {
    const push = await waiting();
    const { sweep } = sweepOf([account]);
    const before = await digestOf(test.database);
    assert.equal((await sweep()).explained, 0);
    assert.equal(await digestOf(test.database), before, 'within its grace it waits');
    await tryToEnd(test.database, push.id, { kind: 'answer', result: succeeded(1_000, 'R1') });
    assert.equal(
      (await sweepOf([]).sweep()).explained,
      0,
      'without statement accounts there is nothing to do',
    );
    assert.equal((await sweep()).explained, 1);
    assert.deepEqual(await explained(), ['receipt']);
    assert.equal(await driftOf(test.database, account), 0);
    const after = await digestOf(test.database);
    assert.equal((await sweep()).explained, 0);
    assert.equal(await digestOf(test.database), after, 'run twice it changes nothing');
  });

  it('go to their class when their grace is over, and what they are about is asked for', async () => {
    const push = await waiting();
    await test.database.query('UPDATE transactions SET hinted_at = NULL');
    const { sweep, signals } = sweepOf([walletAccount({ graceMs: 1 })]);
    assert.equal((await sweep()).explained, 1);
    assert.deepEqual(await explained(), ['theirs_only']);
    assert.deepEqual(signals, [[`transaction/${push.id}`, 'hint']]);
    const after = await digestOf(test.database);
    assert.equal((await sweep()).explained, 0);
    assert.equal(await digestOf(test.database), after);
  });

  it('of an account that cannot be explained keep no other one waiting; the duty has failed, and the sweep is not noted', async () => {
    await waiting();
    const broken = { ...account, proves: null } as unknown as AccountInUse;
    const failed: string[] = [];
    const grown = walletAccount({ graceMs: 1 });
    const { sweep } = sweepOf([{ ...broken, graceMs: 1 }, grown], test.database, (duty) => failed.push(duty));
    await assert.rejects(sweep(), /1 tasks of the sweep failed/);
    assert.deepEqual(failed, ['explain lines of statements']);
    assert.deepEqual(await explained(), ['theirs_only']);
  });

  it('wait behind the fence', async () => {
    await waiting();
    await closeFence(test.database, 'a test');
    const before = await digestOf(test.database);
    assert.deepEqual((await sweepOf([walletAccount({ graceMs: 1 })]).sweep()).fenced, true);
    assert.equal(await digestOf(test.database), before);
  });

  it('are explained whole or not at all, whichever statement fails; the sweep says so, and the next one does it', async () => {
    await waiting();
    const grown = [walletAccount({ graceMs: 1 })];
    const before = await digestOf(test.database);
    let failing = 0;
    for (; ; failing += 1) {
      let inside = false;
      let n = 0;
      const database = beforeStatements(test.database, async (_on, query) => {
        const text = String(query);
        if (text.includes('FROM statement_lines')) inside = true;
        if (/^(COMMIT|ROLLBACK)/.test(text)) inside = false;
        else if (inside && n++ === failing) throw new Error('this one fails');
      });
      const error = await sweepOf(grown, database)
        .sweep()
        .then(
          () => null,
          (thrown: AggregateError) => thrown,
        );
      if (error === null) break;
      const failures = error.errors.map(({ message, cause }) => `${message}: ${cause.errors[0].cause}`);
      assert.match(failures.join(), /could not explain lines of statements: .*this one fails/);
      assert.equal(await digestOf(test.database), before, `${failing}`);
    }
    assert.ok(failing > 10, `${failing}`);
    assert.deepEqual(await explained(), ['theirs_only']);
  });
});
