import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { PAYBACK_VALUE, plantPayback } from '../support/agreed-payback.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import type { Step, StopPlan } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

/** Each with the ending of the payer's number that lets it come to this step. */
const STEPS = {
  'before recordSend': '456',
  'after recordSend': '456',
  'before the channel call': '456',
  'after the channel call': '139',
  'after recordSendOutcome': '139',
  'while the send is open': '139',
  'before enquire': '149',
  'after the enquiry call': '149',
  'after enquire': '149',
  'before end': '456',
  'after end': '456',
} as const satisfies Partial<Record<Step, string>>;
const steps = Object.keys(STEPS) as (keyof typeof STEPS)[];

describe('a worker that is killed between any two steps of a payback', () => {
  let parts: Parts;
  const paybacks = new Map<Step, Awaited<ReturnType<typeof plantPayback>>>();
  const log = path.join(os.tmpdir(), `malipo-stops-${process.pid}-paybacks.log`);

  before(async function () {
    this.timeout(180_000);
    parts = await startParts();
    for (const step of steps)
      paybacks.set(
        step,
        await plantPayback(parts.database, {
          connection: 'mobile-money',
          msisdn: `255754123${STEPS[step]}`,
          timing: 'fast',
        }),
      );
    const at = Object.fromEntries([...paybacks].map(([step, { id }]) => [id, step]));
    const worker = await parts.startWorker({
      entry: crashingWorker,
      environment: { STOP_PLAN: JSON.stringify({ signal: 'SIGKILL', at } satisfies StopPlan), STOP_LOG: log },
    });
    for (const { id } of paybacks.values()) await parts.temporal.startPayback(id);
    await until(() => worker.child.signalCode === 'SIGKILL', {
      deadlineMs: 40_000,
      what: 'every payback is at its step and the worker dies',
    });
    await parts.startWorker({ entry: crashingWorker, environment: { STOP_LOG: log } });
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  for (const step of steps) {
    it(`${step}: its payer has the money once, and nobody is notified`, async () => {
      const { id, isOpen } = paybacks.get(step) ?? assert.fail('not planted');
      assert.ok(readFileSync(log, 'utf8').includes(`stopped ${step} ${id}\n`), 'it was struck there');
      const ended = "SELECT reference FROM transactions WHERE id = $1 AND status = 'paid'";
      const { reference } = await until(async () => (await parts.database.query(ended, [id])).rows[0], {
        deadlineMs: 60_000,
        what: `${step} is paid`,
        everyMs: 100,
      });
      const { movements } = await parts.simulator(`truth?reference=${reference}`);
      assert.deepEqual(
        movements.map(({ direction, amount }: { direction: string; amount: number }) => [direction, amount]),
        [['out', PAYBACK_VALUE / 100]],
      );
      assert.equal(await isOpen(), false);
      const events = 'SELECT 1 FROM callback_events WHERE transaction_id = $1';
      assert.equal((await parts.database.query(events, [id])).rowCount, 0);
    }).timeout(70_000);
  }

  it('leaves a ledger that adds up, and nothing on its way', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
    const { rows } = await parts.database.query(
      "SELECT sum(balance)::bigint AS payable FROM ledger_accounts WHERE kind = 'payable'",
    );
    assert.equal(Number(rows[0].payable), 0);
  });
});
