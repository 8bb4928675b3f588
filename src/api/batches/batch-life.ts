import { z } from 'zod';
import { frozenFees } from '../../accounts/fees.ts';
import { frozenError } from '../../accounts/freeze.ts';
import type { Scope } from '../../accounts/keys.ts';
import {
  type BatchNow,
  countItems,
  findBatch,
  heldRunOf,
  isOwnBatch,
  itemsOf,
  listBatches,
  moveBatch,
  runOf,
} from '../../batches/batch-store.ts';
import { batchAnswer, batchItemList, batchList } from '../../contract/batch-schemas.ts';
import {
  type BatchRoutes,
  type BatchStatus,
  batchStatuses,
  itemStatuses,
  messageOf,
} from '../../domain/batch.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { say } from '../../domain/messages.ts';
import { flowTiming } from '../../domain/timing.ts';
import { unavailable } from '../../platform/http/envelope.ts';
import { acceptFields, readFields } from '../../platform/http/fields.ts';
import { type ApiRequest, callerOf, done } from '../kit/call.ts';
import { csvReply, formatField, timezoneField, wantsCsv } from '../kit/csv-reply.ts';
import { requireOpen } from '../kit/fence-watch.ts';
import { call, type Deps } from '../kit/gateway-call.ts';
import { inState, oneOf, pageQuery, readQuery } from '../kit/list-query.ts';
import { paginationOf } from '../payments/transaction.ts';
import { itemsAsCsv, presentBatch, presentBatches, presentItem, sayErrors } from './batch-present.ts';

const startFields = {
  items_hash: z.string().meta({
    pattern: '^[0-9a-f]{64}$',
    description: 'The `items_hash` of the batch that you checked',
    example: '9f'.repeat(32),
  }),
};

export const startBatch = call(
  {
    method: 'POST',
    paths: ['payouts/batches/{id}/start'],
    summary: 'Start or schedule a batch, with the key of another person than its maker',
    purpose:
      'Start a batch that you have checked, as its `items_hash` proves. ' +
      'All of its money is held at once, or none; the same request again gets the present state.',
    scopes: ['payouts:approve'],
    body: startFields,
    answer: batchAnswer,
    refusals: [
      'batch_state',
      'items_changed',
      'insufficient_balance',
      'limit_exceeded',
      'duplicate_suspected',
      'unsupported_network',
      'outcome_unknown',
    ],
  },
  async (request, deps) => {
    const { items_hash } = acceptFields(readFields(startFields, request.known));
    const batch = await ownBatch(request, deps);
    if (batch.itemsHash !== items_hash) throw new GatewayError('items_changed', say('batch_items_changed'));
    if (batch.errors.length > 0) throw new GatewayError('batch_state', say('batch_has_errors'));
    const { keyId, frozen } = callerOf(request);
    if (batch.status === 'finished' || batch.status === 'cancelled') throw isIn(batch, ['draft']);
    if (batch.status !== 'draft') return answerOf('batch_started', batch, deps);
    if (await isOwnBatch(deps.database, batch, keyId))
      throw new GatewayError('forbidden', say('batch_of_same_holder'));
    if (frozen) throw frozenError(frozen);
    await requireOpen(deps.database);
    const run = { ...runOf(batch), startedBy: keyId, routes: await routesNow(batch, deps) };
    const started = await deps.flows.startBatch(run);
    if (started.kind === 'not_sent') throw unavailable();
    if (started.kind === 'refused')
      throw new GatewayError(started.refusal.code, messageOf(started.refusal.message));
    const now = await ownBatch(request, deps);
    if (now.status === 'draft') throw new GatewayError('outcome_unknown', say('batch_unknown'));
    return answerOf('batch_started', now, deps);
  },
);

/** Looks up the routes again, because they may have changed since the check. */
async function routesNow({ accountId, routes }: BatchNow, deps: Deps): Promise<BatchRoutes> {
  const routeOf = deps.payoutsOver(accountId);
  return Object.fromEntries(
    Object.keys(routes).map((channel) => {
      const route = routeOf(channel);
      if (!route) throw new GatewayError('unsupported_network', say('no_payouts_over', { channel }));
      const timing = flowTiming(channel === 'bank' ? 'bank' : 'mobile', route, deps.timing);
      return [channel, { connection: route.connection, timing }];
    }),
  );
}

type Move = {
  from: readonly BatchStatus[];
  to: 'paused' | 'running' | 'cancelled';
  message: 'batch_paused' | 'batch_started' | 'batch_cancelled';
};

function moving({
  act,
  to,
  ...line
}: {
  act: string;
  summary: string;
  purpose: string;
  scopes: readonly Scope[];
  to: Move;
}) {
  const rest = {
    method: 'POST',
    paths: [`payouts/batches/{id}/${act}`],
    answer: batchAnswer,
    refusals: ['batch_state', 'unavailable'],
  } as const;
  return call({ ...line, ...rest }, (request, deps) => move(request, deps, to));
}

const either: readonly Scope[] = ['payouts:approve', 'payouts:write'];

export const pauseBatch = moving({
  act: 'pause',
  summary: 'Pause a batch: no more items start, and items that were sent go on',
  purpose: 'Start no more items for now. Items that were sent go on, and a second pause changes nothing.',
  scopes: either,
  to: { from: ['running'], to: 'paused', message: 'batch_paused' },
});

