import type { Channels } from '../channels/registry.ts';
import type { Database } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Accepted, Submission } from '../domain/operation.ts';
import { isFinal } from '../domain/transaction.ts';
import { accept } from '../transactions/accept.ts';
import { raiseAttention } from '../transactions/attention.ts';
import { closeSendsAsNotFound } from '../transactions/sends.ts';
import { lockTransaction } from '../transactions/store.ts';
import { createCallbackActivities, type Delivery } from './callback.ts';
import { createSendActivities } from './channel.ts';
import { createEnquiryActivities } from './enquire.ts';
import { asFailure } from './failure.ts';
import { type Recovered, recover } from './recover.ts';
import { type Cause, type Settled, settle } from './settle.ts';
import { createSweepActivities, type Sweep } from './sweep.ts';

export type ActivityDependencies = {
  database: Database;
  channels: Channels;
  delivery: Delivery;
  sweep: Sweep;
};

/** All activities, by the queue they run on. Workflows know only their types. */
export function createActivities(deps: ActivityDependencies) {
  return {
    money: createMoneyActivities(deps.database),
    sends: createSendActivities(deps),
    enquiries: createEnquiryActivities(deps),
    callbacks: createCallbackActivities(deps.delivery),
    sweep: createSweepActivities(deps.sweep),
  };
}

export type MoneyActivities = ReturnType<typeof createMoneyActivities>;
export type SendActivities = ReturnType<typeof createSendActivities>;
export type EnquiryActivities = ReturnType<typeof createEnquiryActivities>;
export type CallbackActivities = ReturnType<typeof createCallbackActivities>;
export type SweepActivities = ReturnType<typeof createSweepActivities>;

/** Local activities: each is one Postgres transaction that may run twice. */
function createMoneyActivities(database: Database) {
  return {
    async accept(submission: Submission): Promise<Accepted> {
      return accept(database, submission).catch((error) => {
        throw asFailure(error);
      });
    },

    async settle(transactionId: string, cause: Cause): Promise<Settled> {
      return settle(database, transactionId, cause).catch(async (error) => {
        const failure = asFailure(error);
        // What no retry can mend ends the workflow; the sweep tries again, and a person is told.
        if (failure !== error) {
          await raiseAttention(database, { transactionId, reason: 'broken', detail: failure.message }).catch(
            () => {},
          );
        }
        throw failure;
      });
    },

    async recover(transactionId: string): Promise<Recovered> {
      return recover(database, transactionId);
    },

    /** `not found` held its time: the earlier sends no longer bar a second one. */
    async closeSends(transactionId: string, upTo: number): Promise<void> {
      await closeSendsAsNotFound(database, { transactionId, upTo });
    },

    async flagUnknownOutcome(transactionId: string, detail: string): Promise<void> {
      await inTransaction(database, async (db) => {
        // One that was settled meanwhile has its answer.
        const transaction = await lockTransaction(db, transactionId);
        if (transaction && !isFinal(transaction.status))
          await raiseAttention(db, { transactionId, reason: 'unknown_outcome', detail });
      });
    },
  };
}
