import { z } from 'zod';
import { requireAccount } from '../accounts/store.ts';
import { queuePing, resendEvent, resendRange } from '../callbacks/resend.ts';
import { workAtOnce } from '../domain/at-once.ts';
import type { Round } from '../domain/event.ts';
import { transactionEvents } from '../domain/event.ts';
import { type Call, call, type Deps } from './call.ts';
import { oneOf, someOf, text, timeField } from './fields.ts';
import { presentCallbackSettings } from './present.ts';
import { callbackSettings } from './schemas.ts';

/** `late`: Temporal did not answer; the sweep starts what is queued once it does. */
const queuedAnswer = z.strictObject({
  events: z.number(),
  next_from: z.string().nullable(),
  late: z.boolean(),
});

/** Where a merchant's callbacks go, and sending them again. */
export const callbackCalls = {
  setCallbacks: call(
    {
      method: 'PUT',
      path: 'keys/{id}/callbacks',
      id: 'of the key',
      summary:
        "Set a key's callback address, passphrase and events; what is left out stays, an empty text removes",
      roles: ['admin'],
      body: {
        url: z.string('must be text').max(2_000, 'must have at most 2000 characters').optional(),
        passphrase: z.string('must be text').optional(),
        events: someOf(transactionEvents).optional(),
      },
      answer: callbackSettings,
    },
    async ({ url, passphrase, events }, { deps, actor, id }) => {
      const orNull = (given: string | undefined) => (given === '' ? null : given);
      const settings = await deps.saveCallbackSettings({
        keyId: id,
        actor,
        callbackUrl: orNull(url),
        passphrase: orNull(passphrase),
        events,
      });
      return presentCallbackSettings(settings);
    },
  ),
  pingCallbacks: call(
    {
      method: 'POST',
      path: 'keys/{id}/callbacks/ping',
      id: 'of the key',
      summary: "Send a ping to a key's callback address",
      roles: ['support', 'admin'],
      answer: z.strictObject({ event_id: z.string(), late: z.boolean() }),
    },
    async (_input, { deps, id }) => {
      const ping = await queuePing(deps.database, id);
      return { event_id: ping.eventId, late: await start(deps, [ping]) };
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
    async ({ event_id }, { deps, actor, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      const { taken, ...queued } = await resendEvent(deps.database, { accountId, eventId: event_id, actor });
      return { events: 1, next_from: null, late: await start(deps, [queued, ...taken]) };
    },
  ),
  resendCallbacks: call(
    {
      method: 'POST',
      path: 'accounts/{id}/callbacks/resend-range',
      id: 'of the account',
      summary: 'Send the events of a range of time again, oldest first, at most 500 at once',
      roles: ['support', 'admin'],
      body: {
        from: timeField,
        to: timeField,
        states: z
          .array(oneOf(['failed', 'no_url', 'delivered']))
          .min(1, 'must name one')
          .max(3),
      },
      answer: queuedAnswer,
    },
    async ({ from, to, states }, { deps, actor, id }) => {
      const { id: accountId } = await requireAccount(deps.database, id);
      const { queued, taken, nextFrom } = await resendRange(deps.database, {
        accountId,
        from,
        to,
        states,
        actor,
      });
      return { events: queued.length, next_from: nextFrom, late: await start(deps, [...queued, ...taken]) };
    },
  ),
} satisfies Record<string, Call>;

/** Whether Temporal did not take all of it in time. */
async function start(deps: Deps, rounds: Round[]): Promise<boolean> {
  let late = false;
  await workAtOnce(
    rounds.filter(({ round }) => round > 0),
    async (round) => {
      if (!late && !(await deps.deliver(round))) late = true;
    },
  );
  return late;
}
