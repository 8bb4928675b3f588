import { setTimeout as pause } from 'node:timers/promises';
import { newKey, pushBody } from '../test/support/gateway.ts';
import { type Figure, type Picture, percentile, perSecond, ratio, rounded, timed, warmUp } from './load.ts';
import { openMerchants, type Stack } from './stack.ts';

const MERCHANTS = 4;
const SUSTAINED = 120;
/** Of what can be done: each for so long, and the first is what the others are compared with. */
const LEVELS = [0.25, 0.5, 0.75, 1, 1.5, 2];
const LEVEL_SECONDS = 20;
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
 * when it is asked for as much as it can do; and how long an answer takes with many clients and at each level of load,
 * beside a quarter of what can be done.
 */
export async function overload(stack: Stack): Promise<Figure> {
  const shop = { stack, keys: await openMerchants(stack, { count: MERCHANTS, balance: 1 }) };
  const { isFlat } = await warmUp(() => pushUntilTaken(shop));
  const sustained = await sustain(shop);
  const levels: Level[] = [];
  for (const times of LEVELS) levels.push(await atLevel(shop, times * sustained, LEVEL_SECONDS));
  await askWithClients(shop, WARM_UP_SECONDS);
  const clients = await askWithClients(shop, CLIENTS_SECONDS);
  await quiet(stack);
  const beyond = await atLevel(shop, TIMES * sustained, OVERLOAD_SECONDS, () => pause(RECOVERY_MS));
  const afterwards = await sustain(shop);
  const quarter = percentile(levels[0]?.counts.ms ?? [], 0.5);
  const row = (name: string, counts: Counts, delivered: number | null) => [
    name,
    delivered === null ? '' : rounded(delivered),
    delivered === null ? '' : ratio(delivered, sustained),
    rounded(percentile(counts.ms, 0.5)),
    rounded(percentile(counts.ms, 0.99)),
    ratio(percentile(counts.ms, 0.5), quarter),
    counts.ms.length,
    counts.refused,
    `${counts.unknown} (${rounded((100 * counts.unknown) / askedOf(counts))} %)`,
  ];
  const none = ['', '', '', '', '', ''];
  return {
    title: `Pushes at ${TIMES} times what can be done, for ${OVERLOAD_SECONDS} s${isFlat ? '' : ' (NOT FLAT before it counted)'}`,
    columns: [
      '',
      'delivered/s',
      'of sustained',
      'p50 ms',
      'p99 ms',
      'of a quarter',
      'accepted',
      'refused',
      'unknown',
    ],
    rows: [
      ['as many as can be done', rounded(sustained), '×1.00', ...none],
      ...levels.map(({ counts, delivered }, at) => row(`${LEVELS[at]} times that`, counts, delivered)),
      row(`${CLIENTS} clients who ask again and again`, clients, null),
      row(`${TIMES} times that`, beyond.counts, beyond.delivered),
      [`${RECOVERY_MS / 1_000} s afterwards`, rounded(afterwards), ratio(afterwards, sustained), ...none],
    ],
    pictures: picturesOf([...levels, beyond]),
  };
}

type Level = { offered: number; delivered: number; counts: Counts };

/** `delivered`: divided by the time in which it was counted, which ends with the last request that began. */
async function atLevel(
  shop: Shop,
  offered: number,
  seconds: number,
  afterwards: () => Promise<unknown> = () => quiet(shop.stack),
): Promise<Level> {
  const [before, start] = [await countDelivered(shop.stack), performance.now()];
  let delivered = 0;
  const counts = await askAtRate(shop, {
    perSecond: offered,
    seconds,
    async over() {
      const count = (await countDelivered(shop.stack)) - before;
      delivered = (count * 1_000) / (performance.now() - start);
    },
  });
  await afterwards();
  return { offered, delivered, counts };
}

function picturesOf(levels: readonly Level[]): Picture[] {
  const places = levels.map(({ offered }) => rounded(offered));
  const axis = 'offered per second';
  const msAt = (share: number) => levels.map(({ counts }) => rounded(percentile(counts.ms, share)));
  return [
    {
      title: 'Delivered, by what is offered',
      axis,
      unit: 'per second',
      kind: 'lines',
      places,
      series: [
        { name: 'offered', values: places },
        { name: 'delivered', values: levels.map(({ delivered }) => rounded(delivered)) },
      ],
    },
    {
      title: 'How long an accepted push waits for its answer',
      axis,
      unit: 'ms',
      kind: 'lines',
      places,
      series: [
        { name: 'p50', values: msAt(0.5) },
        { name: 'p99', values: msAt(0.99) },
      ],
    },
  ];
}

const askedOf = ({ ms, refused, unknown }: Counts) => ms.length + refused + unknown;

let turn = 0;
function keyOf({ keys }: Shop): string {
  turn += 1;
  return keys[turn % keys.length] ?? '';
}

/** Pushes per second, until their callbacks are delivered, while a steady number of them is on its way. */
const sustain = (shop: Shop): Promise<number> => perSecond(SUSTAINED, () => pushUntilTaken(shop));

async function pushUntilTaken(shop: Shop): Promise<void> {
  const request = { key: newKey(), body: pushBody(), apiKey: keyOf(shop), once: true };
  for (;;) {
    const { status, json, text } = await shop.stack.request('POST', 'payments/ussd', request);
    if (status === 200) return shop.stack.watch.delivered(json.transaction_id);
    if (!json.retryable) throw new Error(text);
    await pause(RETRY_SOON_MS);
  }
}

/** Requests begin at this rate, whatever becomes of those before. `over` is called when the last one has begun. */
async function askAtRate(
  shop: Shop,
  load: { perSecond: number; seconds: number; over: () => Promise<void> },
): Promise<Counts> {
  const counts: Counts = { ms: [], refused: 0, unknown: 0 };
  const start = performance.now();
  const begun: Promise<number>[] = [];
  for (;;) {
    const seconds = (performance.now() - start) / 1_000;
    if (seconds >= load.seconds) break;
    while (begun.length < seconds * load.perSecond) begun.push(ask(shop, counts));
    await pause(10);
  }
  await load.over();
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

/** Requests that began before must not be counted. */
async function quiet({ database }: Stack): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    const { rowCount } = await database.query("SELECT 1 FROM transactions WHERE status = 'pending' LIMIT 1");
    if (rowCount === 0) return;
    await pause(200);
  }
  throw new Error('payments of the measurement before are still pending after two minutes');
}
