import { z } from 'zod';
import { requireAccount } from '../../accounts/store.ts';
import { listCallbacks } from '../../callbacks/list.ts';
import { queuePing, resendEvent, startDeliveries } from '../../callbacks/resend.ts';
import { callbackStates } from '../../domain/event.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { eventId, whether } from './answer-fields.ts';
import { type Call, call } from './call.ts';
import { only, pageQuery, text } from './fields.ts';
import { presentLoggedCallback, presentPage } from './present.ts';
import { callbackList } from './schemas.ts';

const queuedAnswer = z.strictObject({
  event_id: eventId,
  late: whether('True: Temporal did not answer, so the sweep starts it within a minute'),
});

/**
 * One person may send one event again. A new URL, or a range of events, needs a proposal
 * (actions/callback-actions.ts).
 */
export const callbackCalls = {
  pingCallbacks: call(
    {
      method: 'POST',
      paths: ['keys/{id}/callbacks/ping'],
      id: 'The id of the key',
      summary: "Send a ping to a key's callback URL",
      roles: ['support', 'admin'],
      answer: queuedAnswer,
    },
    async (_input, { deps, id }) => {
      const ping = await queuePing(deps.database, id);
      return { event_id: ping.eventId, late: !(await startDeliveries([ping], deps.deliver)) };
    },
  ),
  listCallbacks: call(
    {
      method: 'GET',
      paths: ['accounts/{id}/callbacks'],
      id: 'The id of the account',
      summary: "A merchant's callbacks with their last attempt, newest first; all, or those in one state",
      roles: ['support', 'finance', 'admin'],
      query: { ...pageQuery, state: only(callbackStates) },
      answer: callbackList,
    },
    async ({ page, per_page, state }, { deps, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      const asked = { page, perPage: per_page };
      const listed = await listCallbacks(deps.database, { accountId, filter: { state }, ...asked });
      return presentPage(listed, asked, presentLoggedCallback);
    },
  ),
  resendCallback: call(
    {
      method: 'POST',
      paths: ['accounts/{id}/callbacks/resend'],
      id: 'The id of the account',
      summary: 'Send one event again',
      roles: ['support', 'finance', 'admin'],
      body: { event_id: text(50, eventId.description) },
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
