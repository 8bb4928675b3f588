import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import type { TransactionFilter } from '../../src/transactions/rows/list-filter.ts';
import type { Merchant } from '../support/merchant.ts';
import { type Database, sqlOf } from '../support/queryable.ts';

/** A transaction as the list may be asked for it. `becomes` is the status that it is given after it was stored. */
export type Planted = {
  id: string;
  type: string;
  mode: string;
  status: string;
  becomes: string;
  channel: string;
  bic: string | null;
  msisdn: string | null;
  reference: string;
  channelReference: string | null;
  /** null where there is no bill or QR code */
  controlNumber: string | null;
  paymentNumber: string | null;
  receipts: string[];
  idempotencyKey: string;
  metadata: string;
  /** the items as text, or the compact JSON of what is no string */
  items: [string, string][];
  createdAt: string;
};

const kinds = [
  ['payment', 'ussd', 'completed'],
  ['payment', 'qr', 'completed'],
  ['bill', 'billpay', 'completed'],
  ['payout', 'mobile', 'paid'],
  ['payout', 'bank', 'paid'],
] as const;
const networks = ['m-pesa', 'airtel-money', 'halopesa'];
const bics = ['CORUTZTZ', 'NMIBTZTZ'];
const phones = ['255754123456', '255784555666', '255622000001'];
/** Metadata as it is sent, and its items as they are asked for. */
const sent: Record<string, Record<string, string>> = {
  '{}': {},
  '{"shop":"Kariakoo"}': { shop: 'Kariakoo' },
  '{"shop":"Kariakoo","order":7}': { shop: 'Kariakoo', order: '7' },
  '{"order": 7.0, "shop":"Mwenge"}': { order: '7.0', shop: 'Mwenge' },
  '{"order":"7","note":"say \\"two  chairs\\""}': { order: '7', note: 'say "two  chairs"' },
  '{"cart":{ "lines" : [1, 2.50, "a  \\" b"] },"shop":"Mw\\u0065nge"}': {
    cart: '{"lines":[1,2.50,"a  \\" b"]}',
    shop: 'Mwenge',
  },
  '{"paid":true,"void":null}': { paid: 'true', void: 'null' },
};
const metadata = Object.entries(sent).map(([text, items]) => ({ text, items: Object.entries(items) }));
const askedItems: [string, string][] = [...metadata.flatMap(({ items }) => items), ['shop', 'kariakoo']];

/** Moments to the microsecond, some of them equal for many, with gaps of minutes, days and years. */
const moments = [
  '2026-11-20T23:54:59.999999Z',
  '2026-11-20T23:55:00.000000Z',
  '2026-11-20T23:55:00.000001Z',
  '2026-11-20T23:59:59.999999Z',
  '2026-11-21T00:00:00.000000Z',
  '2026-11-21T00:00:00.000001Z',
  '2026-11-21T00:04:59.999999Z',
  '2026-11-21T08:15:30.123456Z',
  '2026-11-21T08:17:00.000000Z',
  '2026-11-22T00:00:00.000000Z',
  '2026-11-25T12:00:00.000500Z',
  '2024-02-29T12:00:00.000000Z',
];

const from = <T>(values: readonly T[]) => fc.constantFrom(...values);

/** Channel references are few, so that several transactions share one; the rest of a row is as accepting makes it. */
export const transaction: fc.Arbitrary<Planted> = fc
  .record({
    kind: from(kinds),
    end: from(['pending', 'pending', 'success', 'success', 'success', 'failed', 'cancelled']),
    isStoredFinal: fc.boolean(),
    network: from(networks),
    bic: from(bics),
    phone: from(phones),
    channelReference: from([null, 'CKL5T8Q2WX', 'AM261122']),
    metadata: from(metadata),
    createdAt: from(moments),
  })
  .map(({ kind, end, isStoredFinal, network, bic, phone, metadata, ...rest }) => {
    const id = randomUUID();
    const { 0: type, 1: mode, 2: success } = kind;
    const becomes = end === 'success' ? success : end;
    return {
      ...rest,
      id,
      metadata: metadata.text,
      items: metadata.items,
      type,
      mode,
      becomes,
      status: isStoredFinal ? becomes : 'pending',
      channel: mode === 'bank' ? 'bank' : network,
      bic: mode === 'bank' ? bic : null,
      msisdn: mode === 'bank' ? null : phone,
      reference: `PO${id.slice(0, 16)}`,
      controlNumber: mode === 'billpay' || mode === 'qr' ? `77${id.slice(0, 13)}` : null,
      paymentNumber: mode === 'billpay' ? `INV-${id.slice(0, 13)}` : null,
      receipts: mode === 'billpay' ? [`R1-${id.slice(0, 13)}`, `R2-${id.slice(0, 13)}`] : [],
      idempotencyKey: `key-${id.slice(0, 8)}`,
    };
  });

