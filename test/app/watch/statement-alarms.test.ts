// tests: slow
import assert from 'node:assert/strict';
import { watchReconciliation } from '../../../src/app/watch/reconciliation.ts';
import { CURRENCY, minor } from '../../../src/domain/money.ts';
import { ensureServiceAccounts } from '../../../src/ledger/accounts.ts';
import { postSuspense } from '../../../src/ledger/suspense-postings.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { createMetrics, type Metrics } from '../../../src/platform/process/metrics.ts';
import type { AccountInUse } from '../../../src/reconciliation/explain.ts';
import type { Statement } from '../../../src/reconciliation/statement.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { useTestDatabase } from '../../support/database.ts';
import { plantProposal } from '../../support/decision.ts';
import { handedOver } from '../../support/handed-over.ts';
import { CONNECTION, mobilePayoutRequest, pushRequest } from '../../support/merchant.ts';
import type { Database } from '../../support/queryable.ts';
import { succeeded } from '../../support/scripted-channel.ts';
import { importOf, type Move, statementOf, walletAccount } from '../../support/statements-of-accounts.ts';
import { untilAddedUp } from '../../support/swept.ts';
import { samplesOf } from './exposition.ts';
import { assertFires, needsPromtool, rules } from './promtool.ts';

const DAY_MS = 86_400_000;

