import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { createSweep } from '../../src/app/sweep.ts';
import { raiseAttention } from '../../src/transactions/care/attention.ts';
import { sweepAgeSeconds } from '../../src/transactions/care/fence.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { useTestDatabase } from '../support/database.ts';
import { idleTemporal } from '../support/idle-temporal.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { until } from '../support/wait.ts';

function causesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
}

describe('the duties of the sweep', () => {
  const test = useTestDatabase();

  /** A sweep, and what it asks of Postgres. `ahead`: what happens before the n-th statement. */
  function sweepOn(client: Client, ahead: (n: number) => void = () => {}) {
    const statements: string[] = [];
    const database = beforeStatements(test.database, async (_on, query) => {
      const text = String(query);
      if (/^(BEGIN|COMMIT|ROLLBACK)/.test(text)) return;
      statements.push(text);
      ahead(statements.length - 1);
    });
    const { sweep } = createSweep({
      database,
      client,
      unattendedAfterMs: 60_000,
      submissionKeys,
      keepMark: async () => {},
      volumeAlarms: [],
      controlNumberPrefix: '881',
    });
    return { sweep, statements };
  }

  /** A sweep of which the `failing`-th statement fails; none for -1. */
  async function sweepWith(failing: number) {
    const { sweep, statements } = sweepOn(idleTemporal(), (n) => {
      if (n === failing) throw new Error('this one fails');
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
      // Temporal keeps what caused what, so people read the error itself there.
      assert.deepEqual(causesOf(error).slice(1), causesOf(error?.errors[0]));
      assert.equal(causesOf(error).at(-1), 'this one fails');
      assert.equal(isNoted, false);
      const missing = whole.statements.slice(0, noted).filter((text) => !statements.includes(text));
      // A duty of several statements goes no further than the one that failed.
      assert.ok(missing.length <= 4, missing.join(';'));
    }
  });

  it('are done where Temporal hangs as the attention list is shown there: that is the last one', async () => {
    const whole = (await sweepWith(-1)).statements;
    let goOn = () => {};
    const hanging = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { sweep, statements } = sweepOn(
      idleTemporal({
        async *list({ query }: { query: string }) {
          if (query.includes('attention')) await hanging;
          yield* [];
        },
      }),
    );
    const swept = sweep();
    // After them the list itself is read, and it is noted that all was done.
    const others = whole.slice(0, -2);
    await until(() => statements.length >= others.length, 'the other duties');
    assert.deepEqual(statements, others);
    goOn();
    await swept;
    assert.deepEqual(statements, whole);
  });

  it('end in time where Temporal is slow: the next sweep shows what one did not come to', async () => {
    for (let n = 0; n < 100; n += 1)
      await raiseAttention(test.database, { subject: `${n}`, reason: 'unexpected_payment', detail: 'x' });
    const { now } = performance;
    let laterMs = 0;
    performance.now = () => now.call(performance) + laterMs;
    const shown = new Set<string>();
    const client = idleTemporal({
      async *list({ query }: { query: string }) {
        if (query.includes('attention')) for (const workflowId of shown) yield { workflowId };
      },
      async start(_type: string, { workflowId }: { workflowId: string }) {
        shown.add(workflowId);
        laterMs += 1_000;
      },
    });
    try {
      await sweepOn(client).sweep();
      const { size } = shown;
      assert.ok(size > 10 && size < 50, `${size}`);
      await sweepOn(client).sweep();
      assert.ok(shown.size > size, `${shown.size}`);
    } finally {
      performance.now = now;
    }
  });
});
