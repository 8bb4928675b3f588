import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { RunningServer } from '../../sandbox/local/server-process.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { type CutProxy, startCutProxy } from '../support/cut-proxy.ts';
import { bankPayoutBody, mobilePayoutBody } from '../support/gateway.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import type { Step, StopPlan } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

const kinds = {
  'mobile payout': { path: 'payouts/mobile', body: mobilePayoutBody() },
  'bank payout': { path: 'payouts/bank', body: bankPayoutBody() },
} as const;
type Kind = keyof typeof kinds;

const frozenAt = [
  'before recordSend',
  'after recordSend',
  'before the channel call',
] as const satisfies Step[];

/** Its activities have timed out, another worker has done its work, and then it wakes up in the middle of a send. */
describe('a worker that is frozen (SIGSTOP) in the middle of its sends and thawed too late', () => {
  let folder: string;
  let parts: Parts;
  let proxy: CutProxy;
  let frozen: RunningServer;
  const cases = frozenAt.flatMap((step) =>
    (Object.keys(kinds) as Kind[]).map((kind) => ({
      step,
      kind,
      key: `${kind} ${step}`.replaceAll(' ', '-'),
    })),
  );
  const idOf = (key: string) => transactionIdOf(parts.accountId, key);
  const lines = (worker: 'frozen' | 'other', line: string) => {
    const file = path.join(folder, worker);
    if (!existsSync(file)) return 0;
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((one) => one === line).length;
  };

  before(async function () {
    this.timeout(120_000);
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-frozen-'));
    parts = await startParts();
    proxy = await startCutProxy(parts.temporal.address);
    const plan: StopPlan = {
      signal: 'SIGSTOP',
      at: Object.fromEntries(cases.map(({ key, step }) => [idOf(key), step])),
    };
    frozen = await parts.startWorker({
      entry: crashingWorker,
      environment: {
        TEMPORAL_ADDRESS: proxy.address,
        STOP_PLAN: JSON.stringify(plan),
        STOP_LOG: path.join(folder, 'frozen'),
      },
    });
    await Promise.all(
      cases.map(async ({ kind, key }) => {
        const { path: where, body } = kinds[kind];
        assert.equal((await parts.request('POST', where, { key, body })).status, 200);
      }),
    );
    await until(
      () => cases.every(({ key, step }) => lines('frozen', `stopped ${step} ${idOf(key)}`) === 1),
      'every send is at its step and the worker freezes',
    );
    proxy.cut();
    const STOP_LOG = path.join(folder, 'other');
    await parts.startWorker({ entry: crashingWorker, environment: { STOP_LOG } });
    await Promise.all(cases.map(({ key }) => finalOf(key)));
    frozen.child.kill('SIGCONT');
    await until(
      () => cases.every(({ key }) => lines('frozen', `sent ${idOf(key)}`) === 1),
      'the thawed worker has come to the end of its sends',
    );
  });
  after(async function () {
    this.timeout(30_000);
    frozen?.child.kill('SIGKILL');
    await parts?.stop();
    await proxy?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const finalOf = (key: string) =>
    until(
      async () => {
        const { json } = await parts.request('GET', `payouts/${idOf(key)}`);
        return json.status !== 'pending' && json;
      },
      { deadlineMs: 60_000, what: `${key} is final`, everyMs: 200 },
    );

  for (const { kind, step, key } of cases) {
    it(`${step}: a ${kind} is sent by the other worker, and its money moves once`, async () => {
      assert.equal((await finalOf(key)).status, 'paid');
      assert.equal(lines('other', `call ${idOf(key)}`), 1);
      const { rows } = await parts.database.query('SELECT reference FROM transactions WHERE id = $1', [
        idOf(key),
      ]);
      const { movements } = await parts.simulator(`truth?reference=${rows[0].reference}`);
      assert.equal(movements.length, 1);
    });

    // A process may freeze between any two machine instructions. What is handed to the network after all the checks
    // arrives late, and the channel, which knows the reference, refuses it.
    if (step === 'before the channel call') continue;
    it(`${step}: the thawed worker does not send a ${kind} any more`, () => {
      assert.equal(lines('frozen', `call ${idOf(key)}`), 0);
    });
  }

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
  });
});
