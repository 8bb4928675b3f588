import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { batchIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import type { Json } from '../support/gateway.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import type { Step, StopPlan } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

/** Between each two steps of a start: check, hold, commit, next run of the flow, first item, second item. */
const STEPS: readonly Step[] = [
  'before startBatch',
  'after its check',
  'before its hold is committed',
  'after startBatch',
  'before startItems',
  'while items begin',
];
const AMOUNTS = [10_000, 11_000, 12_000];

/** The worker is frozen exactly there, so that it is seen where each of them dies. */
describe('a batch whose API or worker is killed while it starts', () => {
  const log = path.join(os.tmpdir(), `malipo-stops-starts-${process.pid}.log`);
  let parts: Parts;
  let made = 0;
  before(async function () {
    this.timeout(180_000);
    parts = await startParts();
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  async function draft(number: string): Promise<Json> {
    made += 1;
    const items = AMOUNTS.map((amount, i) => ({
      phone_number: `0754${String(made * 10 + i).padStart(3, '0')}456`,
      amount,
      currency: 'TZS',
    }));
    const { status, json, text } = await parts.request('POST', 'payouts/batches', {
      body: { batch_number: number, items },
    });
    assert.deepEqual([status, json.batch?.errors], [200, []], text);
    return json.batch;
  }
  const startOver = ({ request }: Pick<Parts, 'request'>, { id, items_hash }: Json) =>
    request('POST', `payouts/batches/${id}/start`, {
      body: { items_hash },
      apiKey: parts.approverApiKey,
    });
  const balance = async () => (await parts.request('GET', 'balance')).json.balance;

  for (const step of STEPS)
    for (const victims of [['API'], ['API', 'worker']]) {
      const who = victims.join(' and ');
      it(`${step}, the ${who}: each item is paid once, and nothing is left of its hold`, async () => {
        const number = `${step} ${who}`.replaceAll(' ', '-');
        const id = batchIdOf(parts.accountId, number);
        const before = await balance();
        const batch = await draft(number);
        const plan: StopPlan = { signal: 'SIGSTOP', at: { [id]: step } };
        const [worker, api] = await Promise.all([
          parts.startWorker({
            entry: crashingWorker,
            environment: { STOP_PLAN: JSON.stringify(plan), STOP_LOG: log },
          }),
          parts.startApi(),
        ]);
        const asked = startOver(api, batch).catch(() => null);
        await until(() => readFileSync(log, 'utf8').includes(`stopped ${step} ${id}\n`), {
          deadlineMs: 30_000,
          what: 'it is at its step',
        }).catch((error) => assert.fail(`${error.message}: ${worker.lastOutput()}`));
        if (victims.includes('API')) process.kill(api.server.child.pid ?? 0, 'SIGKILL');
        process.kill(worker.child.pid ?? 0, victims.includes('worker') ? 'SIGKILL' : 'SIGCONT');
        const next = victims.includes('worker') ? await parts.startWorker({ entry: crashingWorker }) : worker;
        await asked;
        await until(
          async () => {
            const { status, json } = await startOver(parts, batch);
            return status === 200 || json.code === 'batch_state';
          },
          { deadlineMs: 60_000, what: 'its start is answered', everyMs: 200 },
        );
        await assertPaidOnce(id, before);
        // The next case has no other worker than its own.
        await next.stop(8_000);
        await api.server.stop(8_000);
      }).timeout(240_000);
    }

  async function assertPaidOnce(id: string, before: Json): Promise<void> {
    await until(
      async () => (await parts.request('GET', `payouts/batches/${id}`)).json.batch.status === 'finished',
      { deadlineMs: 60_000, what: 'it is over', everyMs: 200 },
    );
    const { rows } = await parts.database.query(
      `SELECT t.reference, t.status, t.amount, t.fee, b.held FROM transactions t JOIN batches b ON b.id = t.batch_id
       WHERE b.id = $1 ORDER BY t.amount`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ amount, status, held }) => [amount, status, held]),
      AMOUNTS.map((amount) => [amount * 100, 'paid', 0]),
    );
    for (const { reference } of rows)
      assert.equal((await parts.simulator(`truth?reference=${reference}`)).movements.length, 1, reference);
    const spent = rows.reduce((sum, { amount, fee }) => sum + amount + fee, 0) / 100;
    assert.deepEqual(await balance(), { current: before.current - spent, reserved: before.reserved });
    assert.deepEqual(await checkInvariants(parts.database), []);
  }
});
