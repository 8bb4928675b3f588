import { z } from 'zod';
import { feesOf } from '../../accounts/fees.ts';
import { frozenError } from '../../accounts/freeze.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import { paidLate } from '../../batches/batch-checks.ts';
import { isReplaceable, saveDraft } from '../../batches/batch-drafts.ts';
import { type BatchNow, findBatch, itemsOf } from '../../batches/batch-store.ts';
import { hashOf, hashOfItems } from '../../batches/items-hash.ts';
import { checkedBatchAnswer } from '../../contract/batch-schemas.ts';
import { BATCH_ITEMS_MAX, type BatchItem, type RowError, START_AHEAD_DAYS } from '../../domain/batch.ts';
import { DAY_MS } from '../../domain/day.ts';
import { GatewayError, sentenceOf } from '../../domain/errors.ts';
import { feeFor } from '../../domain/fees.ts';
import { isUuid } from '../../domain/ids.ts';
import { kinds } from '../../domain/kinds.ts';
import { type Message, say } from '../../domain/messages.ts';
import { CURRENCY, minor } from '../../domain/money.ts';
import { flowTiming } from '../../domain/timing.ts';
import { acceptFields, type Problem, readFields } from '../../platform/http/fields.ts';
import { inTurns } from '../../platform/process/promises.ts';
import { batchIdOf, keyOfItem, transactionIdOf } from '../../transactions/acceptance/idempotency.ts';
import { type OwnRows, readBatchFile } from '../kit/batch-file.ts';
import { type ReadItem, readRow, type SentRow } from '../kit/batch-rows.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { csvReply, formatField, wantsCsv } from '../kit/csv-reply.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { oneOf, readQuery } from '../kit/list-query.ts';
import { moment } from '../kit/moments.ts';
import { fieldsOfItem, itemFields } from '../kit/payout-fields.ts';
import { metadataField, paymentNumberField } from '../kit/request-fields.ts';
import { metadataOf } from '../kit/start.ts';
import { lookUpNames } from '../payments/names.ts';
import { presentBatch, problemsAsCsv, sayErrors } from './batch-present.ts';

const BYTES_MAX = 5 * 1024 * 1024;

const numberField = paymentNumberField.meta({
  description: 'Your own number of the batch, unique in the account; sent again, it gets the first batch',
  example: 'SALARIES-2026-11',
});
const startField = moment.meta({
  description: `When it starts once approved, at most ${START_AHEAD_DAYS} days ahead; default: at once`,
  example: '2026-11-25T06:00:00+03:00',
});

const fields = {
  batch_number: numberField,
  allow_twins: z
    .boolean()
    .meta({ description: 'Allow the same amount to the same recipient twice, in this batch or within a day' })
    .optional(),
  quiet: z
    .boolean()
    .meta({ description: 'No callbacks of single items; you still get `batch.finished`' })
    .optional(),
  items: z
    .array(z.object(itemFields))
    .min(1)
    .max(BATCH_ITEMS_MAX)
    .meta({ description: 'The payouts, each to a wallet or a bank account' })
    .optional(),
  from_failed: z
    .string()
    .meta({ format: 'uuid', description: 'Instead of items: take the failed items of this batch' })
    .optional(),
  start_at: startField,
  metadata: metadataField,
};
/** Rows are not checked here, because each is read and refused on its own. */
const sentFields = {
  ...fields,
  items: z.array(z.unknown()).min(1).max(BATCH_ITEMS_MAX).optional(),
};
const YES_NO = ['true', 'false'] as const;
const query = {
  batch_number: numberField.optional(),
  allow_twins: oneOf(YES_NO, {
    description: 'Only for a file: allow the same amount to the same recipient twice',
  }),
  quiet: oneOf(YES_NO, { description: 'Only for a file: no callbacks of single items' }),
  start_at: startField,
  format: formatField
    .unwrap()
    .meta({
      description: 'Only for a file: `csv` returns its rows with a column Problem, whatever `Accept` says',
    })
    .optional(),
};

