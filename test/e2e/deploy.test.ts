// tests: hard
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RunningServer } from '../../sandbox/local/server-process.ts';
import { findTemporalCli } from '../../sandbox/local/tools/temporal-cli.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { mobilePayoutBody, newKey, pushBody } from '../support/gateway.ts';
import { type Parts, startParts } from '../support/parts.ts';
import { customer } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { createNextRelease } from './next-release.ts';

/** Each is paid in one part per phase, so the same bill is carried on by every version in turn. */
const BILLS = 4;
const PARTS = 4;
const PART = 1_000;
/** Payments and payouts that each phase must have seen begun and ended before the next one. */
const PER_PHASE = 6;

describe('a deploy under load, its way back, and a deploy again', function () {
  this.timeout(600_000);
  let parts: Parts;
  let next: Awaited<ReturnType<typeof createNextRelease>>;
  let load: ReturnType<typeof startLoad>;
  const bills: { id: string; number: string }[] = [];
  const workers: Record<string, RunningServer> = {};

  before(async () => {
    [parts, next] = await Promise.all([startParts(), createNextRelease()]);
  });
  after(async () => {
    await load?.stop();
    await parts?.stop();
    await next?.remove();
  });

  const buildIds = { old: '0.2.0-old', next: '0.3.0-next' };
  async function startWorker(release: 'old' | 'next'): Promise<void> {
    workers[release] = await parts.startWorker({
      ...(release === 'next' ? { entry: next.worker } : {}),
      environment: { BUILD_ID: buildIds[release] },
      isCurrent: false,
    });
  }
  async function stopWorker(release: 'old' | 'next'): Promise<void> {
    workers[release]?.child.kill('SIGTERM');
    await workers[release]?.exited;
  }
  const deploy = (...words: string[]) => parts.cli(['deploy', ...words]);
  /** As docs/operations/deploy.md says it; false while the workers are too new for Temporal. */
  async function rampNext(): Promise<boolean> {
    const cli = await findTemporalCli({ progress: () => {} });
    const words = 'worker deployment set-ramping-version --yes --deployment-name malipo --percentage 50';
    const where = ['--build-id', buildIds.next, '--address', parts.temporal.address];
    return promisify(execFile)(cli, [...words.split(' '), ...where]).then(
      () => true,
      () => false,
    );
  }

  /** Every bill gets one more part, and enough payments begin and end, with whatever version is current now. */
  async function phase(): Promise<void> {
    for (const { number } of bills) await payPart(number);
    await load.more(PER_PHASE);
  }

  async function payPart(controlNumber: string): Promise<void> {
    const receipt = newKey();
    const answer = await customer(parts, 'pay-bill', {
      control_number: controlNumber,
      amount: PART,
      phone_number: '0754123456',
      network: 'm-pesa',
      receipt,
    });
    assert.ok(answer.accepted, JSON.stringify(answer));
  }

  /** Waits until nothing needs the workers of a version, as the deploy job does. */
  const drained = (buildId: string) =>
    until(() => deploy('drain', buildId), { deadlineMs: 120_000, what: `${buildId} is drained` });

  it('begins with one version, which Temporal knows by its build id', async () => {
    await startWorker('old');
    assert.match(await deploy('current', buildIds.old), /0\.2\.0-old is current/);
    assert.match(await deploy('status'), /^0\.2\.0-old {2}current {2}\d+ open$/m);
    for (let bill = 0; bill < BILLS; bill += 1) {
      const body = {
        amount: PARTS * PART,
        payment_number: newKey(),
        payment_mode: 'flexible',
        description: 'Rent',
      };
      const { json, text } = await parts.request('POST', 'payments/billpay', { body });
      assert.ok(json.success, text);
      bills.push({ id: json.transaction_id, number: json.bill.reference });
    }
    load = startLoad(parts);
    await phase();
  });

  it('migrates and deploys the next release, side by side with the old one', async () => {
    const migrations = path.join(next.folder, 'migrations');
    assert.deepEqual(await migrate(parts.database, { folder: migrations }), ['9999_next.sql']);
    await startWorker('next');
    await until(rampNext, 'Temporal knows the next workers');
    assert.match(await deploy('status'), /^0\.3\.0-next {2}ramping 50 %/m);
    await load.more(PER_PHASE);
    await deploy('current', buildIds.next);
    await phase();
  });

  it('goes back: the old release carries on what it finds, and the next one ends what it began', async () => {
    assert.match(await deploy('check'), new RegExp(`^[${BILLS}-9] open flows can be continued$`, 'm'));
    await deploy('current', buildIds.old);
    await assert.rejects(deploy('drain', buildIds.old), /is current/);
    await phase();
    assert.deepEqual((await parts.temporal.look()).failed, []);
    await drained(buildIds.next);
    await stopWorker('next');
  });

  it('deploys again, and the workers of the old release stop once nothing needs them', async () => {
    await startWorker('next');
    await deploy('current', buildIds.next);
    await phase();
    await drained(buildIds.old);
    await stopWorker('old');
    await load.more(PER_PHASE);
  });

  it('ends with no failed workflow task, no refused request, and nothing pending', async () => {
    const { refused, ids } = await load.stop();
    assert.deepEqual(refused, []);
    assert.ok(ids.length > 4 * PER_PHASE, `${ids.length} payments`);
    const pending = "SELECT id, mode FROM transactions WHERE status = 'pending'";
    await until(async () => (await parts.database.query(pending)).rowCount === 0, 'nothing is pending');
    const { rows } = await parts.database.query(
      "SELECT status, count(*) FROM transactions WHERE mode = 'billpay' GROUP BY status",
    );
    assert.deepEqual(rows, [{ status: 'completed', count: BILLS }]);
    const { failed, versions } = await parts.temporal.look();
    assert.deepEqual(failed, []);
    const flows = versions.filter(({ type }) => ['ussdPush', 'payout'].includes(type));
    for (const { buildIds: own } of flows) assert.equal(own.length, 1, `it changed its version: ${own}`);
    assert.equal(new Set(flows.flatMap(({ buildIds: own }) => own)).size, 2, 'each version carried some');
    for (const { type, buildIds: own } of versions)
      if (type === 'billOrder') assert.deepEqual(own.sort(), Object.values(buildIds));
    assert.deepEqual(await checkInvariants(parts.database), []);
  });

  it('moves what a version left behind whose workers died, once its history was replayed', async () => {
    await startWorker('old');
    await deploy('current', buildIds.old);
    // 219: the network takes 10 s to answer.
    const body = mobilePayoutBody('219', 1_000);
    const { json, text } = await parts.request('POST', 'payouts/mobile', { key: newKey(), body });
    assert.ok(json.success, text);
    const id = json.transaction_id;
    const sends = 'SELECT 1 FROM sends WHERE transaction_id = $1';
    await until(async () => (await parts.database.query(sends, [id])).rowCount === 1, 'it is being sent');
    workers.old?.child.kill('SIGKILL');
    await deploy('current', buildIds.next);
    await assert.rejects(deploy('drain', buildIds.old), /1 open payments need the workers of 0\.2\.0-old/);
    await assert.rejects(deploy('drain', buildIds.old, '--move'), /only its own image knows/);
    const moved = await parts.cli(['deploy', 'drain', buildIds.old, '--move'], { BUILD_ID: buildIds.next });
    assert.match(moved, /^1 moved to 0\.3\.0-next$/m);
    assert.equal((await parts.outcome('payouts', id)).status, 'paid');
    assert.match(await deploy('drain', buildIds.old), /nothing needs the workers/);
  });
});

/** Pushes and payouts, one after the other, each looked up until it is final; what is not answered with 200 is noted. */
function startLoad(parts: Parts) {
  const ids: string[] = [];
  const refused: string[] = [];
  let ended = 0;
  let stopped = false;

  async function one(kind: 'payments' | 'payouts'): Promise<void> {
    const [where, body] =
      kind === 'payments'
        ? ['payments/ussd', pushBody()]
        : ['payouts/mobile', mobilePayoutBody('456', 1_000)];
    const { status, json, text } = await parts.request('POST', where as string, { key: newKey(), body });
    if (status !== 200) refused.push(text);
    if (status !== 200) return;
    ids.push(json.transaction_id);
    await parts.outcome(kind, json.transaction_id);
    ended += 1;
  }
  const client = async (kind: 'payments' | 'payouts') => {
    while (!stopped) await one(kind);
  };
  const running = Promise.all([client('payments'), client('payouts')]);
  running.catch(() => {});

  return {
    more: async (count: number) => {
      const wanted = ended + count;
      await Promise.race([running, until(() => ended >= wanted, `${count} more payments are final`)]);
    },
    async stop() {
      stopped = true;
      await running;
      return { ids, refused };
    },
  };
}
