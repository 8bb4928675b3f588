import { tryToEnd } from '../src/transactions/ending/end.ts';
import { createTransactionList } from '../src/transactions/rows/list.ts';
import { accept } from '../test/support/accept.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { seedTransactions } from '../test/support/many-transactions.ts';
import { createMerchant, type Merchant, pushRequest, submissionFor } from '../test/support/merchant.ts';
import type { Database } from '../test/support/queryable.ts';
import { succeeded } from '../test/support/scripted-channel.ts';
import { watchPlans } from '../test/support/watched.ts';
import { type Figure, median, perSecond, ratio, rounded, timed } from './load.ts';
import { merchantOf, openMerchants, type Stack, vacuum } from './stack.ts';

/** BENCH_LIST_ROWS: fewer, to see that it works; the figures are those of a million. */
const STORED = Number(process.env.BENCH_LIST_ROWS) || 1_000_000;
const ROUNDS = 25;
const WRITE_ROUNDS = 4;
const PUSHES_PER_ROUND = 150;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const range = `from=${daysAgo(230.123456)}&to=${daysAgo(30.654321)}`;
const half = 'phone_number=0754000000';

const lists: [string, string][] = [
  ['page 1', 'transactions'],
  ['page 1, completed payments', 'transactions?type=payment&status=completed'],
  ['page 1, cancelled (3 of all)', 'transactions?status=cancelled'],
  ['page 1, a phone number', 'transactions?phone_number=0754000777'],
  ['page 1, a metadata item', 'transactions?metadata[order]=INV-777'],
  ['page 1, the phone number of half of all', `transactions?${half}`],
  ['page 1, the metadata item of half of all', 'transactions?metadata[till]=1'],
  ['page 1, the receipt of half of all', 'transactions?reference=CK0'],
  ['page 1, a phone number and item that exclude each other', `transactions?${half}&metadata[till]=1`],
  ['page 1, 200 days, M-Pesa', `transactions?channel=m-pesa&${range}`],
  [
    'page 1, 200 days, everything at once',
    `transactions?type=payment&mode=ussd&status=completed&channel=m-pesa&${half}&metadata[till]=0&${range}`,
  ],
  ['page 1, bank payouts', 'payouts/bank/list'],
  ['page 1, paid bank payouts, 200 days', `payouts/bank/list?status=paid&${range}`],
  ['page 5,000', 'transactions?page=5000'],
  ['page 5,000, completed payments', 'transactions?type=payment&status=completed&page=5000'],
  ['page 5,000, the phone number of half of all', `transactions?${half}&page=5000`],
  ['page 5,000, 200 days', `transactions?${range}&page=5000`],
  ['page 5,000, bank payouts', 'payouts/bank/list?page=5000'],
  ['page 50,000, beyond what is counted', 'transactions?page=50000'],
];

/**
 * Lists of one account with a million transactions beside the look-up of one, asked in turns through the API; and
 * what keeping the lists costs those who accept and tryToEnd.
 */
export async function list(stack: Stack): Promise<Figure> {
  const written = await costOfListing();
  const [apiKey = ''] = await openMerchants(stack, { count: 1, balance: 1 });
  const merchant = await merchantOf(stack, apiKey);
  await seedTransactions(stack.database, merchant, STORED);
  await vacuum(stack);
  const { rows: one } = await stack.database.query("SELECT id FROM transactions WHERE reference = 'PYMANY5'");
  let refused = 0;
  // Without the check against the document, which takes longer for a page than for one transaction.
  const get = async (where: string) => {
    const response = await fetch(`${stack.local.api_url}/api/v1/${where}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if (response.status === 422 && text.includes('too long')) refused += 1;
    else if (response.status !== 200)
      throw new Error(`GET ${where} was answered ${response.status}: ${text}`);
  };
  const rowsOfLists: Figure['rows'] = [];
  for (const [name, where] of lists) {
    refused = 0;
    const lookups: number[] = [];
    const pages: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      lookups.push(await timed(() => get(`payments/${one[0].id}`)));
      pages.push(await timed(() => get(where)));
    }
    const [lookup, page] = [median(lookups), median(pages)];
    const label = refused > 0 ? `${name} (${refused} of ${ROUNDS} took too long: 422)` : name;
    rowsOfLists.push([label, rounded(page), rounded(lookup), ratio(page, lookup)]);
  }
  rowsOfLists.push([
    'sequential scans in the plans',
    await sequentialScans(stack.database, merchant),
    '',
    '',
  ]);
  return {
    title: `Lists of ${STORED.toLocaleString('en')} transactions of one account, in ms`,
    columns: ['', 'list', 'look-up', 'of a look-up'],
    rows: [...rowsOfLists, ...written],
  };
}

async function sequentialScans(real: Database, merchant: Merchant): Promise<number> {
  const { database, plans } = watchPlans(real);
  for (const filter of [{}, { status: 'completed' }, { msisdn: '255754000777' }, { from: `${daysAgo(20)}` }])
    for (const page of [1, 5_000])
      await createTransactionList(database)({ accountId: merchant.accountId, filter, page, perPage: 20 });
  return plans.filter((plan) => /Seq Scan on transactions\b/.test(plan)).length;
}

/** Pushes per second, accepted and settled in Postgres alone for one merchant, with what keeps the lists and without. */
async function costOfListing(): Promise<Figure['rows']> {
  const sides = [await writer(true), await writer(false)];
  const [listing = [], bare = []] = sides.map(() => [] as number[]);
  for (let round = 0; round <= WRITE_ROUNDS; round += 1) {
    for (const [at, side] of sides.entries()) {
      const rate = await perSecond(PUSHES_PER_ROUND, side.push);
      if (round > 0) (at === 0 ? listing : bare).push(rate);
    }
  }
  for (const side of sides) await side.drop();
  const [one, other] = [median(listing), median(bare)];
  return [
    ['accept and tryToEnd per second: listed, or not', rounded(one), rounded(other), ratio(one, other)],
  ];
}

async function writer(isListing: boolean) {
  const { database, drop } = await createTestDatabase({ poolMax: 8 });
  if (!isListing) {
    const indexes = ['newest', 'kinds', 'phone', 'channel_reference', 'metadata'];
    await database.query(`DROP INDEX ${indexes.map((name) => `transactions_${name}`).join(', ')};
      ALTER TABLE transactions DROP COLUMN metadata_hashes`);
  }
  const merchant = await createMerchant(database);
  return {
    drop,
    async push() {
      const submission = submissionFor(merchant, pushRequest(), { metadata: '{"order":"INV-1001"}' });
      await accept(database, submission);
      await tryToEnd(database, submission.transactionId, { kind: 'answer', result: succeeded(5_000) });
    },
  };
}