export const createBatch = call(
  {
    method: 'POST',
    paths: ['payouts/batches'],
    summary:
      'Check a batch of up to 10,000 payouts, as JSON or as a file; nothing moves before it is started',
    purpose:
      'Send hundreds of payouts at once, from a spreadsheet or as JSON. Every row is checked, ' +
      'and the answer names the wrong ones; no money moves before somebody else starts the batch.',
    scopes: ['payouts:write'],
    query,
    body: fields,
    takesCsv: true,
    bodyBytesMax: BYTES_MAX,
    rowsMax: BATCH_ITEMS_MAX,
    answer: checkedBatchAnswer,
    csv: true,
    links: { to: ['getBatch', 'startBatch', 'cancelBatch', 'getBatchItems'], at: '/batch/id' },
    refusals: ['not_found', 'batch_number_taken', 'batch_state', 'unavailable'],
  },
  async (request, deps) => {
    await requireOpen(deps.database);
    const sent = await readSent(request, deps);
    const batch = await checkBatch(request, deps, sent);
    if (sent.own && wantsCsv(request, sent.format))
      return csvReply('batch', problemsAsCsv(sent.own, batch.errors, request.language), request.language);
    const checked = sayErrors(batch) ?? say('batch_checked');
    const message = batch.status === 'draft' ? checked : say('batch_is', { status: batch.status });
    return {
      ...done(message),
      batch: await presentBatch(deps.database, batch),
      notes: sent.notes.length > 0 ? sent.notes : undefined,
    };
  },
);

type Sent = {
  batchNumber: string;
  allowTwins: boolean;
  quiet: boolean;
  startAt: string | null;
  metadata: string;
  columns: string[] | null;
  rows: SentRow[];
  /** errors of rows that repeat a payout which failed at first but was paid later */
  late: RowError[];
  notes: Message[];
  /** rows of a file, unchanged; null for JSON */
  own: OwnRows | null;
  format: 'json' | 'csv' | undefined;
};

async function readSent(request: ApiRequest, deps: Deps): Promise<Sent> {
  const { allow_twins, quiet, format, ...asked } = readQuery(query, request.query);
  // A file's request has these in the query.
  const beside = { allow_twins: allow_twins === 'true', quiet: quiet === 'true', start_at: asked.start_at };
  const named = async () => {
    const read = readFields({ batch_number: numberField }, asked);
    read.problems.push(...(await startProblems(request, deps, asked)));
    return acceptFields(read);
  };
  const sent: Head =
    request.table === null ? await readJson(request, deps) : { ...(await named()), ...beside };
  if (format === 'csv' && request.table === null) throw wrongField('format', say('must_be_of_a_file'));
  const { columns, rows, late = [], notes = [], own = null } = await rowsOf(request, deps, sent);
  if (rows.length === 0)
    throw wrongField('items', say(sent.items || request.table ? 'must_have_an_item' : 'is_required'));
  if (rows.length > BATCH_ITEMS_MAX)
    throw wrongField('items', say('must_have_at_most_items', { maximum: BATCH_ITEMS_MAX }));
  return {
    batchNumber: sent.batch_number,
    allowTwins: sent.allow_twins ?? false,
    quiet: sent.quiet ?? false,
    startAt: sent.start_at ?? null,
    metadata: metadataOf(request),
    columns,
    rows,
    late,
    notes,
    own,
    format,
  };
}

type Head = Pick<Read, 'batch_number'> & Partial<Read>;
type Read = Awaited<ReturnType<typeof readJson>>;

async function readJson(request: ApiRequest, deps: Deps) {
  const read = readFields(sentFields, request.known);
  if (read.values.items !== undefined && read.values.from_failed !== undefined)
    read.problems.push({ field: 'items', message: say('must_be_left_out_beside', { field: 'from_failed' }) });
  read.problems.push(...(await startProblems(request, deps, read.values)));
  return acceptFields(read);
}

type Rows = Pick<Sent, 'columns' | 'rows'> & Partial<Pick<Sent, 'late' | 'notes' | 'own'>>;

async function rowsOf(request: ApiRequest, deps: Deps, { items = [], from_failed }: Head): Promise<Rows> {
  if (request.table !== null) return readBatchFile(request.table);
  if (from_failed !== undefined) return failedOf(request, deps, from_failed);
  return { columns: null, rows: await inTurns(items, (item, index) => rowOfJson(request, item, index)) };
}

function wrongField(field: string, message: Message): GatewayError {
  const problem = { field, message };
  return new GatewayError('validation_failed', sentenceOf([problem]), { errors: [problem] });
}

/** A repeated request whose `start_at` has passed is valid if the batch is stored without errors. */
async function startProblems(
  request: ApiRequest,
  { now, database }: Deps,
  { start_at, batch_number }: { start_at?: string | undefined; batch_number?: string | undefined },
): Promise<Problem[]> {
  if (start_at === undefined) return [];
  const { accountId } = callerOf(request);
  const ahead = Date.parse(start_at) - now().getTime();
  if (ahead > START_AHEAD_DAYS * DAY_MS)
    return [{ field: 'start_at', message: say('must_be_at_most_days_ahead', { days: START_AHEAD_DAYS }) }];
  if (ahead > 0) return [];
  const id = batch_number === undefined ? null : batchIdOf(accountId, batch_number);
  const known = id && (await findBatch(database, { id, accountId }));
  if (known && known.errors.length === 0) return [];
  return [{ field: 'start_at', message: say('must_be_in_future') }];
}

