import { randomUUID } from 'node:crypto';
import { receiveBillPayment } from '../src/transactions/ending/bills.ts';
import { paymentOf } from '../test/support/bill-customer.ts';
import type { Merchant } from '../test/support/merchant.ts';
import { makeNumber } from '../test/support/numbers.ts';
import type { Database } from '../test/support/queryable.ts';
import { type Figure, median, ratio, rounded, timed } from './load.ts';
import { merchantOf, openMerchants, type Stack, vacuum } from './stack.ts';

/** BENCH_NUMBER_PAYMENTS: fewer, to see that it works; the figures are those of a million. */
const PAYMENTS = Number(process.env.BENCH_NUMBER_PAYMENTS) || 1_000_000;
const ROUNDS = 25;
const DOOR_ROUNDS = 200;
/** How many rows one statement stores. */
const BATCH = 5_000;

/**
 * A number that was paid a million times: its lists beside the look-up of one payment, asked in turns through the API; and the
 * door, for a payment of it and of a number that nobody has paid, in turns.
 */
export async function oneNumber(stack: Stack): Promise<Figure> {
  const [apiKey = ''] = await openMerchants(stack, { count: 1, balance: 1 });
  const merchant = await merchantOf(stack, apiKey);
  const full = await makeNumber(stack.database, merchant, { customerReference: 'FULL' });
  const fresh = await makeNumber(stack.database, merchant, { customerReference: 'FRESH' });
  const before = await doors(stack.database, { full: full.controlNumber, fresh: fresh.controlNumber });
  const [one] = await plant(stack.database, merchant, full);
  await vacuum(stack);
  const get = async (where: string) => {
    const response = await fetch(`${stack.local.api_url}/api/v1/${where}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${where} was answered ${response.status}: ${text}`);
  };
  const rows: Figure['rows'] = [];
  for (const [name, where] of [
    ['page 1, its reference', 'transactions?reference=FULL'],
    ['page 1, its control number', `transactions?reference=${full.controlNumber}`],
    ['page 1, its receipt', 'transactions?reference=ONE777'],
    ['page 1, payments of numbers', 'transactions?mode=number'],
    ['page 1, all', 'transactions'],
    ['page 500, its reference', 'transactions?reference=FULL&page=500'],
    ['the number itself', `payments/numbers/${full.id}`],
    ['the list of numbers', 'payments/numbers'],
  ] as const) {
    const [pages, lookups]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      lookups.push(await timed(() => get(`payments/${one}`)));
      pages.push(await timed(() => get(where)));
    }
    rows.push([
      name,
      rounded(median(pages)),
      rounded(median(lookups)),
      ratio(median(pages), median(lookups)),
    ]);
  }
  const after = await doors(stack.database, { full: full.controlNumber, fresh: fresh.controlNumber });
  for (const [name, { full: its, fresh: other }] of [
    ['the door, before', before],
    ['the door, with all of them; beside a number without', after],
  ] as const)
    rows.push([name, rounded(its), rounded(other), ratio(its, other)]);
  return {
    title: `${PAYMENTS.toLocaleString('en')} payments of one number, in ms`,
    columns: ['', 'it', 'look-up, or the other', 'ratio'],
    rows,
  };
}

/** The middle time of a payment at the door, one after the other, from its first statement to its commit. */
async function doors(database: Database, numbers: { full: string; fresh: string }) {
  const [full, fresh]: [number[], number[]] = [[], []];
  const pay = (number: string) =>
    timed(async () => {
      const { outcome } = await receiveBillPayment(
        database,
        paymentOf(number, 5_000, { receipt: randomUUID() }),
      );
      if (outcome !== 'accepted') throw new Error(`the door says ${outcome}`);
    });
  for (let round = -20; round < DOOR_ROUNDS; round += 1) {
    const [its, other] = [await pay(numbers.full), await pay(numbers.fresh)];
    if (round >= 0) [full, fresh].map((times, at) => times.push(at === 0 ? its : other));
  }
  return { full: median(full), fresh: median(fresh) };
}

/** Payments as the door writes them, one for every 30 seconds, without their lines in the ledger: no list reads those. */
async function plant(
  database: Database,
  merchant: Merchant,
  number: { id: string; controlNumber: string },
): Promise<string[]> {
  for (let last = PAYMENTS; last > 0; last -= BATCH) {
    const values = [
      merchant.accountId,
      merchant.apiKeyId,
      Math.max(1, last - BATCH + 1),
      last,
      number.id,
      number.controlNumber,
    ];
    await database.query(
      `WITH made AS (
         INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
           fee_version, settled, channel, reference, channel_reference, msisdn, metadata, timing, number_id, created_at,
           updated_at, status_at, connection)
         SELECT md5($5 || '/' || n)::uuid, $1, $2, md5($5 || '/' || n)::uuid, 'payment', 'number', 'completed', 'payment.received',
           500000, 'TZS', 10000, 'test', 490000, 'm-pesa', 'PYONE' || n, 'ONE' || n, '255754' || lpad((n % 900000)::text, 6, '0'),
           '{}', '{}', $5::uuid, moment, moment, moment, 'gsma'
         FROM generate_series($3::int, $4::int) n CROSS JOIN LATERAL (SELECT now() - n * interval '30 seconds' AS moment) at
         RETURNING id, amount, fee, channel_reference, msisdn, created_at)
       INSERT INTO bill_receipts (space, receipt, channel, transaction_id, control_number, amount, currency, msisdn, connection,
         outcome, number, fee, received_at, signalled_at)
       SELECT 'gsma', channel_reference, 'm-pesa', id, $6, amount, 'TZS', msisdn, 'gsma', 'accepted', 1, fee, created_at, created_at FROM made`,
      values,
    );
  }
  const { rows } = await database.query("SELECT id FROM transactions WHERE reference = 'PYONE5'");
  return rows.map(({ id }) => id);
}
