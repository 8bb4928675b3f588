import { AsyncLocalStorage } from 'node:async_hooks';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { PoolClient } from 'pg';
import type { ItemFlows } from '../../src/activities/batches.ts';
import type { createActivities } from '../../src/activities/index.ts';
import type { createSettlements } from '../../src/app/settlements.ts';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import type { CallbackSender } from '../../src/callbacks/send.ts';
import type { Channels } from '../../src/channels/kit/registry.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { factsOfWorkflow } from '../../src/domain/ids.ts';
import { withMethods } from '../support/before-statements.ts';
import type { Database } from '../support/queryable.ts';

/** The steps of a payment, in order: between any two of them a worker may die. */
export const steps = [
  'before accept',
  'after accept',
  'before recordSend',
  'after recordSend',
  'before the channel call',
  'after the channel call',
  'after recordSendOutcome',
  'while the send is open',
  'before enquire',
  'after the enquiry call',
  'after enquire',
  'before end',
  'after end',
  'before callback send',
  'after callback send',
  'after callback record',
] as const;
/** Those of a batch, in order. */
export const batchSteps = [
  'before startBatch',
  'after startBatch',
  'before startItems',
  'while items begin',
  'before they are noted',
  'after startItems',
  'after countBatch',
  'before the rest goes back',
  'after the rest went back',
  'before its end',
  'after its end',
  'before its callback begins',
  'after its callback began',
] as const;
type BatchStep = (typeof batchSteps)[number];
/** Those of settlements, beside those that any payout has: its other parts, and the run of a day. */
type SettlementStep = 'before parts begin' | 'after parts began' | 'after the day';
/** Inside the transaction that starts a batch, with its locks: only where nothing else has to arrive. */
type InsideStart = 'after its check' | 'before its hold is committed';
export type Step = (typeof steps)[number] | BatchStep | SettlementStep | InsideStart;

/**
 * Which transaction stops at which step. Each waits at its step until all are there, then the process freezes (SIGSTOP),
 * so that one blow strikes every one of them exactly there: whoever kills it does it then. Once thawed, all go on.
 */
export type StopPlan = Record<string, Step>;

type Activities = ReturnType<typeof createActivities>;
type Settlements = ReturnType<typeof createSettlements>;