function rowOfJson(request: ApiRequest, item: unknown, index: number): SentRow {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
  const given = Object.entries(isObject ? item : {}).filter(
    ([name, value]) => value !== null && Object.hasOwn(itemFields, name),
  );
  const fields = Object.fromEntries(given);
  const metadata =
    fields.metadata === undefined ? null : (request.body?.textOf('items', index, 'metadata') ?? null);
  return { fields, metadata, cells: null };
}

async function failedOf(request: ApiRequest, { database }: Deps, id: string) {
  const { accountId } = callerOf(request);
  const source = isUuid(id) ? await findBatch(database, { id, accountId }) : null;
  if (!source) throw new GatewayError('not_found', say('no_batch'));
  if (source.finishedAt === null) throw new GatewayError('batch_state', say('batch_not_over'));
  const all = { batchId: source.id, status: 'failed', after: 0, offset: 0, count: BATCH_ITEMS_MAX } as const;
  const failed = await itemsOf(database, all);
  if (failed.length === 0) throw new GatewayError('batch_state', say('batch_without_failures'));
  const rows = failed.map((item): SentRow => {
    const { metadata, cells } = item;
    return { fields: fieldsOfItem(item, source.currency), metadata, cells };
  });
  return { rows, columns: source.columns, late: await paidLate(database, failed) };
}

async function checkBatch(request: ApiRequest, deps: Deps, sent: Sent): Promise<BatchNow> {
  const { database, timing } = deps;
  const { accountId, keyId: apiKeyId, frozen } = callerOf(request);
  const id = batchIdOf(accountId, sent.batchNumber);
  const fees = (await feesOf(database, accountId)).inForce;
  const routeOf = deps.payoutsOver(accountId);
  const { rows, columns, late, notes: _, own: _own, format: _format, ...asked } = sent;
  const errors: RowError[] = sent.allowTwins ? [] : [...late];
  const read: ReadItem[] = [];
  const routes: BatchNow['routes'] = {};
  await inTurns(rows, (row, index) => {
    const item = readRow(row, index + 1, routeOf);
    if (Array.isArray(item)) errors.push(...item);
    else read.push(item);
  });
  const itemsHash = await (errors.length === 0 ? hashOfItems(read) : hashOf(rows, refusedRow));
  const before = errors.length === 0 ? await findBatch(database, { id, accountId }) : null;
  const isAsked = errors.length === 0 && (before === null || isReplaceable(before));
  if (frozen && (isAsked || errors.length > 0)) throw frozenError(frozen);
  const names = isAsked ? await lookUpNames(deps, request, read) : null;
  errors.push(...(names?.errors ?? []));
  const items = await inTurns(read, ({ request: payout, route, ...item }): BatchItem => {
    routes[item.channel] ??= { connection: route.connection, timing: flowTiming(payout.mode, route, timing) };
    const transactionId = transactionIdOf(accountId, keyOfItem(id, item.position));
    const nameMatch = names?.matches.get(item.position) ?? null;
    return { ...item, transactionId, nameMatch };
  });
  const sum = (of: (item: BatchItem) => number) => minor(items.reduce((all, item) => all + of(item), 0));
  const draft = {
    id,
    accountId,
    apiKeyId,
    routes,
    columns,
    ...asked,
    currency: CURRENCY,
    feeVersion: fees.version,
    itemsHash,
    items: rows.length,
    amount: sum(({ amount }) => amount),
    fees: sum(({ mode, amount }) => feeFor(kinds[mode].fee, amount, fees).fee),
  };
  const saved = await saveDraft(database, draft, items, { errors, inFile: (error) => inFile(error, rows) });
  if (saved !== 'taken') return saved;
  throw new GatewayError('batch_number_taken', say('batch_number_taken', { number: sent.batchNumber }), {
    errors: [{ field: 'batch_number', message: say('must_be_unique_batch') }],
  });
}

/** Two batches with errors are the same if their cells and errors are. */
const refusedRow = ({ fields, metadata, cells, wrong }: SentRow) =>
  canonicalJson({
    fields,
    metadata,
    cells,
    wrong: wrong?.map(({ field, message }) => [field, message.id]) ?? [],
  });

/** Names the spreadsheet's line, because people look for that number. */
function inFile({ row, message: problem }: RowError, rows: readonly SentRow[]): Message {
  const lineOf = (position: unknown) => rows[Number(position) - 1]?.line;
  const line = lineOf(row);
  if (line === undefined) return problem;
  const first = problem.id === 'is_twin_of_row' ? lineOf(problem.values.row) : undefined;
  const said = first === undefined ? problem : say('is_twin_of_file_row', { line: first });
  return say('in_file_row', { problem: said, line });
}
