import type { Route } from '../../channels/kit/registry.ts';
import type { BatchItem, RowError } from '../../domain/batch.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY } from '../../domain/money.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { itemOf } from '../../domain/party.ts';
import type { CsvTable } from '../../platform/http/csv.ts';
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

/** The rows of a CSV with its fields by their names. Throws `validation_failed` where its header is none. */
export function rowsOfCsv({ header, rows }: CsvTable): { columns: string[]; rows: SentRow[] } {
  const names = header.map((cell) => COLUMNS[cell.trim().toLowerCase().replace(/ +/g, ' ')]);
  const hasRecipient = names.includes('phone_number') || names.includes('account_number');
  if (!names.includes('amount') || !hasRecipient) throw unreadable(say('batch_csv_no_header'));
  // Which of two amounts is meant nobody knows. An amount of 1,000 that is not in quotes is two cells, and would be one shilling.
  const twice = names.find((name, at) => name !== undefined && names.indexOf(name) < at);
  if (twice !== undefined)
    throw unreadable(say('batch_csv_unreadable', { problem: `two columns are ${twice}` }));
  const fieldsOf = (cells: string[]) => {
    const fields: Record<string, unknown> = { currency: CURRENCY };
    for (const [at, name] of names.entries()) {
      if (name === undefined) continue;
      const cell = (cells[at] ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
      if (cell !== '') fields[name] = name === 'amount' ? amountIn(cell) : cell;
    }
    return fields;
  };
  return { columns: header, rows: rows.map((cells) => ({ fields: fieldsOf(cells), metadata: null, cells })) };
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
  // A quote that was left open joins two payees.
  if (cells?.some((cell) => /[\r\n]/.test(cell))) return [at('row', say('has_line_break'))];
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
