import assert from 'node:assert/strict';
import { createFigureReads } from '../../src/operators/api/figure-reads.ts';
import { daysOf } from '../../src/reconciliation/days.ts';
import { floatOf } from '../../src/reconciliation/float.ts';
import { groupsOf } from '../../src/reconciliation/groups.ts';
import { itemsOf } from '../../src/reconciliation/items.ts';
import { useTestDatabase } from '../support/database.ts';
import { statementAccounts } from '../support/statements-of-accounts.ts';
import { watchPlans } from '../support/watched.ts';

/** bench/benchmarks.md (`desk`) has the times with 2,000,000 transactions. */
describe('what the desk reads of all movements', () => {
  const test = useTestDatabase();
  const [wallet = []] = groupsOf(statementAccounts, 'm-pesa');

  /** Postgres plans each part of a statement that it reads once. */
  const partOf = (plan: string, name: string) =>
    plan.split(/\n {2}CTE /).find((part) => part.startsWith(`${name}\n`)) ?? '';

  it('has names only where a line may deny them, and of the rows that it shows', async () => {
    const { database, plans } = watchPlans(test.database);
    await daysOf(database, wallet);
    await itemsOf(database, wallet, { states: ['open', 'waiting'], limit: 10 });
    const read = plans.filter((plan) => plan.includes('CTE ours'));
    assert.equal(read.length, 2);
    for (const plan of read) {
      for (const part of ['ours', 'unseen']) {
        assert.match(partOf(plan, part), / on (entries|transfers) /);
        assert.doesNotMatch(partOf(plan, part), / on (movement_names|transactions|bills) /);
      }
      assert.match(plan, /One-Time Filter: \(InitPlan \d+\)/, 'no line denies anything');
    }
  });

  it('is added up once for the float', async () => {
    const { database, plans } = watchPlans(test.database);
    await floatOf(database, wallet);
    assert.match(partOf(plans[0] ?? '', 'sums'), /CTE Scan on ours/);
    assert.equal(plans[0]?.match(/CTE Scan on ours/g)?.length, 2, 'the last 24 hours, since the statement');
  });

  it('is read once of the day a week ago', async () => {
    const { database, plans } = watchPlans(test.database);
    const figures = createFigureReads({ database, accounts: statementAccounts, freshMs: 0 });
    const first = await figures.today();
    assert.equal(plans.length, 3, 'pushes, today, and the day a week ago');
    assert.deepEqual(await figures.today(), first);
    assert.equal(plans.length, 5);
  });
});
