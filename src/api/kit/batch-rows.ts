import { CsvError, parse } from 'csv-parse/sync';
import type { Route } from '../../channels/kit/registry.ts';
import { BATCH_ITEMS_MAX, type BatchItem, type RowError } from '../../domain/batch.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { itemOf } from '../../domain/party.ts';
import { readFields } from '../../platform/http/fields.ts';
import { readBankPayout, readMobilePayout } from './payout-fields.ts';
import { beneficiaryField, paymentNumberField } from './request-fields.ts';
import type { RouteOf } from './request-rules.ts';

/** The rows of a batch, however they were sent. Each is read as the payout that it will be. */

/** As a row was sent: fields by their names. `metadata`: its text. */
export type SentRow = { fields: Record<string, unknown>; metadata: string | null; cells: string[] | null };

export type ReadItem = Omit<BatchItem, 'transactionId' | 'fee'> & { request: PayoutRequest; route: Route };

/** In English and Swahili, in any case. */
const COLUMNS: Record<string, string> = {
  phone_number: 'phone_number',
  'namba ya simu': 'phone_number',
  amount: 'amount',
  kiasi: 'amount',
  currency: 'currency',
  sarafu: 'currency',
  full_name: 'full_name',
  jina: 'full_name',
  account_number: 'account_number',
  akaunti: 'account_number',
  bic: 'bic',
  reference: 'reference',
  kumbukumbu: 'reference',
};

/** Of a CSV: every row is kept with a cell for each. */
const COLUMNS_MAX = 100;

/** Rows of a CSV, and its header as it was written. Throws `validation_failed` where it is none. */
export function readCsvRows(text: string): { columns: string[]; rows: SentRow[] } {
  const [header = [], ...body] = cellsOf(text);
  const problem = text.includes('\0') ? 'it has a NUL' : `it has more than ${COLUMNS_MAX} columns`;
  if (text.includes('\0') || header.length > COLUMNS_MAX)
    throw unreadable(say('batch_csv_unreadable', { problem }));
  const names = header.map((cell) => COLUMNS[cell.trim().toLowerCase().replace(/ +/g, ' ')]);
  const hasRecipient = names.includes('phone_number') || names.includes('account_number');
  if (!names.includes('amount') || !hasRecipient) throw unreadable(say('batch_csv_no_header'));
  // Which of two amounts is meant nobody knows. An amount of 1,000 that is not in quotes is two cells, and would be one shilling.
  const twice = names.find((name, at) => name !== undefined && names.indexOf(name) < at);
  if (twice !== undefined)
    throw unreadable(say('batch_csv_unreadable', { problem: `two columns are ${twice}` }));
  const long = body.findIndex((cells) => cells.slice(header.length).some((cell) => cell.trim() !== ''));
  if (long >= 0) throw unreadable(say('batch_csv_long_row', { row: long + 1 }));
  const rows = body.map((cells) => {
    const fields: Record<string, unknown> = { currency: CURRENCY };
    for (const [at, name] of names.entries()) {
      const cell = (cells[at] ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
      if (name !== undefined && cell !== '') fields[name] = name === 'amount' ? amountIn(cell) : cell;
    }
    return { fields, metadata: null, cells: header.map((_, at) => cells[at] ?? '') };
  });
  return { columns: header, rows };
}

/** Excel writes `="0754…"` to keep a zero: that is a formula of its row, and the file is read all the same. */
const QUOTED_FORMULA = /(^|[,;\r\n])="([^",;\r\n]*)"(?=[,;\r\n]|$)/g;

function cellsOf(text: string): string[][] {
  const [first = ''] = text.split(/\r\n|\r|\n/, 1);
  const delimiter = first.split(';').length > first.split(',').length ? ';' : ',';
  try {
    const options = { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true };
    const rows: string[][] = parse(text.replace(QUOTED_FORMULA, '$1=$2'), {
      ...options,
      to: BATCH_ITEMS_MAX + 2,
    });
    return rows.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(say('batch_csv_unreadable', { problem: error.message.slice(0, 200) }));
  }
}

function unreadable(message: Message): GatewayError {
  return new GatewayError('validation_failed', message, { errors: [{ field: 'items', message }] });
}

/** `5,000`, `5 000` and `5000.00` are 5000. What is none stays as it is written. */
function amountIn(cell: string): unknown {
  const plain = cell.replace(/(?<=\d)[, ](?=\d{3}(\D|$))/g, '');
  return /^\d{1,15}(\.0{1,2})?$/.test(plain) ? Number(plain) : cell;
}

const FORMULA = /^[=＝]/;
const SHORTENED = /^\d([.,]\d+)?E\+?\d+$/i;

/** One row, or what is wrong with it. */
export function readRow(sent: SentRow, position: number, routeOf: RouteOf): ReadItem | RowError[] {
  const { fields, cells } = sent;
  const at = (field: string, message: Message): RowError => ({ row: position, field, message });
  const odd = Object.entries(fields).flatMap(([field, value]) => {
    if (typeof value !== 'string' || cells === null) return [];
    if (FORMULA.test(value)) return [at(field, say('is_formula'))];
    if (SHORTENED.test(value)) return [at(field, say('is_shortened'))];
    return field === 'amount' ? [at(field, say('must_be_whole_shillings'))] : [];
  });
  if (odd.length > 0) return odd;
  if (fields.phone_number === undefined && fields.account_number === undefined)
    return [at('phone_number', say('has_no_recipient'))];
  if (fields.phone_number !== undefined && (fields.account_number ?? fields.bic) !== undefined)
    return [at('phone_number', say('has_two_recipients'))];
  const own = readOwn(fields, position);
  const problems = own.problems.map(({ field, message }) => at(field, message as Message));
  try {
    const { amount, currency, phone_number, account_number, bic, full_name, metadata } = fields;
    const common = { amount, currency, metadata };
    const { payout, route } =
      account_number === undefined
        ? readMobilePayout({ ...common, phone_number }, routeOf)
        : readBankPayout({ ...common, account_number, bic, beneficiary: { full_name } }, routeOf);
    if (problems.length > 0) return problems;
    const item = itemOf(payout);
    return {
      ...item,
      position,
      fullName: item.fullName ?? own.values.full_name ?? null,
      reference: own.values.reference ?? null,
      metadata: sent.metadata ?? '{}',
      cells,
      request: payout,
      route,
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const refused = (error.detail.errors ?? []).map(({ field, message }) =>
      at(field.replace(/^beneficiary\./, ''), message as Message),
    );
    return [...refused, ...problems];
  }
}

const ownFields = {
  full_name: beneficiaryField.shape.full_name.optional(),
  reference: paymentNumberField.optional(),
};

/** The name beside a wallet, which only the merchant reads, and the merchant's own reference of the row. */
function readOwn(fields: Record<string, unknown>, position: number) {
  const { full_name, reference, account_number, row = position } = fields;
  const isWallet = account_number === undefined;
  const read = readFields(ownFields, { reference, ...(isWallet && { full_name }) });
  if (row !== position)
    read.problems.push({ field: 'row', message: say('must_be_its_place', { place: position }) });
  return read;
}
