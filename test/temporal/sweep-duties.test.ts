import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { createSweep } from '../../src/temporal/sweep.ts';
import { sweepAgeSeconds } from '../../src/transactions/fence.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('the duties of the sweep', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  /** A sweep of which the `failing`-th statement fails; none for -1. */
  async function sweepWith(failing: number) {
    const statements: string[] = [];
    const database = beforeStatements(test.database, async (_on, query) => {
      const text = String(query);
      if (/^(BEGIN|COMMIT|ROLLBACK)/.test(text)) return;
      statements.push(text);
      if (statements.length - 1 === failing) throw new Error('this one fails');
    });
    const client = {
      workflow: { async *list() {} },
    } as unknown as Client;
    const { sweep } = createSweep({
      database,
      client,
      unattendedAfterMs: 60_000,
      keepMark: async () => {},
      volumeAlarms: [],
      controlNumberPrefix: '881',
    });
    await test.database.query("UPDATE fence SET swept_at = now() - interval '1 hour'");
    const error = await sweep().then(
      () => null,
      (thrown: AggregateError) => thrown,
    );
    return { statements, error, isNoted: (await sweepAgeSeconds(test.database)) < 3_000 };
  }

  it('are all done whichever of their statements fails, and the sweep says which, and notes no success', async () => {
    const whole = await sweepWith(-1);
    assert.equal(whole.error, null);
    assert.equal(whole.isNoted, true);
    // The first ones see whether Postgres is the one that Temporal knows: without that nothing may be decided.
    const fence = whole.statements.findIndex((text) => text.includes('unapplied'));
    const noted = whole.statements.length - 1;
    assert.ok(fence > 0 && noted - fence > 8, `${fence} ${noted}`);
    for (let failing = fence; failing < noted; failing += 1) {
      const { statements, error, isNoted } = await sweepWith(failing);
      assert.equal(error?.errors.length, 1, whole.statements[failing]);
      assert.match(String(error?.errors[0]?.message), /^the sweep could not \w/);
      assert.equal(isNoted, false);
      const missing = whole.statements.slice(0, noted).filter((text) => !statements.includes(text));
      // A duty of several statements goes no further than the one that failed.
      assert.ok(missing.length <= 2, missing.join(';'));
    }
  });
});
