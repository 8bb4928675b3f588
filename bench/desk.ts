import { setTimeout as pause } from 'node:timers/promises';
import { pushNowAndThen } from './burst.ts';
import { plantTrade } from './desk-rows.ts';
import { type Figure, median, percentile, ratio, rounded, timed } from './load.ts';
import { merchantOf, openMerchants, type Stack } from './stack.ts';

/** BENCH_DESK_ROWS: fewer, to see that it works; the figures are those of two million. */
const STORED = Number(process.env.BENCH_DESK_ROWS) || 2_000_000;
const MERCHANTS = 50;
const PUSHING = 4;
const ROUNDS = 5;
/** A figure is read anew after a minute. */
const FRESH_MS = 61_000;
const DAY_MS = 86_400_000;

const dayAt = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const range = `from=${dayAt(-29)}&to=${dayAt(2)}`;

const lists = (merchant: string): [string, string][] => [
  ['payments of today', 'payments'],
  ['of 31 days', `payments?${range}`],
  ['of 31 days, M-Pesa', `payments?${range}&network=m-pesa`],
  ['of 31 days, failed', `payments?${range}&state=failed`],
  ['of 31 days, an amount that all have', `payments?${range}&amount=5000`],
  ['of 31 days, an amount that none has', `payments?${range}&amount=6000`],
  ['of 31 days, a merchant', `payments?${range}&merchant=${merchant}`],
  [
    'of 31 days, all filters',
    `payments?${range}&merchant=${merchant}&network=m-pesa&kind=ussd&amount_from=1000`,
  ],
  ['counts of 24 hours', 'counts'],
];
const figures = (merchant: string): [string, string][] => [
  ['figure: today', 'figures/today'],
  ['figure: networks', 'figures/networks'],
  ['figure: float', 'figures/float'],
  ['figure: suspense', 'figures/suspense'],
  ['figure: a merchant', `figures/merchants/${merchant}`],
  ['figure: days', 'days'],
];

type Read = { ms: number; lack: '' | 'too many to add up' | 'took too long: 422' };

/** What the desk reads, while two million transactions of 50 merchants are stored; and what pushes notice of it. */
export async function desk(stack: Stack): Promise<Figure[]> {
  const keys = await openMerchants(stack, { count: MERCHANTS, balance: 1_000_000 });
  const merchants = await Promise.all(keys.map((key) => merchantOf(stack, key)));
  await plantTrade(stack.local.database_url, merchants, Math.round(STORED / MERCHANTS));
  const [{ accountId: merchant } = { accountId: '' }] = merchants;
  const [operator] = stack.local.operators;

  async function read(path: string): Promise<Read> {
    let lack: Read['lack'] = '';
    const ms = await timed(async () => {
      const response = await fetch(`${stack.local.management_url}/operator/v1/${path}`, {
        headers: { authorization: `Bearer ${operator?.token}` },
      });
      const text = await response.text();
      if (response.status === 422 && text.includes('too long')) lack = 'took too long: 422';
      else if (response.status !== 200)
        throw new Error(`GET ${path} was answered ${response.status}: ${text}`);
      else if (JSON.parse(text).totals === null) lack = 'too many to add up';
    });
    return { ms, lack };
  }

  const rows: Figure['rows'] = [];
  for (const [name, path] of lists(merchant)) {
    const reads: Read[] = [];
    for (let round = 0; round < ROUNDS; round += 1) reads.push(await read(path));
    const all = reads.map(({ ms }) => ms);
    const lack = reads.find((one) => one.lack !== '')?.lack;
    rows.push([
      lack === undefined ? name : `${name} (${lack})`,
      rounded(median(all)),
      rounded(Math.max(...all)),
    ]);
  }
  const cold = new Map<string, number[]>();
  for (let round = 0; round < 2; round += 1) {
    if (round > 0) await pause(FRESH_MS);
    for (const [name, path] of figures(merchant))
      cold.set(name, [...(cold.get(name) ?? []), (await read(path)).ms]);
  }
  for (const [name, all] of cold) rows.push([name, rounded(median(all)), rounded(Math.max(...all))]);
  const title = `The desk with ${STORED.toLocaleString('en')} transactions of ${MERCHANTS} merchants, in ms`;
  return [{ title, columns: ['', 'p50', 'max'], rows }, await pushesBeside(stack, keys, { read, merchant })];
}

async function pushesBeside(
  stack: Stack,
  keys: readonly string[],
  { read, merchant }: { read: (path: string) => Promise<Read>; merchant: string },
): Promise<Figure> {
  const pushing = keys.slice(0, PUSHING);
  await pushNowAndThen(stack, pushing);
  const quiet = await pushNowAndThen(stack, pushing);
  let isOver = false;
  let count = 0;
  const reading = (async () => {
    while (!isOver)
      for (const [, path] of [...lists(merchant), ...figures(merchant)]) {
        await read(path);
        count += 1;
      }
  })();
  const beside = await pushNowAndThen(stack, pushing);
  isOver = true;
  await reading;
  const row = (name: string, { ms, refused }: typeof quiet) => [
    name,
    rounded(percentile(ms, 0.5)),
    rounded(percentile(ms, 0.99)),
    ratio(percentile(ms, 0.99), percentile(quiet.ms, 0.99)),
    refused,
  ];
  return {
    title: 'Answers to pushes beside one person who reads without a pause, in ms',
    columns: ['', 'p50', 'p99', 'p99 of quiet', 'not accepted'],
    rows: [row('nobody reads', quiet), row(`beside ${count} reads`, beside)],
  };
}
