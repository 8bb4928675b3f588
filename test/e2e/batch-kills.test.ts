import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { checkInvariants } from '../../src/books/invariants.ts';
import { type Json, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { strike } from './strike.ts';

const ITEMS = 300;
/** Every way in which a channel can answer badly, and a refusal; most are paid. */
const ENDINGS = ['456', '139', '456', '149', '456', '159', '169', '456', '179', '039'];

describe('a batch under which processes die', () => {
  const gateway = useGateway();
  const get = async (where: string) => (await gateway.request('GET', where)).json;

  it('pays each item at most once: statement, items and the networks’ own book say the same', async () => {
    const before = (await get('balance')).balance;
    const items = Array.from({ length: ITEMS }, (_, i) => ({
      phone_number: `0754${String(100 + i)}${ENDINGS[i % ENDINGS.length]}`,
      amount: 10_000 + i,
      currency: 'TZS',
    }));
    const made = await gateway.request('POST', 'payouts/batches', { body: { batch_number: 'KILLS', items } });
    assert.deepEqual([made.status, made.json.batch?.errors], [200, []], made.text);
    const { id, items_hash } = made.json.batch;
    const start = () =>
      gateway.request('POST', `payouts/batches/${id}/start`, {
        body: { items_hash },
        apiKey: gateway.local.approver_api_key,
      });
    assert.equal((await start()).status, 200);
    const batch = async (): Promise<Json> => (await get(`payouts/batches/${id}`)).batch;
    const blows = [
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
    for (const [part, signal] of blows) {
      await strike(gateway, { part, signal });
      // So that the next blow meets another step.
      await pause(700);
    }
    const over = await until(
      async () => {
        const now = await batch().catch(() => null);
        return now?.status === 'finished' ? now : null;
      },
      { deadlineMs: 80_000, what: 'the batch is over', everyMs: 500 },
    );
    const { paid, failed, cancelled } = over.totals;
    assert.deepEqual([paid + failed, cancelled], [ITEMS, 0]);
    assert.ok(failed >= ITEMS / 10, 'some failed');

    const { database } = gateway;
    assert.deepEqual(await checkInvariants(database), []);
    const { rows } = await database.query(
      'SELECT reference, status, amount, fee FROM transactions WHERE batch_id = $1',
      [id],
    );
    const { movements } = await gateway.simulator('truth');
    const wrong = rows.filter(({ reference, status, amount }) => {
      const moved = movements.filter((one: Json) => one.reference === reference);
      return status === 'paid' ? moved.length !== 1 || moved[0].amount * 100 !== amount : moved.length !== 0;
    });
    assert.deepEqual(wrong, [], 'each is in the book of its network once, or not at all');
    const spent = rows
      .filter(({ status }) => status === 'paid')
      .reduce((sum, { amount, fee }) => sum + amount + fee, 0);
    const after = (await get('balance')).balance;
    assert.deepEqual([(before.current - after.current) * 100, after.reserved], [spent, before.reserved]);
    let lines = 0;
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await get(`statements?per_page=100&page=${page}`);
      for (const { reference, amount } of data)
        if (reference === 'KILLS' || rows.some((row) => row.reference === reference))
          lines += Number(amount.replaceAll(',', ''));
      if (page >= pagination.last_page) break;
    }
    assert.equal(Math.round(-lines * 100), spent);
    assert.equal((await start()).json.code, 'batch_state');
    const left = await get(`payouts/batches/${id}/items?status=failed`);
    assert.equal(left.pagination.total_items, failed);
    const again = await gateway.request('POST', 'payouts/batches', {
      body: { batch_number: 'KILLS-2', from_failed: id },
    });
    assert.deepEqual([again.json.batch?.totals.items, again.json.batch?.errors], [failed, []], again.text);
  }).timeout(400_000);
});
