import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config/config.ts';
import { dayOf } from '../../src/domain/day.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import {
  batchIdOf,
  dailyKeyOf,
  settlementPartIdOf,
  transactionIdOf,
} from '../../src/transactions/acceptance/idempotency.ts';
import { taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import type { Json } from '../support/gateway.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { merchantOf } from '../support/paid-push.ts';
import { crashingWorker, type Parts, startParts } from '../support/parts.ts';
import { setRule } from '../support/settlement.ts';
import { batchSteps, DAILY, type Step, type StopPlan } from '../support/stop-at.ts';
import { until } from '../support/wait.ts';

const steps = [
  ...batchSteps,
  'before callback send',
  'after callback send',
  'after callback record',
] as const;
/** Here somebody cancels it while one item waits and one is on its way. */
const whereCancelled: readonly Step[] = ['before the rest goes back', 'after the rest went back'];
const asked = ['before accept', 'after accept', 'before parts begin', 'after parts began'] as const;
const daily = ['before accept', 'after accept'] as const;
const PARTS_OF_ONE = 2;

/** One batch and one settlement at each of their steps, a worker that one blow kills there, and another that goes on. */
describe('a worker that is killed between the steps of batches and settlements', () => {
  const log = path.join(os.tmpdir(), `malipo-stops-batches-${process.pid}.log`);
  const batches = new Map<Step, { id: string; number: string }>();
  const settlements = new Map<string, { merchant: Merchant; id: string; at: Record<string, Step> }>();
  let parts: Parts;

  const batchNow = async (id: string): Promise<Json> =>
    (await parts.request('GET', `payouts/batches/${id}`)).json.batch;
  const start = async ({ id, items_hash }: Json) => {
    const answer = await parts.request('POST', `payouts/batches/${id}/start`, {
      body: { items_hash },
      apiKey: parts.approverApiKey,
    });
    return answer.status === 200 || answer.json.code === 'batch_state';
  };

  before(async function () {
    this.timeout(180_000);
    parts = await startParts();
    const made = await Promise.all(steps.map((step, index) => draft(step, index)));
    await prepareSettlements();
    const plan: StopPlan = {
      signal: 'SIGKILL',
      at: Object.assign(
        { [DAILY]: 'after the day' },
        Object.fromEntries([...batches].map(([step, { id }]) => [id, step])),
        ...[...settlements.values()].map(({ at }) => at),
      ),
    };
    const worker = await parts.startWorker({
      entry: crashingWorker,
      environment: { STOP_PLAN: JSON.stringify(plan), STOP_LOG: log },
    });
    const answers = Promise.all([...made.map((batch) => untilTrue(() => start(batch))), ...askToSettle()]);
    await startDay();
    await Promise.all(whereCancelled.map(cancelWhileOneWaits));
    await until(() => worker.child.signalCode === 'SIGKILL', {
      deadlineMs: 40_000,
      what: 'all are at their steps and the worker dies',
    }).catch((error) => {
      throw new Error(`${error.message}; there: ${readFileSync(log, 'utf8')} ${worker.lastOutput()}`);
    });
    await parts.startWorker({ entry: crashingWorker, environment: { STOP_LOG: log } });
    await answers;
  });
  after(async function () {
    this.timeout(30_000);
    rmSync(log, { force: true });
    await parts?.stop();
  });

  /** One is paid, one as well though its channel breaks off, one fails; where it is cancelled, one takes long and one never begins. */
  async function draft(step: Step, index: number): Promise<Json> {
    const endings = whereCancelled.includes(step) ? ['456', '219', '466'] : ['456', '149', '039'];
    const items = endings.map((ending, i) => ({
      phone_number: `0754${100 + index}${ending}`,
      amount: 10_000 + i,
      currency: 'TZS',
    }));
    const number = `AT-${step.replaceAll(' ', '-')}`;
    const { status, json, text } = await parts.request('POST', 'payouts/batches', {
      body: { batch_number: number, items },
    });
    assert.deepEqual([status, json.batch?.errors], [200, []], text);
    const id = batchIdOf(parts.accountId, number);
    batches.set(step, { id, number });
    if (whereCancelled.includes(step))
      await parts.database.query(
        "UPDATE batch_items SET begun_at = now() + interval '1 hour' WHERE batch_id = $1 AND position = 3",
        [id],
      );
    return json.batch;
  }

  async function cancelWhileOneWaits(step: Step): Promise<void> {
    const { id } = batches.get(step) ?? assert.fail();
    await until(async () => (await itemsOf(id)).filter(({ status }) => status !== 'waiting').length === 2, {
      deadlineMs: 30_000,
      what: 'two of its items have begun',
    });
    const { status, text } = await parts.request('POST', `payouts/batches/${id}/cancel`);
    assert.equal(status, 200, text);
  }

  async function prepareSettlements(): Promise<void> {
    const demo = await merchantOf(parts.database, parts.accountId);
    const otherDay = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7;
    await setRule(parts.database, demo, { days: [otherDay] });
    for (const step of asked) {
      const id = transactionIdOf(demo.accountId, `settle ${step}`.replaceAll(' ', '-'));
      const at = step.includes('accept') ? id : settlementPartIdOf(id, 1);
      settlements.set(`asked ${step}`, { merchant: demo, id, at: { [at]: step } });
    }
    for (const step of daily) {
      const merchant = await createMerchant(parts.database, { balance: 1_500_000 });
      await setRule(parts.database, merchant);
      const id = transactionIdOf(merchant.accountId, dailyKeyOf(dayOf(new Date())));
      settlements.set(`daily ${step}`, { merchant, id, at: { [id]: step } });
    }
  }

  const askToSettle = () =>
    asked.map((step) =>
      untilTrue(async () => {
        const key = `settle ${step}`.replaceAll(' ', '-');
        const { status } = await parts.request('POST', 'payouts/settlement', {
          key,
          body: { amount: 1_500_000 },
        });
        return status === 200;
      }),
    );

  async function startDay(): Promise<void> {
    const { client, close } = createTemporalClient(loadConfig(parts.environment));
    await client.workflow.start(workflowTypes.settleDaily, {
      workflowId: 'settlements',
      taskQueue: taskQueues.money,
    });
    await close();
  }

  const untilTrue = (isDone: () => Promise<boolean>) =>
    until(isDone, { deadlineMs: 100_000, what: 'it is answered', everyMs: 300 });

  async function itemsOf(id: string): Promise<Json[]> {
    return (await parts.request('GET', `payouts/batches/${id}/items`)).json.data ?? [];
  }

  async function linesOf(references: readonly string[]): Promise<number> {
    let sum = 0;
    for (let page = 1; ; page += 1) {
      const { json } = await parts.request('GET', `statements?per_page=100&page=${page}`);
      for (const { reference, amount } of json.data)
        if (references.includes(reference)) sum += Number(amount.replaceAll(',', ''));
      if (page >= json.pagination.last_page) return Math.round(sum * 100);
    }
  }

  const wasStruck = (step: Step, id: string) =>
    assert.ok(readFileSync(log, 'utf8').includes(`stopped ${step} ${id}\n`), 'it was struck there');

  for (const step of steps) {
    it(`${step}: the batch ends, each item is paid at most once, and nothing is left of its hold`, async () => {
      const { id, number } = batches.get(step) ?? assert.fail();
      wasStruck(step, id);
      const over = await until(
        async () => {
          const now = await batchNow(id);
          return ['finished', 'cancelled'].includes(now?.status) && (await isTold(id)) ? now : null;
        },
        { deadlineMs: 100_000, what: 'it is over and told', everyMs: 300 },
      );
      const { paid, failed, cancelled } = over.totals;
      const isCancelled = whereCancelled.includes(step);
      assert.deepEqual([paid, failed, cancelled], isCancelled ? [2, 0, 1] : [2, 1, 0], JSON.stringify(over));
      const { rows } = await parts.database.query(
        `SELECT t.reference, t.status, t.amount, t.fee, b.held FROM transactions t JOIN batches b ON b.id = t.batch_id
         WHERE b.id = $1`,
        [id],
      );
      let spent = 0;
      for (const { reference, status, amount, fee, held } of rows) {
        const { movements } = await parts.simulator(`truth?reference=${reference}`);
        assert.equal(movements.length, status === 'paid' ? 1 : 0, reference);
        assert.equal(held, 0);
        if (status === 'paid') spent += amount + fee;
      }
      assert.equal(await linesOf([number, ...rows.map(({ reference }) => reference)]), -spent);
    }).timeout(120_000);
  }

  async function isTold(id: string): Promise<boolean> {
    const { rows } = await parts.database.query(
      "SELECT state FROM callback_events WHERE event = 'batch.finished' AND body LIKE $1",
      [`%${id}%`],
    );
    assert.ok(rows.length <= 1, 'there is one end');
    return rows[0]?.state === 'delivered';
  }

  for (const name of [...asked.map((step) => `asked ${step}`), ...daily.map((step) => `daily ${step}`)]) {
    it(`${name}: a settlement is paid once, in its two parts`, async () => {
      const { id, at } = settlements.get(name) ?? assert.fail();
      for (const [where, step] of Object.entries(at)) wasStruck(step, where);
      const ids = Array.from({ length: PARTS_OF_ONE }, (_, index) => settlementPartIdOf(id, index));
      const ended = await until(
        async () => {
          const { rows } = await parts.database.query(
            "SELECT reference FROM transactions WHERE id = ANY($1::uuid[]) AND status = 'paid'",
            [ids],
          );
          return rows.length === PARTS_OF_ONE ? rows : null;
        },
        { deadlineMs: 90_000, what: 'both are paid', everyMs: 300 },
      );
      for (const { reference } of ended)
        assert.equal((await parts.simulator(`truth?reference=${reference}`)).movements.length, 1);
    }).timeout(120_000);
  }

  it('the day that was settled when the worker died settles each account once', async () => {
    wasStruck('after the day' as Step, DAILY);
    for (const step of daily) {
      const { merchant } = settlements.get(`daily ${step}`) ?? assert.fail();
      const { rows } = await parts.database.query(
        'SELECT count(*)::int AS payouts FROM transactions WHERE account_id = $1',
        [merchant.accountId],
      );
      assert.equal(rows[0].payouts, PARTS_OF_ONE);
    }
  });

  it('leaves a ledger that adds up', async () => {
    assert.deepEqual(await checkInvariants(parts.database), []);
    const { rows } = await parts.database.query(
      `SELECT count(*)::int AS n FROM holds h WHERE NOT EXISTS (
         SELECT FROM hold_resolutions r WHERE r.transaction_id = h.transaction_id) AND h.transaction_id IS NOT NULL`,
    );
    assert.equal(rows[0].n, 0);
  });
});
