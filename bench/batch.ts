import { setTimeout as pause } from 'node:timers/promises';
import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Pushes, pushNowAndThen } from './burst.ts';
import { type Figure, median, percentile, ratio, rounded, warmUp } from './load.ts';
import { openMerchants, type Stack } from './stack.ts';

const OTHERS = 4;
const ITEMS = 400;
const TOGETHER = { batches: 100, items: 8 };
const BALANCE_TZS = 100_000_000;
/** What is on its way when somebody pauses may still leave for so long. */
const PAUSE_GOAL_S = 5;
const PAUSE_WATCHED_MS = 15_000;

/**
 * A batch is in no hurry. What do other accounts notice of one while they push, how soon does nothing more of it leave once it
 * is paused, and do many that start together take turns?
 */
export async function batch(stack: Stack): Promise<Figure[]> {
  const [big = '', ...others] = await openMerchants(stack, { count: 1 + OTHERS, balance: BALANCE_TZS });
  await warmUp(() => stack.untilDelivered('payments/ussd', { key: newKey(), body: pushBody() }));
  const quiet = await pushNowAndThen(stack, others);
  const one = await startBatch(stack, big, ITEMS);
  await untilPaid(stack, [one], 20);
  const busy = await pushNowAndThen(stack, others);
  const [paidBeside = 0] = await untilPaid(stack, [one], 0);
  const paused = await pauseOf(stack, big, one);
  const row = (name: string, { ms, refused }: Pushes) => [
    name,
    rounded(median(ms)),
    ratio(median(ms), median(quiet.ms)),
    rounded(percentile(ms, 0.99)),
    ratio(percentile(ms, 0.99), percentile(quiet.ms, 0.99)),
    refused,
  ];
  return [
    {
      title: `Pushes of ${OTHERS} accounts in ms, beside a batch of ${ITEMS} of another one (${paidBeside} paid meanwhile)`,
      columns: ['', 'p50', 'of quiet', 'p99', 'of quiet', 'not accepted'],
      rows: [row('nobody else asks', quiet), row('beside the batch', busy)],
    },
    paused,
    await takingTurns(stack),
  ];
}

/** Checked and started; returns its id. Its maker starts it: who may is not measured. */
async function startBatch(stack: Stack, apiKey: string, count: number): Promise<string> {
  const items = Array.from({ length: count }, (_, i) => ({
    phone_number: `0754${100 + (i % 900)}456`,
    amount: 1_000 + i,
    currency: 'TZS',
  }));
  const body = { batch_number: newKey(), items };
  const made = await stack.request('POST', 'payouts/batches', { body, apiKey });
  const { id, items_hash } = made.json.batch ?? {};
  await stack.database.query(
    'UPDATE accounts SET batches_need_another = false FROM batches b WHERE b.id = $1 AND accounts.id = b.account_id',
    [id],
  );
  for (;;) {
    const { status, json, text } = await stack.request('POST', `payouts/batches/${id}/start`, {
      body: { items_hash },
      apiKey,
    });
    if (status === 200) return id;
    // A hundred at once: its flow may not have held the money before the answer was due.
    if (json.code !== 'outcome_unknown') throw new Error(`${made.text} ${text}`);
    await pause(1_000);
  }
}

/** How many are paid of each, once so many are together. */
async function untilPaid(stack: Stack, ids: readonly string[], wanted: number): Promise<number[]> {
  for (;;) {
    const { rows } = await stack.database.query(
      `SELECT id, (SELECT count(*)::int FROM transactions t WHERE t.batch_id = id.id AND t.status = 'paid') AS paid
       FROM unnest($1::uuid[]) AS id (id)`,
      [ids],
    );
    const paid: number[] = rows.map((row) => row.paid);
    if (paid.reduce((sum, some) => sum + some, 0) >= wanted) return paid;
    await pause(200);
  }
}

/** How long after the pause was answered items still left, and how many in all; then it goes on to its end. */
async function pauseOf(stack: Stack, apiKey: string, id: string): Promise<Figure> {
  const { rows: now } = await stack.database.query('SELECT clock_timestamp()::text AS at');
  await stack.request('POST', `payouts/batches/${id}/pause`, { apiKey });
  await pause(PAUSE_WATCHED_MS);
  const { rows } = await stack.database.query(
    `SELECT count(*)::int AS after, count(*) FILTER (WHERE s.handed_over_at > $2::timestamptz + $3 * interval '1 second')::int AS late,
       coalesce(max(extract(epoch FROM s.handed_over_at - $2::timestamptz)), 0)::float AS last
     FROM sends s JOIN transactions t ON t.id = s.transaction_id WHERE t.batch_id = $1 AND s.handed_over_at > $2::timestamptz`,
    [id, now[0]?.at, PAUSE_GOAL_S],
  );
  const [paid = 0] = await untilPaid(stack, [id], 0);
  await stack.request('POST', `payouts/batches/${id}/resume`, { apiKey });
  await untilPaid(stack, [id], ITEMS);
  const [{ after, late, last }] = rows;
  return {
    title: `A batch of ${ITEMS} is paused when ${paid - after} are paid`,
    columns: ['left after the pause', 'the last of them after s', `after ${PAUSE_GOAL_S} s`],
    rows: [[after, rounded(last), late]],
  };
}

async function takingTurns(stack: Stack): Promise<Figure> {
  const { batches, items } = TOGETHER;
  const keys = await openMerchants(stack, { count: batches, balance: BALANCE_TZS });
  const start = performance.now();
  const ids = await Promise.all(keys.map((key) => startBatch(stack, key, items)));
  const half = await untilPaid(stack, ids, (batches * items) / 2);
  const halfS = (performance.now() - start) / 1_000;
  await untilPaid(stack, ids, batches * items);
  const { rows } = await stack.database.query(
    `SELECT extract(epoch FROM last - began)::float AS s FROM (SELECT max(t.status_at) AS last, (SELECT min(started_at)
       FROM batches WHERE id = ANY($1::uuid[])) AS began FROM transactions t WHERE t.batch_id = ANY($1::uuid[]) GROUP BY t.batch_id) each`,
    [ids],
  );
  const ends = rows.map(({ s }) => s);
  return {
    title: `${batches} batches of ${items}, each of another account, started together (half was paid after ${rounded(halfS)} s)`,
    columns: ['', 'least', 'p50', 'most'],
    rows: [
      [
        'items paid of a batch, when half of all are',
        ...[Math.min(...half), median(half), Math.max(...half)],
      ],
      [
        'a batch is paid after s',
        ...[Math.min(...ends), median(ends), Math.max(...ends)].map((s) => rounded(s)),
      ],
    ],
  };
}