export const resumeBatch = moving({
  act: 'resume',
  summary: 'Go on with a paused batch',
  purpose: 'Go on with a batch that was paused. After a restore of ours, look at what was paid first.',
  scopes: ['payouts:approve'],
  to: { from: ['paused'], to: 'running', message: 'batch_started' },
});

export const cancelBatch = moving({
  act: 'cancel',
  summary: 'Cancel the items of a batch that were not sent; their hold is released',
  purpose:
    'Take back the items that were not sent: their hold goes back to your balance. ' +
    'Items that were sent go on.',
  scopes: either,
  to: { from: ['draft', 'scheduled', 'running', 'paused'], to: 'cancelled', message: 'batch_cancelled' },
});

/** A repeated request changes nothing and gets the same answer. */
async function move(request: ApiRequest, deps: Deps, { from, to, message }: Move) {
  const { id, accountId } = await ownBatch(request, deps);
  await requireOpen(deps.database);
  const moved = await moveBatch(deps.database, { id, accountId, from, to });
  const run = moved && (await heldRunOf(deps.database, moved));
  if (run) await deps.flows.tellBatch(run);
  const now = moved ?? (await ownBatch(request, deps));
  if (now.status !== to) throw isIn(now, from);
  return answerOf(message, now, deps);
}

const isIn = ({ status }: BatchNow, states: readonly BatchStatus[]) =>
  new GatewayError('batch_state', say('batch_must_be', { status, states: states.join(', ') }));

const batchQuery = { ...pageQuery, status: oneOf(batchStatuses, inState) };

export const getBatches = call(
  {
    method: 'GET',
    paths: ['payouts/batches'],
    summary: 'Batches of payouts, newest first',
    purpose: 'Page through your batches, newest first. Each says how many of its items are paid by now.',
    scopes: ['payouts:read'],
    query: batchQuery,
    answer: batchList,
  },
  async (request, { database }) => {
    const { page = 1, per_page: perPage = 20, status = null } = readQuery(batchQuery, request.query);
    const { accountId } = callerOf(request);
    const found = await listBatches(database, { accountId, status }, { page, perPage });
    return {
      ...done(say('batches_found')),
      data: await presentBatches(database, found.items),
      pagination: paginationOf({ page, perPage }, found),
    };
  },
);

export const getBatch = call(
  {
    method: 'GET',
    paths: ['payouts/batches/{id}'],
    summary: 'A batch as it is now',
    purpose: 'Look up a batch: its present state and totals. You need its `items_hash` to start it.',
    scopes: ['payouts:read'],
    answer: batchAnswer,
  },
  async (request, deps) => answerOf('batch_found', await ownBatch(request, deps), deps),
);

const itemQuery = {
  ...pageQuery,
  status: oneOf(itemStatuses, inState),
  format: formatField,
  timezone: timezoneField,
};

export const getBatchItems = call(
  {
    method: 'GET',
    paths: ['payouts/batches/{id}/items'],
    summary: 'How each item of a batch ended, as pages of JSON or all of it as CSV in your own columns',
    purpose:
      'See how each item ended. As CSV it has your own columns in your own order, ' +
      'and beside them how each row ended.',
    scopes: ['payouts:read'],
    query: itemQuery,
    answer: batchItemList,
    csv: true,
    refusals: ['batch_state'],
  },
  async (request, deps) => {
    const { database } = deps;
    const asked = readQuery(itemQuery, request.query);
    const { page = 1, per_page: perPage = 20, status = null, format, timezone } = asked;
    const batch = await ownBatch(request, deps);
    if (batch.errors.length > 0) throw new GatewayError('batch_state', say('batch_rows_not_kept'));
    if (wantsCsv(request, format))
      return csvReply('batch', itemsAsCsv(database, batch, { status, timezone }));
    const offset = (page - 1) * perPage;
    const items = await itemsOf(database, { batchId: batch.id, status, after: 0, offset, count: perPage });
    const counts = (await countItems(database, [batch.id])).get(batch.id);
    const fees = await frozenFees(database, batch.feeVersion);
    const total = (status === null ? counts?.known : counts?.[status]) ?? 0;
    return {
      ...done(say('batch_items_found')),
      data: items.map((item) => presentItem(item, { currency: batch.currency, fees })),
      pagination: paginationOf({ page, perPage }, { total, totalIsMinimum: false }),
    };
  },
);

/** Throws `not_found`, or `unavailable` if a restore may have lost it. */
async function ownBatch(request: ApiRequest, { database }: Deps): Promise<BatchNow> {
  const { id } = request;
  const { accountId } = callerOf(request);
  const batch = isUuid(id) ? await findBatch(database, { id, accountId }) : null;
  if (batch) return batch;
  await requireOpen(database);
  throw new GatewayError('not_found', say('no_batch'));
}

async function answerOf(message: Move['message'] | 'batch_found', batch: BatchNow, { database }: Deps) {
  const wrong = message === 'batch_found' ? sayErrors(batch) : null;
  const said =
    batch.status === 'scheduled' ? say('batch_is', { status: batch.status }) : (wrong ?? say(message));
  return { ...done(said), batch: await presentBatch(database, batch) };
}
