import { rowOf } from '../../base/csv.ts';
import { jsonText } from '../../base/json-text.ts';
import {
  type BatchNow,
  countItems,
  type ItemNow,
  type ItemsEnded,
  itemsOf,
} from '../../batches/batch-store.ts';
import type { batchAnswer, batchItemList } from '../../contract/batch-schemas.ts';
import type { JsonOf } from '../../contract/json-of.ts';
import { bankByBic } from '../../domain/bank.ts';
import { columnsNamed, PROBLEM } from '../../domain/batch-header.ts';
import type { BatchColumn } from '../../domain/data/batch-files.ts';
import { type FeeSchedule, feeFor } from '../../domain/fees.ts';
import { kinds } from '../../domain/kinds.ts';
import { inLanguage, type Language } from '../../domain/language.ts';
import { type Message, say } from '../../domain/messages.ts';
import { formatMoney, toFixedDecimal } from '../../domain/money.ts';
import { showMsisdn } from '../../domain/msisdn.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { only } from '../../platform/db/rows.ts';
import type { Row } from '../../platform/tables/table.ts';
import type { OwnRows } from '../kit/batch-file.ts';
import { momentCells, type Timezone } from '../kit/csv-reply.ts';

type Shown = JsonOf<typeof batchAnswer>['batch'];

const NONE: ItemsEnded = { paid: 0, failed: 0, cancelled: 0 };

/** Counts the items of a batch only if some may still end. */
export async function presentBatches(db: Queryable, batches: readonly BatchNow[]): Promise<Shown[]> {
  const isOpen = ({ ended, startedAt, status }: BatchNow) =>
    ended === null && (startedAt !== null || status === 'cancelled');
  const open = batches.filter(isOpen).map(({ id }) => id);
  const counts = open.length === 0 ? null : await countItems(db, open);
  return batches.map((batch) => shownWith(batch, batch.ended ?? counts?.get(batch.id) ?? NONE));
}

export async function presentBatch(db: Queryable, batch: BatchNow): Promise<Shown> {
  return only(await presentBatches(db, [batch]));
}

function shownWith(batch: BatchNow, { paid, failed, cancelled }: ItemsEnded): Shown {
  return {
    id: batch.id,
    batch_number: batch.batchNumber,
    status: batch.status,
    status_reason: batch.statusReason ?? undefined,
    items_hash: batch.itemsHash,
    totals: {
      items: batch.items,
      amount: formatMoney(batch.amount),
      fees: formatMoney(batch.fees),
      paid,
      failed,
      cancelled,
    },
    errors: shownOf(batch),
    start_at: batch.startAt ?? undefined,
    created_at: batch.createdAt,
    metadata: jsonText(batch.metadata),
  };
}

export function presentItem(
  item: ItemNow,
  { currency, fees }: { currency: string; fees: FeeSchedule },
): JsonOf<typeof batchItemList>['data'][number] {
  const { accountNumber, bic, fullName, msisdn, nameMatch, payoutReference, reference } = item;
  return {
    row: item.position,
    transaction_id: payoutReference === null ? undefined : item.transactionId,
    status: item.status,
    failure_code: item.failureCode ?? undefined,
    phone_number: msisdn === null ? undefined : showMsisdn(msisdn),
    account_number: accountNumber ?? undefined,
    bic: bic ?? undefined,
    bank_name: bic === null ? undefined : bankByBic(bic)?.name,
    full_name: fullName ?? undefined,
    name_match: nameMatch ?? null,
    amount: formatMoney(item.amount),
    fee:
      item.status === 'failed' || item.status === 'cancelled'
        ? undefined
        : formatMoney(feeFor(kinds[item.mode].fee, item.amount, fees).fee),
    currency,
    reference: reference ?? undefined,
    payout_reference: payoutReference ?? undefined,
    metadata: jsonText(item.metadata),
  };
}

const WRONG_ROWS_SHOWN = 1_000;

