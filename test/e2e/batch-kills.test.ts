// tests: hard
import assert from 'node:assert/strict';
import { channelResult } from '../../src/workflows/messages.ts';
import { plantDecision } from '../support/decision.ts';
import { type Json, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { itemOf, proveBatch, UNKNOWN } from './batch-proof.ts';
import { temporalOf } from './in-temporal.ts';
import { strike } from './strike.ts';

/** A storm is 10,000 items and 50 kills: 20 to 40 minutes. */
const ITEMS = Number(process.env.BATCH_ITEMS) || 300;
const KILLS = Number(process.env.BATCH_KILLS) || 6;
const BLOWS = [
  ['worker', 'SIGKILL'],
  ['worker', 'SIGKILL'],
  ['API', 'SIGKILL'],
  ['Temporal', 'SIGKILL'],
  ['worker', 'SIGKILL'],
  ['Postgres', 'SIGQUIT'],
  ['worker', 'SIGKILL'],
  ['Postgres', 'SIGKILL'],
  ['worker', 'SIGKILL'],
  ['Temporal', 'SIGKILL'],
] as const;

describe('a batch under which processes die', () => {
  const gateway = useGateway();
  const get = async (where: string) => (await gateway.request('GET', where)).json;

  it('pays each item at most once: statement, items and the networks’ own book say the same', async () => {
    const before = (await get('balance')).balance;
    const items = Array.from({ length: ITEMS }, (_, i) => itemOf(i));
    const made = await gateway.request('POST', 'payouts/batches', { body: { batch_number: 'KILLS', items } });
    assert.deepEqual([made.status, made.json.batch?.errors], [200, []], made.text);
    const { id, items_hash } = made.json.batch;
    const start = () =>
      gateway.request('POST', `payouts/batches/${id}/start`, {
        body: { items_hash },
        apiKey: gateway.local.approver_api_key,
      });
    assert.equal((await start()).status, 200);

    const states = async (): Promise<Json> =>
      (
        await gateway.database.query(
          `SELECT count(*)::int AS accepted, count(*) FILTER (WHERE status = 'pending')::int AS pending
           FROM transactions WHERE batch_id = $1`,
          [id],
        )
      ).rows[0];
    const progressed = (isSo: (now: Json) => boolean, what: string) =>
      until(async () => isSo(await states()), { deadlineMs: 60_000 + ITEMS * 100, what, everyMs: 500 });
    const begun = performance.now();
    for (let blow = 0; blow < KILLS; blow += 1) {
      const [part, signal] = BLOWS[blow % BLOWS.length] ?? BLOWS[0];
      // Spread over the batch, so that each meets another step.
      const share = (blow * ITEMS) / (KILLS + 2);
      await progressed(({ accepted, pending }) => accepted - pending >= share, `${share} items have ended`);
      await strike(gateway, { part, signal });
      if (process.env.BATCH_KILLS)
        console.log(
          `${Math.round((performance.now() - begun) / 1_000)} s: ${part}, ${Math.round(share)} over`,
        );
    }
    const unknown = items.filter((item) => UNKNOWN.some((ending) => item.to.endsWith(ending))).length;
    assert.ok(unknown > 0);
    await progressed(
      ({ accepted, pending }) => accepted === ITEMS && pending === unknown,
      'all have ended but those of which nobody knows',
    );
    assert.equal((await get(`payouts/batches/${id}`)).batch.status, 'running');
    const temporal = await temporalOf(gateway);
    try {
      const { rows } = await gateway.database.query(
        "SELECT id FROM transactions WHERE batch_id = $1 AND status = 'pending'",
        [id],
      );
      for (const row of rows) {
        await plantDecision(gateway.database, row.id, 'failed');
        await temporal.client.workflow.getHandle(`transaction/${row.id}`).signal(channelResult, 'stored');
      }
      const over = await until(async () => {
        const { batch } = await get(`payouts/batches/${id}`);
        return batch.status === 'finished' ? batch : null;
      }, 'the batch is over');
      await proveBatch(gateway, {
        temporal,
        batch: over,
        items: ITEMS,
        before,
        decided: rows.map((row) => row.id),
      });
    } finally {
      await temporal.close();
    }
    assert.equal((await start()).json.code, 'batch_state');
    const again = await gateway.request('POST', 'payouts/batches', {
      body: { batch_number: 'KILLS-2', from_failed: id },
    });
    const left = await get(`payouts/batches/${id}/items?status=failed`);
    // What failed and was paid late all the same: to pay it again needs a word.
    const { rows: paidLate } = await gateway.database.query(
      `SELECT t.id FROM transactions t WHERE t.batch_id = $1 AND t.status = 'failed'
       AND EXISTS (SELECT FROM suspense_items s WHERE s.transaction_id = t.id)`,
      [id],
    );
    assert.ok(paidLate.length > 0, 'some were paid late');
    const { totals, errors }: Json = again.json.batch ?? {};
    assert.deepEqual(
      [totals?.items, errors?.length],
      [left.pagination.total_items, paidLate.length],
      again.text,
    );
    for (const { message } of errors) assert.match(message, /^was paid the same amount at /);
  }).timeout(340_000 + ITEMS * 300);
});