describe('an alarm of statements fires by what it is for', () => {
  const test = useTestDatabase({ each: true });
  let metrics: Metrics;
  let warned: object[];
  const tested = new Set<string>();
  before(needsPromtool);
  beforeEach(async () => {
    metrics = createMetrics();
    warned = [];
    await ensureServiceAccounts(test.database, ['m-pesa'], CURRENCY);
  });

  const wallet = (also: Partial<AccountInUse> = {}) => walletAccount({ low: minor(1_000_00), ...also });
  const watch = (accounts: readonly AccountInUse[], database: Database = test.database) =>
    watchReconciliation(metrics, {
      statementAccounts: new Map(accounts.map((one) => [one.id, one])),
      connectionsOf: () => ['the only one'],
      longDatabase: database,
      log: { warn: (facts: object) => warned.push(facts) },
      freshMs: 0,
    });
  const sample = async (name: string) =>
    samplesOf(await metrics.text()).find((one) => one.name === name)?.value;
  /** A push that was paid, and that they show under its receipt. */
  async function paid(shillings: number): Promise<Move> {
    const { id } = await handedOver(test.database, pushRequest(shillings), { balance: 0 });
    await tryToEnd(test.database, id, { kind: 'answer', result: succeeded(shillings, `R${shillings}`) });
    return { receipt: `R${shillings}`, amount: shillings, minutes: 0.01 };
  }
  const days = (count: number, statement: Statement): Statement => ({
    ...statement,
    period: { from: new Date(Date.now() - count * DAY_MS), to: new Date(Date.now() + 60_000) },
  });
  const shows = (account: AccountInUse, opening: number, moves: Move[], count = 1) =>
    importOf(test.database, account, days(count, statementOf(account, opening, moves)));

  function fires(alert: string, situation: () => Promise<void>) {
    tested.add(alert);
    it(alert, async () => {
      await situation();
      const text = await metrics.text();
      assert.deepEqual(warned, []);
      assertFires(alert, [text]);
    });
  }

  // It has no statement, whatever the time is.
  fires('DayNotProven', async () => watch([wallet()]));
  fires('StatementItemsOld', async () => {
    await shows(wallet(), 0, [{ receipt: 'R1', amount: 500, minutes: 4 * 24 * 60 }], 5);
    watch([wallet()]);
  });
  fires('DayContradicted', async () => {
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const first = { ...(await paid(5_000)), at: at(30) };
    await shows(wallet(), 0, [first], 3);
    await shows(wallet(), 0, [first, { ...first, amount: 6_000, at: at(29) }], 3);
    watch([wallet()]);
    assert.equal(await sample('statement_days_contradicted'), 0, 'the line is open, which says why');
    // It is in the balance that they closed with: people cannot say that it stands as told first.
    await test.sql`INSERT INTO line_dismissals (line_id, proposal_id)
      SELECT id, ${await plantProposal(test.database, 'lines.stands')} FROM statement_lines
      WHERE finding = 'changed'`;
  });
  const bookTwice = async () => {
    const account = wallet({ graceMs: 1 });
    const { id, reference } = await handedOver(test.database, pushRequest(5_000), { balance: 0 });
    const told = { channel: 'm-pesa', connection: CONNECTION, transactionId: id, currency: CURRENCY };
    const money = { direction: 'collection', amount: minor(5_000_00), note: 'a test' } as const;
    await inTransaction(test.database, (db) => postSuspense(db, { ...told, ...money, receipt: 'N2' }));
    watch([account]);
    const others: Move = { receipt: 'X1', amount: 5_000, at: new Date(Date.now() - 60_000) };
    await shows(account, 0, [others]);
    assert.equal(await sample('statement_booked_twice'), 0, "the other one is nobody's");
    await shows(account, 0, [others, { receipt: 'N1', reference, amount: 5_000, minutes: 0.01 }]);
  };
  fires('BookedTwice', bookTwice);
  it('BookedTwice ends with the item', async () => {
    await bookTwice();
    assert.equal(await sample('statement_booked_twice'), 1);
    await test.database.query('UPDATE suspense_items SET left_by = transfer_id');
    assert.equal(await sample('statement_booked_twice'), 0);
  });
  fires('MoneyNotProven', async () => {
    // Of the merchant's money somebody took most.
    await shows(wallet(), 0, [await paid(5_000), { receipt: 'W1', amount: -4_000, minutes: 0 }]);
    watch([wallet()]);
  });
  fires('FloatLow', async () => {
    await shows(wallet(), 0, [{ receipt: 'R1', amount: 500 }]);
    watch([wallet()]);
  });
  fires('FloatRunsDry', async () => {
    await shows(wallet(), 50_000, [{ receipt: 'W1', amount: -48_000, minutes: 30 }]);
    watch([wallet()]);
  });

  it('and none fires while what is there is ours', async function () {
    this.timeout(120_000);
    const account = wallet();
    await shows(account, 0, [await paid(5_000)]);
    watch([account]);
    // What a day is due by is the clock's: this account began today.
    assert.deepEqual([await sample('statement_days_overdue'), await sample('statement_items_open')], [0, 0]);
    const text = await metrics.text();
    assert.deepEqual(warned, []);
    for (const alert of tested) assert.throws(() => assertFires(alert, [text, text]), /got:\s*nil/, alert);
  });

  it('the ratio is told only where statements show everything, and counts what is promised', async () => {
    const account = wallet();
    await shows(account, 0, [await paid(5_000)]);
    const { merchant } = await handedOver(test.database, mobilePayoutRequest(1_000), { balance: 0 }).catch(
      () => ({ merchant: null }),
    );
    assert.equal(merchant, null, 'nothing is promised beyond what is there');
    watch([account]);
    const ratio = await sample('statement_proven_ratio');
    assert.ok(ratio !== undefined && ratio >= 1, String(ratio));
    metrics = createMetrics();
    watch([account, wallet({ id: 'unread', group: 'unread', proves: ['clearing:halopesa:TZS'] })]);
    assert.equal(await sample('statement_proven_ratio'), undefined, 'one account has no statement');
    await untilAddedUp(test.database);
    metrics = createMetrics();
    watch([wallet({ connections: ['another one'] })]);
    assert.equal(await sample('statement_proven_ratio'), undefined, 'a connection that nobody shows');
  });

  it('what cannot be read is left out alone', async () => {
    const broken: Pick<Database, 'query'> = {
      query: ((text: string, values: never) =>
        text.includes('generate_series')
          ? Promise.reject(new Error('too long'))
          : (test.database as unknown as { query(text: string, values: never): unknown }).query(
              text,
              values,
            )) as never,
    };
    await shows(wallet(), 0, [{ receipt: 'R1', amount: 500 }]);
    watch([wallet()], broken as Database);
    assert.equal(await sample('statement_days_overdue'), undefined);
    assert.equal(await sample('statement_float_tzs'), 500);
    assert.equal(warned.length, 4, 'both metrics of days, once for each time they were asked for');
  });

  it('and no alarm is left out', () => {
    const ours = rules.filter(({ file }) => file === 'statements.yml').map(({ alert }) => alert);
    assert.deepEqual([...tested].sort(), ours.sort());
  });
});