const wrongRowsOf = ({ errors }: BatchNow) => [...new Set(errors.map(({ row }) => row))];

function shownOf(batch: BatchNow): BatchNow['errors'] {
  const shown = new Set(wrongRowsOf(batch).slice(0, WRONG_ROWS_SHOWN));
  return batch.errors.filter(({ row }) => shown.has(row));
}

/** Says why the batch cannot start; null if its rows have no errors. */
export function sayErrors(batch: BatchNow): Message | null {
  const { length: count } = batch.errors;
  const more = wrongRowsOf(batch).length - WRONG_ROWS_SHOWN;
  if (more > 0) return say('batch_has_more_wrong_rows', { count, shown: WRONG_ROWS_SHOWN, more });
  return count === 0 ? null : say('batch_has_wrong_rows', { count });
}

const onOneLine = (cells: readonly string[]) => rowOf(cells.map((cell) => cell.replace(/[\r\n]+/g, ' ')));

/** Returns the merchant's file with a column of errors, to correct and send again. */
export function* problemsAsCsv(
  { above, header, below }: OwnRows,
  errors: BatchNow['errors'],
  language: Language,
): Generator<string> {
  const columns = columnsNamed(header.cells);
  const wrong = new Map<number, string>();
  for (const { row, field: name, message } of errors) {
    const { problem = message } = message.id === 'in_file_row' ? message.values : {};
    const field = header.cells[columns.indexOf(name as BatchColumn)]?.trim() ?? name;
    const sentence = inLanguage(say('field_wrong', { field, problem }), language);
    wrong.set(row, [wrong.get(row) ?? [], sentence].flat().join('; '));
  }
  const rowWith = ({ cells }: Row, problem: string) => {
    const own = Array.from(header.cells, (_, at) => cells[at] ?? '');
    return onOneLine([...own, problem, ...cells.slice(own.length)]);
  };
  yield* above.map(({ cells }) => onOneLine(cells));
  yield rowWith(header, PROBLEM);
  for (const [at, row] of below.entries()) yield rowWith(row, wrong.get(at + 1) ?? '');
}

const OURS = [
  'row',
  'status',
  'failure_code',
  'transaction_id',
  'payout_reference',
  'name_match',
  'at',
  'day',
];
const COLUMNS = ['phone_number', 'account_number', 'bic', 'full_name', 'amount', 'currency', 'reference'];
const ROWS_AT_ONCE = 1_000;

/** Each row has the merchant's own columns unchanged, then our columns. */
export async function* itemsAsCsv(
  db: Queryable,
  { id: batchId, columns, currency }: BatchNow,
  { status, timezone }: { status: ItemNow['status'] | null; timezone: Timezone },
): AsyncGenerator<string> {
  yield rowOf([...(columns ?? COLUMNS), ...OURS]);
  for (let after = 0; ; ) {
    const items = await itemsOf(db, { batchId, status, after, offset: 0, count: ROWS_AT_ONCE });
    yield items.map((item) => rowOf([...cellsOf(item, currency), ...endOf(item, timezone)])).join('');
    if (items.length < ROWS_AT_ONCE) return;
    after = items.at(-1)?.position ?? after;
  }
}

function cellsOf({ cells, msisdn, amount, ...item }: ItemNow, currency: string): string[] {
  if (cells !== null) return cells;
  const to = [msisdn && showMsisdn(msisdn), item.accountNumber, item.bic, item.fullName];
  return [...to, toFixedDecimal(amount), currency, item.reference].map((cell) => cell ?? '');
}

function endOf(
  { position, status, failureCode, payoutReference, ...item }: ItemNow,
  timezone: Timezone,
): string[] {
  const id = payoutReference === null ? '' : item.transactionId;
  const match = String(item.nameMatch ?? '');
  const since = item.statusAt === null ? ['', ''] : momentCells(item.statusAt, timezone);
  return [String(position), status, failureCode ?? '', id, payoutReference ?? '', match, ...since];
}