/** Wraps what a worker is made of. `log` gets `stopped <step> <id>`, `call <id>`, `sent <id>`. */
export function createStopAt(plan: StopPlan, log: (line: string) => void) {
  const arrived = new Set<string>();
  let struck = false;
  let goOn = () => {};
  const over = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const transactionOfEvent = new Map<string, string>();
  const starting = new AsyncLocalStorage<string>();

  async function reach(step: Step, transactionId: string | undefined): Promise<void> {
    if (transactionId === undefined || plan[transactionId] !== step) return;
    if (!arrived.has(transactionId)) log(`stopped ${step} ${transactionId}`);
    arrived.add(transactionId);
    if (arrived.size === Object.keys(plan).length && !struck) {
      struck = true;
      process.kill(process.pid, 'SIGSTOP');
      goOn();
    }
    await over;
  }

  async function around<T>(
    transactionId: string,
    [before, after]: [Step | null, Step | null],
    work: () => Promise<T>,
  ): Promise<T> {
    if (before) await reach(before, transactionId);
    const result = await work();
    if (after) await reach(after, transactionId);
    return result;
  }

  /** The commit that makes a send final, seen from outside: the only step that no function marks. */
  function watchCommit(client: PoolClient): PoolClient {
    let sending: string | undefined;
    const query = async (text: string, values?: unknown[]) => {
      if (text === 'SAVEPOINT before_hold') await reach('after its check', starting.getStore());
      if (text === 'COMMIT') await reach('before its hold is committed', starting.getStore());
      const result = await client.query(text, values);
      if (text.includes('INSERT INTO sends') && result.rowCount === 1) sending = String(values?.[0]);
      if (text === 'COMMIT') await reach('after recordSend', sending);
      return result;
    };
    return withMethods(client, { query });
  }

  return {
    database: (database: Database): Database =>
      withMethods(database, { connect: async () => watchCommit(await database.connect()) }),

    channels: (channels: Channels): Channels => ({
      ...channels,
      channelOf: (transaction) => watchChannel(channels.channelOf(transaction)),
    }),

    activities: (activities: Activities, { database }: { database: Database }): Activities => {
      const { money, sends, enquiries, batches, settlements } = activities;
      const noted = async <T>({ transactionId }: { transactionId: string }, send: () => Promise<T>) => {
        const report = await around(transactionId, ['before recordSend', 'after recordSendOutcome'], () =>
          send().catch((error) => {
            if (!(error instanceof CompleteAsyncError)) throw error;
          }),
        );
        log(`sent ${transactionId}`);
        if (report) return report;
        // Nothing holds it up there: it is open, and the worker has nothing to do with it any more.
        void reach('while the send is open', transactionId);
        throw new CompleteAsyncError();
      };
      return {
        ...activities,
        money: {
          ...money,
          accept: (submission) =>
            around(submission.transactionId, ['before accept', 'after accept'], () =>
              money.accept(submission),
            ),
          startBatch: (run, isLater) =>
            around(run.batchId, ['before startBatch', 'after startBatch'], () =>
              starting.run(run.batchId, () => money.startBatch(run, isLater)),
            ),
          async countBatch(run) {
            const { batchId } = run;
            const { isCancelled, isOver } = await stateOf(database, batchId);
            if (isCancelled) await reach('before the rest goes back', batchId);
            if (isOver) await reach('before its end', batchId);
            const progress = await money.countBatch(run);
            await reach('after countBatch', batchId);
            // Not `isCancelled`: it may have been cancelled since then, and the rest goes back once.
            if (progress.status === 'cancelled') await reach('after the rest went back', batchId);
            if (progress.isOver) await reach('after its end', batchId);
            return progress;
          },
          tryToEnd: (id, cause) => around(id, ['before end', 'after end'], () => money.tryToEnd(id, cause)),
          endAndNotify: (id, cause) =>
            around(id, ['before end', 'after end'], () => money.endAndNotify(id, cause)),
        },
        sends: {
          requestPush: (input) => noted(input, () => sends.requestPush(input)),
          requestPayout: (input) => noted(input, () => sends.requestPayout(input)),
        },
        batches: {
          startItems: (run) =>
            around(run.batchId, ['before startItems', 'after startItems'], () => batches.startItems(run)),
          async tellOfBatch(eventId) {
            const { rows } = await database.query('SELECT body FROM callback_events WHERE id = $1', [
              eventId,
            ]);
            const id = JSON.parse(rows[0].body).batch_id;
            return around(id, ['before its callback begins', 'after its callback began'], () =>
              batches.tellOfBatch(eventId),
            );
          },
        },
        settlements: {
          ...settlements,
          settleDaily: (at) => around(DAILY, [null, 'after the day'], () => settlements.settleDaily(at)),
        },
        enquiries: {
          ...enquiries,
          enquire: (input) =>
            around(input.transactionId, ['before enquire', 'after enquire'], () => enquiries.enquire(input)),
        },
      };
    },

    /** The first item of a slice begins, and the worker dies before the next, or before it notes them. */
    items: ({ begin, tell }: ItemFlows): ItemFlows => ({
      tell,
      begin(submission) {
        const { id, position = 0 } = submission.batch ?? {};
        const stops = position === 2 ? (['while items begin', 'before they are noted'] as const) : NOWHERE;
        return around(id ?? '', [...stops], () => begin(submission));
      },
    }),

    settlements: ({ beginParts, ...settlements }: Settlements): Settlements => ({
      ...settlements,
      beginParts: (ids) =>
        around(ids[0] ?? '', ['before parts begin', 'after parts began'], () => beginParts(ids)),
    }),

    sender: (sender: CallbackSender): CallbackSender => ({
      ...sender,
      send(request) {
        const { transaction_id, batch_id, event_id: eventId } = JSON.parse(String(request.body));
        const id = transaction_id ?? batch_id;
        transactionOfEvent.set(eventId, id);
        return around(id, ['before callback send', 'after callback send'], () => sender.send(request));
      },
    }),

    delivery: (delivery: Delivery): Delivery => ({
      async attempt(eventId, ...rest) {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
        await reach('after end', factsOfWorkflow(workflowId).transaction_id);
        const outcome = await delivery.attempt(eventId, ...rest);
        await reach('after callback record', transactionOfEvent.get(eventId));
        return outcome;
      },
    }),
  };

  function watchChannel(channel: Channel): Channel {
    const watch =
      <O extends { transactionId: string }, C, R>(call: (order: O, options: C) => Promise<R>) =>
      (order: O, options: C) =>
        around(order.transactionId, ['before the channel call', 'after the channel call'], () => {
          log(`call ${order.transactionId}`);
          return call(order, options);
        });
    return {
      ...channel,
      enquire: (order, options) =>
        around(order.transactionId, [null, 'after the enquiry call'], () => channel.enquire(order, options)),
      ...(channel.requestPush ? { requestPush: watch(channel.requestPush) } : {}),
      ...(channel.requestPayout ? { requestPayout: watch(channel.requestPayout) } : {}),
    };
  }
}

const NOWHERE = [null, null] as const;
/** In a plan, the run of a day of settlements. */
export const DAILY = 'daily settlements';

async function stateOf(database: Database, batchId: string) {
  const { rows } = await database.query(
    `SELECT b.status = 'cancelled' AND b.held > 0 AS "isCancelled", NOT EXISTS (SELECT FROM batch_items i
       LEFT JOIN transactions t ON t.id = i.transaction_id
       WHERE i.batch_id = b.id AND coalesce(t.status, 'pending') = 'pending') AS "isOver"
     FROM batches b WHERE b.id = $1`,
    [batchId],
  );
  return rows[0] ?? { isCancelled: false, isOver: false };
}
