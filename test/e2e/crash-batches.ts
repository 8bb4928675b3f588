import assert from 'node:assert/strict';
import { scopes } from '../../src/accounts/keys.ts';
import { loadConfig } from '../../src/config/config.ts';
import { keyRing } from '../../src/config/fields.ts';
import { dayOf } from '../../src/domain/day.ts';
import { createTemporalClient } from '../../src/platform/temporal/connect.ts';
import {
  batchIdOf,
  dailyKeyOf,
  settlementPartIdOf,
  transactionIdOf,
} from '../../src/transactions/acceptance/idempotency.ts';
import { taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import type { Json } from '../support/gateway.ts';
import { createTestKeys } from '../support/keys.ts';
import { createMerchant } from '../support/merchant.ts';
import type { Parts } from '../support/parts.ts';
import { pick } from '../support/pick.ts';
import { setRule } from '../support/settlement.ts';
import { until } from '../support/wait.ts';
import type { Flow } from './crashes.ts';
import { batchSteps, DAILY, type Step } from './stop-at.ts';

/** Here somebody cancels it while one item waits and one is on its way. */
const whereCancelled: readonly Step[] = ['before the rest goes back', 'after the rest went back'];
const AMOUNTS = [10_000, 11_000, 12_000];
const PARTS_OF_ONE = 2;
let phones = 99;

const untilTrue = (what: string, isDone: () => Promise<unknown>) =>
  until(isDone, { deadlineMs: 100_000, what, everyMs: 300 });

type Shop = { accountId: string; apiKey?: string; approver: string };
type Batch = { shop: Shop; number: string; id: string; batch: Json };

/** A case may wait at its step with its account locked, so each has an account of its own. */
async function openShop({ database, environment }: Parts, balance: number) {
  const merchant = await createMerchant(database, { balance });
  const { accountId } = merchant;
  const hashSecrets = keyRing.parse(environment.KEY_HASH_SECRET);
  const keys = createTestKeys({ database, hashSecrets });
  const keyOf = async (holder: string) =>
    (await keys.createKey({ accountId, scopes, actor: 'test', holder })).apiKey;
  return { merchant, accountId, apiKey: await keyOf('asha'), approver: await keyOf('juma') };
}

/** One is paid, one as well though its channel breaks off, one fails; where it is cancelled, one takes long and one never begins. */
export const batches: Flow = {
  what: 'batch',
  steps: [...batchSteps, 'before callback send', 'after callback send', 'after callback record'],
  fact: () => 'ends, each item is paid at most once, and nothing is left of its hold',
  async make(parts, { step, name }) {
    const isCancelled = whereCancelled.includes(step);
    const shop = { accountId: parts.accountId, approver: parts.approverApiKey };
    const endings = isCancelled ? ['456', '219', '466'] : ['456', '149', '039'];
    const one = await draft(parts, { shop, number: name, endings });
    if (isCancelled)
      await parts.database.query(
        "UPDATE batch_items SET begun_at = now() + interval '1 hour' WHERE batch_id = $1 AND position = 3",
        [one.id],
      );
    return {
      at: { [one.id]: step },
      ask: () => Promise.all([start(parts, one), isCancelled && cancelWhileOneWaits(parts, one)]),
      async assertRight() {
        await untilTrue('it is told', () => isTold(parts, one.id));
        await assertOver(parts, one, isCancelled ? [2, 0, 1] : [2, 1, 0]);
      },
    };
  },
};

/** Between each two steps of a start: check, hold, commit, next run of the flow, first item, second item. */
export const batchStarts: Flow = {
  what: 'start of a batch',
  steps: [
    'before startBatch',
    'after its check',
    'before its hold is committed',
    'after startBatch',
    'before startItems',
    'while items begin',
  ],
  fact: () => 'pays each item once, and nothing is left of its hold',
  async make(parts, { step, name }) {
    const shop = await openShop(parts, 1_000_000);
    const one = await draft(parts, { shop, number: name, endings: ['456', '456', '456'] });
    return {
      at: { [one.id]: step },
      ask: () => start(parts, one),
      async assertRight() {
        const { rows, spent } = await assertOver(parts, one, [3, 0, 0]);
        assert.deepEqual(
          pick(rows, 'amount', 'status'),
          AMOUNTS.map((amount) => [amount * 100, 'paid']),
        );
        const { balance } = (await parts.request('GET', 'balance', { apiKey: shop.apiKey })).json;
        assert.deepEqual(balance, { current: 1_000_000 - spent / 100, reserved: 0 });
      },
    };
  },
};

async function draft(parts: Parts, of: { shop: Shop; number: string; endings: string[] }): Promise<Batch> {
  const { shop, number, endings } = of;
  phones += 1;
  const items = AMOUNTS.map((amount, i) => ({
    phone_number: `0754${phones}${endings[i]}`,
    amount,
    currency: 'TZS',
  }));
  const { status, json, text } = await parts.request('POST', 'payouts/batches', {
    body: { batch_number: number, items },
    ...keyOf(shop),
  });
  assert.deepEqual([status, json.batch?.errors], [200, []], text);
  return { shop, number, id: batchIdOf(shop.accountId, number), batch: json.batch };
}

const keyOf = ({ apiKey }: Shop) => (apiKey === undefined ? {} : { apiKey });

const start = (parts: Parts, { id, batch, shop }: Batch) =>
  untilTrue('its start is answered', async () => {
    const body = { items_hash: batch.items_hash };
    const answer = await parts.request('POST', `payouts/batches/${id}/start`, {
      body,
      apiKey: shop.approver,
    });
    return answer.status === 200 || answer.json.code === 'batch_state';
  });

async function cancelWhileOneWaits(parts: Parts, { id }: Batch): Promise<void> {
  await untilTrue('two of its items have begun', async () => {
    const { json } = await parts.request('GET', `payouts/batches/${id}/items`);
    return json.data.filter(({ status }: Json) => status !== 'waiting').length === 2;
  });
  const { status, text } = await parts.request('POST', `payouts/batches/${id}/cancel`);
  assert.equal(status, 200, text);
}

async function isTold({ database }: Parts, id: string): Promise<boolean> {
  const { rows } = await database.query(
    "SELECT state FROM callback_events WHERE event = 'batch.finished' AND body LIKE $1",
    [`%${id}%`],
  );
  assert.ok(rows.length <= 1, 'there is one end');
  return rows[0]?.state === 'delivered';
}

/** Networks, items and statement say the same. Returns its payouts and what they cost. */
async function assertOver(parts: Parts, one: Batch, ended: [number, number, number]) {
  const { id, shop, number } = one;
  const over: Json = await untilTrue('it is over', async () => {
    const { batch } = (await parts.request('GET', `payouts/batches/${id}`, keyOf(shop))).json;
    return ['finished', 'cancelled'].includes(batch.status) && batch;
  });
  const { paid, failed, cancelled } = over.totals;
  assert.deepEqual([paid, failed, cancelled], ended, JSON.stringify(over));
  const { rows } = await parts.database.query(
    `SELECT t.reference, t.status, t.amount, t.fee, b.held FROM transactions t JOIN batches b ON b.id = t.batch_id
     WHERE b.id = $1 ORDER BY t.amount`,
    [id],
  );
  let spent = 0;
  for (const { reference, status, amount, fee, held } of rows) {
    const { movements } = await parts.simulator(`truth?reference=${reference}`);
    assert.equal(movements.length, status === 'paid' ? 1 : 0, reference);
    assert.equal(held, 0);
    if (status === 'paid') spent += amount + fee;
  }
  assert.equal(await linesOf(parts, shop, [number, ...rows.map(({ reference }) => reference)]), -spent);
  return { rows, spent };
}

async function linesOf(parts: Parts, shop: Shop, references: readonly string[]): Promise<number> {
  let sum = 0;
  for (let page = 1; ; page += 1) {
    const where = `statements?per_page=100&page=${page}`;
    const { json } = await parts.request('GET', where, keyOf(shop));
    for (const { reference, amount } of json.data)
      if (references.includes(reference)) sum += Number(amount.replaceAll(',', ''));
    if (page >= json.pagination.last_page) return Math.round(sum * 100);
  }
}

const fact = () => 'is paid once, in its two parts';

async function assertPaid(parts: Parts, id: string): Promise<void> {
  const ids = Array.from({ length: PARTS_OF_ONE }, (_, index) => settlementPartIdOf(id, index));
  const ended = await untilTrue('both parts are paid', async () => {
    const { rows } = await parts.database.query(
      "SELECT reference FROM transactions WHERE id = ANY($1::uuid[]) AND status = 'paid'",
      [ids],
    );
    return rows.length === PARTS_OF_ONE && rows;
  });
  for (const { reference } of ended as Json[])
    assert.equal((await parts.simulator(`truth?reference=${reference}`)).movements.length, 1);
}

export const settlements: Flow = {
  what: 'settlement that is asked for',
  steps: ['before accept', 'after accept', 'before parts begin', 'after parts began'],
  fact,
  async make(parts, { step, name: key }) {
    const { merchant, apiKey } = await openShop(parts, 2_000_000);
    // Not settled by the day, too.
    const otherDay = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7;
    await setRule(parts.database, merchant, { days: [otherDay] });
    const id = transactionIdOf(merchant.accountId, key);
    const body = { amount: 1_500_000 };
    return {
      at: { [step.includes('accept') ? id : settlementPartIdOf(id, 1)]: step },
      ask: () =>
        untilTrue('it is answered', async () => {
          const { status } = await parts.request('POST', 'payouts/settlement', { key, body, apiKey });
          return status === 200;
        }),
      assertRight: () => assertPaid(parts, id),
    };
  },
};

/** The run of a day settles it, whose own end is a step, too: each account is settled once. */
export const dailySettlements: Flow = {
  what: 'settlement of a day',
  steps: ['before accept', 'after accept', 'after the day'],
  fact,
  async make(parts, { step }) {
    const merchant = await createMerchant(parts.database, { balance: 1_500_000 });
    await setRule(parts.database, merchant);
    const id = transactionIdOf(merchant.accountId, dailyKeyOf(dayOf(new Date())));
    const isOfRun = step === 'after the day';
    return {
      at: { [isOfRun ? DAILY : id]: step },
      ask: async () => isOfRun && startDay(parts),
      async assertRight() {
        await assertPaid(parts, id);
        const count = 'SELECT count(*)::int AS payouts FROM transactions WHERE account_id = $1';
        const { rows } = await parts.database.query(count, [merchant.accountId]);
        assert.equal(rows[0].payouts, PARTS_OF_ONE);
      },
    };
  },
};

async function startDay({ environment }: Parts): Promise<void> {
  const { client, close } = createTemporalClient(loadConfig(environment));
  await client.workflow.start(workflowTypes.settleDaily, {
    workflowId: 'settlements',
    taskQueue: taskQueues.money,
  });
  await close();
}
