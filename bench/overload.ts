import { setTimeout as pause } from 'node:timers/promises';
import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, percentile, perSecond, ratio, rounded, timed } from './load.ts';
import { openMerchants, type Stack } from './stack.ts';

const MERCHANTS = 4;
const SUSTAINED = 120;
const QUARTER_SECONDS = 20;
const CLIENTS = 32;
const CLIENTS_SECONDS = 20;
/** So long they ask before it counts: how many may be in flight has to be found out. */
const WARM_UP_SECONDS = 5;
const TIMES = 3;
const OVERLOAD_SECONDS = 60;
/** So long after it the service has to be as it was. */
const RECOVERY_MS = 10_000;
const RETRY_AFTER_MS = 1_000;
/** A process that has just begun is slow, and refuses some. */
const RETRY_SOON_MS = 200;

type Counts = { ms: number[]; refused: number; unknown: number };
type Shop = { stack: Stack; keys: readonly string[] };

/**
 * What Malipo delivers while it is asked for three times what it can do, and ten seconds later, beside what it delivers
 * when it is asked for as much as it can do; and how long an answer takes with many clients, beside a quarter of that.
 */
export async function overload(stack: Stack): Promise<Figure> {
  const shop = { stack, keys: await openMerchants(stack, { count: MERCHANTS, balance: 1 }) };
  await sustain(shop, 24);
  const sustained = await sustain(shop);
  const quarter = await askAtRate(shop, { perSecond: sustained / 4, seconds: QUARTER_SECONDS });
  await askWithClients(shop, WARM_UP_SECONDS);
  const clients = await askWithClients(shop, CLIENTS_SECONDS);
  await quiet(stack);
  const before = await countDelivered(stack);
  const beyond = await askAtRate(shop, { perSecond: TIMES * sustained, seconds: OVERLOAD_SECONDS });
  const delivered = ((await countDelivered(stack)) - before) / OVERLOAD_SECONDS;
  await pause(RECOVERY_MS);
  const afterwards = await sustain(shop);
  const row = (name: string, counts: Counts, pushes: number | null) => [
    name,
    pushes === null ? '' : rounded(pushes),
    pushes === null ? '' : ratio(pushes, sustained),
    rounded(percentile(counts.ms, 0.5)),
    ratio(percentile(counts.ms, 0.5), percentile(quarter.ms, 0.5)),
    counts.ms.length,
    counts.refused,
    `${counts.unknown} (${rounded((100 * counts.unknown) / askedOf(counts))} %)`,
  ];
  const none = ['', '', '', '', ''];
  return {
    title: `Pushes at ${TIMES} times what can be done, for ${OVERLOAD_SECONDS} s`,
    columns: ['', 'delivered/s', 'of sustained', 'p50 ms', 'of a quarter', 'accepted', 'refused', 'unknown'],
    rows: [
      ['as many as can be done', rounded(sustained), '×1.00', ...none],
      row('a quarter of that', quarter, null),
      row(`${CLIENTS} clients who ask again and again`, clients, null),
      row(`${TIMES} times that`, beyond, delivered),
      [`${RECOVERY_MS / 1_000} s afterwards`, rounded(afterwards), ratio(afterwards, sustained), ...none],
    ],
  };
}

const askedOf = ({ ms, refused, unknown }: Counts) => ms.length + refused + unknown;

let turn = 0;
function keyOf({ keys }: Shop): string {
  turn += 1;
  return keys[turn % keys.length] ?? '';
}

/** Pushes per second, until their callbacks are delivered, while a steady number of them is on its way. */
function sustain(shop: Shop, count = SUSTAINED): Promise<number> {
  return perSecond(count, async () => {
    const request = { key: newKey(), body: pushBody(), apiKey: keyOf(shop), once: true };
    for (;;) {
      const { status, json, text } = await shop.stack.request('POST', 'payments/ussd', request);
      if (status === 200) return shop.stack.watch.delivered(json.transaction_id);
      if (!json.retryable) throw new Error(text);
      await pause(RETRY_SOON_MS);
    }
  });
}

/** Requests begin at this rate, whatever becomes of those before. */
async function askAtRate(shop: Shop, load: { perSecond: number; seconds: number }): Promise<Counts> {
  const counts: Counts = { ms: [], refused: 0, unknown: 0 };
  const start = performance.now();
  const begun: Promise<number>[] = [];
  for (;;) {
    const seconds = (performance.now() - start) / 1_000;
    if (seconds >= load.seconds) break;
    while (begun.length < seconds * load.perSecond) begun.push(ask(shop, counts));
    await pause(10);
  }
  await Promise.all(begun);
  return counts;
}

/** Each client asks again as soon as it has its answer, and later when it is refused, as it is asked to. */
async function askWithClients(shop: Shop, seconds: number): Promise<Counts> {
  const counts: Counts = { ms: [], refused: 0, unknown: 0 };
  const end = performance.now() + seconds * 1_000;
  const client = async () => {
    while (performance.now() < end) if ((await ask(shop, counts)) !== 200) await pause(RETRY_AFTER_MS);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return counts;
}

async function ask(shop: Shop, counts: Counts): Promise<number> {
  let answer = { status: 0, json: { code: '' } };
  const apiKey = keyOf(shop);
  const ms = await timed(async () => {
    answer = await shop.stack.request('POST', 'payments/ussd', {
      key: newKey(),
      body: pushBody(),
      apiKey,
      once: true,
    });
  });
  if (answer.status === 200) counts.ms.push(ms);
  else if (answer.json.code === 'outcome_unknown') counts.unknown += 1;
  else counts.refused += 1;
  return answer.status;
}

async function countDelivered({ database }: Stack): Promise<number> {
  const { rows } = await database.query(
    "SELECT count(*)::int AS count FROM callback_events WHERE state = 'delivered'",
  );
  return rows[0].count;
}

/** What was begun before must not be counted. */
async function quiet({ database }: Stack): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    const { rowCount } = await database.query("SELECT 1 FROM transactions WHERE status = 'pending' LIMIT 1");
    if (rowCount === 0) return;
    await pause(200);
  }
  throw new Error('payments of the measurement before are still pending after two minutes');
}