/** What the filter `reference` finds a transaction by. */
export function referencesOf(one: Planted): string[] {
  const { reference, channelReference, controlNumber, paymentNumber, receipts } = one;
  return [reference, channelReference, controlNumber, paymentNumber, ...receipts].filter(
    (text) => text !== null,
  );
}

/** A filter of which each part is there now and then; `own` are things that only one transaction has. */
export function filterFor(own: Planted[]): fc.Arbitrary<TransactionFilter> {
  const some = <T>(arbitrary: fc.Arbitrary<T>, outOfTen: number) =>
    fc.oneof({ weight: outOfTen, arbitrary }, { weight: 10 - outOfTen, arbitrary: fc.constant(undefined) });
  return fc
    .record({
      types: some(fc.subarray(['payment', 'bill', 'payout']), 3),
      status: some(from(['pending', 'completed', 'paid', 'failed', 'cancelled']), 3),
      mode: some(from(kinds.map((kind) => kind[1])), 2),
      channel: some(from([...networks, 'bank']), 2),
      bic: some(from(bics), 1),
      reference: some(from(['CKL5T8Q2WX', 'AM261122', ...own.slice(0, 5).flatMap(referencesOf)]), 1),
      idempotencyKey: some(from(['none', ...own.slice(0, 3).map((one) => one.idempotencyKey)]), 1),
      msisdn: some(from(phones), 2),
      metadata: some(fc.array(from(askedItems), { minLength: 1, maxLength: 2 }), 2),
      from: some(from(moments), 4),
      to: some(from(moments), 4),
    })
    .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));
}

/** Stores them, ends them by another statement as settling does, and returns them as they then are. */
export async function plant(database: Database, merchant: Merchant, all: Planted[]): Promise<Planted[]> {
  const { accountId, apiKeyId } = merchant;
  const rows = JSON.stringify(all);
  await inTransaction(database, async (db) => {
    await sqlOf(
      db,
    )`INSERT INTO transactions (id, account_id, api_key_id, submission_id, type, mode, status, event, amount, currency, fee,
         fee_version, channel, bic, account_number, full_name, reference, channel_reference, msisdn, metadata, timing,
         failure_code, created_at, connection)
       SELECT p.id, ${accountId}, ${apiKeyId}, p.id, p.type, p.mode, p.status, p.type || '.pending', 100, 'TZS', 1, 'test', p.channel, p.bic,
         CASE p.mode WHEN 'bank' THEN '0150123456789' END, CASE p.mode WHEN 'bank' THEN 'Asha Juma' END, p.reference,
         p."channelReference", p.msisdn, p.metadata, '{}', CASE p.status WHEN 'failed' THEN 'network_error' END, p."createdAt", 'test'
       FROM jsonb_to_recordset(${rows}) AS p (id uuid, type text, mode text, status text, channel text, bic text, reference text,
         "channelReference" text, msisdn text, metadata text, "createdAt" timestamptz)`;
    await sqlOf(
      db,
    )`WITH p AS (SELECT * FROM jsonb_to_recordset(${rows}) AS p (id uuid, "controlNumber" text, "paymentNumber" text, receipts jsonb)
         WHERE "controlNumber" IS NOT NULL),
       planted AS (INSERT INTO bills (transaction_id, account_id, control_number, payment_number, mode, expires_at)
         SELECT id, ${accountId}, "controlNumber", "paymentNumber", 'flexible', now() FROM p)
       INSERT INTO bill_receipts (space, connection, channel, receipt, transaction_id, control_number, amount, currency, outcome, number)
       SELECT 'test', 'test', 'm-pesa', r.receipt, p.id, p."controlNumber", 100, 'TZS', 'accepted', r.number
       FROM p CROSS JOIN LATERAL jsonb_array_elements_text(receipts) WITH ORDINALITY r (receipt, number)`;
  });
  await sqlOf(
    database,
  )`UPDATE transactions t SET status = p.becomes, failure_code = CASE p.becomes WHEN 'failed' THEN 'network_error' END
     FROM jsonb_to_recordset(${rows}) AS p (id uuid, becomes text) WHERE t.id = p.id`;
  await sqlOf(
    database,
  )`INSERT INTO idempotency_keys (account_id, key, transaction_id, submission_id, operation, fingerprint)
     SELECT ${accountId}, p."idempotencyKey", p.id, p.id, 'test', '' FROM jsonb_to_recordset(${rows}) AS p (id uuid, "idempotencyKey" text)`;
  return all.map((one) => ({ ...one, status: one.becomes }));
}
