import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { saveDraft } from '../../src/batches/batch-drafts.ts';
import { type BatchNow, countItems, findBatch, moveBatch, runOf } from '../../src/batches/batch-store.ts';
import { hashOfItems } from '../../src/batches/items-hash.ts';
import type { BatchRun, BatchStatus } from '../../src/domain/batch.ts';
import { feeFor, feesAt } from '../../src/domain/fees.ts';
import { inEnglish } from '../../src/domain/messages.ts';
import { minor } from '../../src/domain/money.ts';
import { flowTiming } from '../../src/domain/timing.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { batchIdOf, keyOfItem, transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { asRole } from './database.ts';
import { CONNECTION, channelTiming, type Merchant } from './merchant.ts';
import type { Database } from './queryable.ts';
import type { ScriptedChannel } from './scripted-channel.ts';
import { until } from './wait.ts';

export type Row = { amount?: number; msisdn?: string; channel?: string };

/** What the API would write down for these rows, each to a number of its own unless it says otherwise. Amounts are TZS. */
export async function draftOf(
  database: Database,
  merchant: Merchant,
  rows: readonly Row[],
  changes: Partial<Pick<BatchNow, 'batchNumber' | 'quiet' | 'allowTwins' | 'startAt'>> & {
    fast?: boolean;
  } = {},
): Promise<{ batch: BatchNow; run: BatchRun }> {
  const { accountId, apiKeyId } = merchant;
  const { fast = false, ...given } = changes;
  const batchNumber = given.batchNumber ?? `B-${randomUUID()}`;
  const id = batchIdOf(accountId, batchNumber);
  const fees = feesAt(new Date().toISOString(), null);
  const items = rows.map(({ amount = 10_000, msisdn, channel = 'm-pesa' }, index) => ({
    position: index + 1,
    transactionId: transactionIdOf(accountId, keyOfItem(id, index + 1)),
    mode: 'mobile' as const,
    channel,
    msisdn: msisdn ?? `2557541${String(index + 1).padStart(5, '0')}`,
    bic: null,
    accountNumber: null,
    fullName: null,
    amount: minor(amount * 100),
    reference: null,
    metadata: '{}',
    cells: null,
  }));
  const timing = flowTiming('mobile', channelTiming, fast ? 'fast' : 'normal');
  const routes = Object.fromEntries(
    [...new Set(items.map(({ channel }) => channel))].map((channel) => [
      channel,
      { connection: CONNECTION, timing },
    ]),
  );
  const sum = (of: (item: (typeof items)[number]) => number) =>
    minor(items.reduce((all, item) => all + of(item), 0));
  const draft = {
    id,
    accountId,
    apiKeyId,
    currency: 'TZS',
    feeVersion: fees.version,
    metadata: '{}',
    itemsHash: await hashOfItems(items),
    allowTwins: false,
    quiet: false,
    columns: null,
    startAt: null,
    routes,
    items: items.length,
    amount: sum(({ amount }) => amount),
    fees: sum(({ amount }) => feeFor('mobile', amount, fees).fee),
    ...given,
    batchNumber,
  };
  const saved = await saveDraft(asRole(database, 'api'), draft, items, { errors: [] });
  assert.ok(typeof saved !== 'string', String(saved));
  return { batch: saved, run: { ...runOf(saved), startedBy: apiKeyId } };
}

/** Why it is as it is, in words; '' where nothing is said. */
export const reasonOf = ({ statusReason }: Pick<BatchNow, 'statusReason'>) =>
  statusReason === null ? '' : inEnglish(statusReason);

type Named = Pick<BatchRun, 'batchId' | 'accountId'>;

/** What tests ask of the batches in a database. */
export function batchesIn(test: { readonly database: Database }) {
  const find = async ({ batchId: id, accountId }: Named) =>
    (await findBatch(test.database, { id, accountId })) ?? assert.fail('the batch is there');
  const counts = async ({ batchId }: Named) =>
    (await countItems(test.database, [batchId])).get(batchId) ?? assert.fail();
  return {
    find,
    counts,
    isOver: (run: Named, what = 'the batch is over') =>
      until(async () => ((await find(run)).finishedAt === null ? undefined : find(run)), what),
    move: ({ batchId: id, accountId }: Named, from: BatchStatus, to: BatchStatus) =>
      moveBatch(test.database, { id, accountId, from: [from], to }),
    /** Its callbacks, one if it is over. */
    finished: async ({ batchId }: Named) => {
      const { rows } = await test.database.query(
        "SELECT id, body FROM callback_events WHERE event = 'batch.finished' AND body LIKE $1",
        [`%${batchId}%`],
      );
      return rows.map(({ id, body }: { id: string; body: string }) => ({ id, body: JSON.parse(body) }));
    },
    /** It is over, nothing is left of its hold, and each of its items was sent at most once. */
    assertWhole: async (run: Named, { sent }: Pick<ScriptedChannel, 'sent'>) => {
      assert.deepEqual(await checkInvariants(test.database), []);
      const { held, items } = await find(run);
      assert.equal(held, 0, 'nothing is left of its hold');
      const ids = sent.map(({ transactionId }) => transactionId);
      assert.equal(new Set(ids).size, ids.length, 'each item was sent at most once');
      const { paid, failed, cancelled } = await counts(run);
      assert.equal(paid + failed + cancelled, items);
    },
  };
}
