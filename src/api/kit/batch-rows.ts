import type { Route } from '../../channels/kit/registry.ts';
import type { BatchItem, RowError } from '../../domain/batch.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Message, say } from '../../domain/messages.ts';
import type { PayoutRequest } from '../../domain/operation.ts';
import { itemOf } from '../../domain/party.ts';
import { readFields } from '../../platform/http/fields.ts';
import { readBankPayout, readMobilePayout } from './payout-fields.ts';
import { beneficiaryField, paymentNumberField } from './request-fields.ts';
import type { RouteOf } from './request-rules.ts';

/** `metadata` is JSON text. Rows of a file also have their cells and line. */
export type SentRow = {
  fields: Record<string, unknown>;
  metadata: string | null;
  cells: string[] | null;
  line?: number;
  wrong?: WrongCell[];
};
/** The field is `row` if a cell's column is unclear. */
export type WrongCell = { field: string; message: Message };

export type ReadItem = Omit<BatchItem, 'transactionId' | 'fee'> & { request: PayoutRequest; route: Route };

const FORMULA = /^[=＝]/;
const SHORTENED = /^\d([.,]\d+)?E\+?\d+$/i;
/** A spreadsheet that read a reference or account as a number writes it so. */
const DECIMAL = /^\d+\.0+$/;

export function readRow(sent: SentRow, position: number, routeOf: RouteOf): ReadItem | RowError[] {
  const { fields, cells } = sent;
  const at = (field: string, message: Message): RowError => ({ row: position, field, message });
  const wrong = (sent.wrong ?? []).map(({ field, message }) => at(field, message));
  const odd = Object.entries(fields).flatMap(([field, value]) => {
    if (typeof value !== 'string' || cells === null) return [];
    if (FORMULA.test(value)) return [at(field, say('is_formula'))];
    if (SHORTENED.test(value) || (field !== 'amount' && DECIMAL.test(value)))
      return [at(field, say('is_shortened'))];
    return field === 'amount' ? [at(field, say('must_be_written_shillings'))] : [];
  });
  if (wrong.length + odd.length > 0) return [...wrong, ...odd];
  if (fields.phone_number === undefined && fields.account_number === undefined)
    return [at('phone_number', say('has_no_recipient'))];
  if (fields.phone_number !== undefined && (fields.account_number ?? fields.bic) !== undefined)
    return [at('phone_number', say('has_two_recipients'))];
  const own = readOwn(fields, position);
  const problems = own.problems.map(({ field, message }) => at(field, message as Message));
  // A file may name a bank instead of its BIC.
  const sayNamed = (message: Message) =>
    cells !== null && message.id === 'must_be_bic' ? say('must_be_bic_or_name') : message;
  try {
    const { full_name } = fields;
    const { payout, route } =
      fields.account_number === undefined
        ? readMobilePayout(fields, routeOf)
        : readBankPayout({ ...fields, beneficiary: { full_name } }, routeOf);
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
      at(field.replace(/^beneficiary\./, ''), sayNamed(message as Message)),
    );
    return [...refused, ...problems];
  }
}

const ownFields = {
  full_name: beneficiaryField.shape.full_name.optional(),
  reference: paymentNumberField.optional(),
};

/** Reads the merchant's own fields: the name beside a wallet, and the row's reference. */
function readOwn(fields: Record<string, unknown>, position: number) {
  const { full_name, reference, account_number, row = position } = fields;
  const isWallet = account_number === undefined;
  const read = readFields(ownFields, { reference, ...(isWallet && { full_name }) });
  if (row !== position)
    read.problems.push({ field: 'row', message: say('must_be_its_place', { place: position }) });
  return read;
}
