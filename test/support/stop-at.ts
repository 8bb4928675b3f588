import { CompleteAsyncError, Context } from '@temporalio/activity';
import type { PoolClient } from 'pg';
import type { createActivities } from '../../src/activities/index.ts';
import type { Delivery } from '../../src/callbacks/deliver.ts';
import type { CallbackSender } from '../../src/callbacks/send.ts';
import type { Channels } from '../../src/channels/registry.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { factsOfWorkflow } from '../../src/domain/ids.ts';
import type { Database } from './queryable.ts';

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
  'before settle',
  'after settle',
  'before callback send',
  'after callback send',
  'after callback record',
] as const;
export type Step = (typeof steps)[number];

/**
 * Which transaction stops at which step. Each waits at its step until all are there, then the process dies (SIGKILL)
 * or freezes (SIGSTOP), so that one blow strikes every one of them exactly there. Once thawed, all go on.
 */
export type StopPlan = { signal: 'SIGKILL' | 'SIGSTOP'; at: Record<string, Step> };

type Activities = ReturnType<typeof createActivities>;

/** Wraps what a worker is made of. `log` gets `stopped <step> <id>`, `call <id>`, `sent <id>`. */
export function createStopAt(plan: StopPlan, log: (line: string) => void) {
  const arrived = new Set<string>();
  let struck = false;
  let goOn = () => {};
  const over = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const transactionOfEvent = new Map<string, string>();

  async function reach(step: Step, transactionId: string | undefined): Promise<void> {
    if (transactionId === undefined || plan.at[transactionId] !== step) return;
    if (!arrived.has(transactionId)) log(`stopped ${step} ${transactionId}`);
    arrived.add(transactionId);
    if (arrived.size === Object.keys(plan.at).length && !struck) {
      struck = true;
      process.kill(process.pid, plan.signal);
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

    activities: (activities: Activities): Activities => {
      const { money, sends, enquiries } = activities;
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
          settle: (id, cause) => around(id, ['before settle', 'after settle'], () => money.settle(id, cause)),
          settleAndNotify: (id, cause) =>
            around(id, ['before settle', 'after settle'], () => money.settleAndNotify(id, cause)),
        },
        sends: {
          requestPush: (input) => noted(input, () => sends.requestPush(input)),
          requestPayout: (input) => noted(input, () => sends.requestPayout(input)),
        },
        enquiries: {
          ...enquiries,
          enquire: (input) =>
            around(input.transactionId, ['before enquire', 'after enquire'], () => enquiries.enquire(input)),
        },
      };
    },

    sender: (sender: CallbackSender): CallbackSender => ({
      ...sender,
      send(request) {
        const { transaction_id: id, event_id: eventId } = JSON.parse(String(request.body));
        transactionOfEvent.set(eventId, id);
        return around(id, ['before callback send', 'after callback send'], () => sender.send(request));
      },
    }),

    delivery: (delivery: Delivery): Delivery => ({
      async attempt(eventId, ...rest) {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
        await reach('after settle', factsOfWorkflow(workflowId).transaction_id);
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

/** The same object with a few methods of its own; everything else is the original's, `this` included. */
function withMethods<T extends object>(original: T, methods: object): T {
  return new Proxy(original, {
    get(target, name) {
      if (name in methods) return methods[name as keyof typeof methods];
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
