import { z } from 'zod';
import { requireAccount } from '../accounts/store.ts';
import { queuePing, resendEvent, startDeliveries } from '../callbacks/resend.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Call, call } from './call.ts';
import { text } from './fields.ts';

/** `late`: Temporal did not answer; the sweep starts what is queued once it does. */
const queuedAnswer = z.strictObject({ event_id: z.string(), late: z.boolean() });

/** What one person may send. Where callbacks go, and a range of them, is proposed (operators/proposals/callback-actions.ts). */
export const callbackCalls = {
  pingCallbacks: call(
    {
      method: 'POST',
      path: 'keys/{id}/callbacks/ping',
      id: 'of the key',
      summary: "Send a ping to a key's callback address",
      roles: ['support', 'admin'],
      answer: queuedAnswer,
    },
    async (_input, { deps, id }) => {
      const ping = await queuePing(deps.database, id);
      return { event_id: ping.eventId, late: !(await startDeliveries([ping], deps.deliver)) };
    },
  ),
  resendCallback: call(
    {
      method: 'POST',
      path: 'accounts/{id}/callbacks/resend',
      id: 'of the account',
      summary: 'Send one event again',
      roles: ['support', 'admin'],
      body: { event_id: text(50) },
      answer: queuedAnswer,
    },
    async ({ event_id }, { deps, actor, id, noteRead }) => {
      const { taken, ...queued } = await inTransaction(deps.database, async (db) => {
        const { id: accountId } = await requireAccount(db, id);
        return resendEvent(db, { accountId, eventId: event_id, actor });
      });
      noteRead(event_id);
      return { event_id, late: !(await startDeliveries([queued, ...taken], deps.deliver)) };
    },
  ),
} satisfies Record<string, Call>;
