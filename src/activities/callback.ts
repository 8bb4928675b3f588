import { Context } from '@temporalio/activity';
import type { Delivery } from '../callbacks/deliver.ts';
import type { Beginning } from '../callbacks/log.ts';
import type { DeliveryOutcome } from '../domain/event.ts';
import { inTime } from '../platform/process/promises.ts';
import { notYet } from './failure.ts';

/** The attempt log says when to try again. Heartbeats show that we live. `pauseMs` comes first. */
export function createCallbackActivities(delivery: Delivery) {
  return {
    async deliverCallback(eventId: string, round = 0, pauseMs = 0): Promise<string> {
      const again = (afterMs: number) => notYet(`${eventId} was not accepted by the receiver`, afterMs);
      if (pauseMs > 0 && Context.current().info.attempt === 1) throw again(pauseMs);
      const result = await delivery.attempt(eventId, round, () => Context.current().heartbeat());
      if (result.kind === 'retry') throw again(result.afterMs);
      return result.kind === 'given_up' ? `given up: ${result.reason}` : result.kind;
    },
  };
}

/** A workflow task waits for the end of a transaction and this attempt together, and no longer than this. */
const AT_ONCE_MS = 2_500;
/** If less time than this is left, the durable delivery makes the first attempt. */
const AT_ONCE_LEAST_MS = 500;
/** So many workflow tasks may wait for first attempts: receivers that hang hold up nothing else. */
export const AT_ONCE_MAX = 20;

/**
 * Local activities wait for these first attempts. A receiver that takes longer has its whole time all the same: the
 * attempt goes on in this process, its log shows that it does, and the durable delivery waits for its end. Should the
 * process die meanwhile, the same bytes are sent again under the same id.
 */
export function createFirstAttempts(delivery: Delivery) {
  let waiting = 0;
  /** The same local activity took `spentMs` before. */
  const hasPlace = (spentMs: number) => waiting < AT_ONCE_MAX && spentMs <= AT_ONCE_MS - AT_ONCE_LEAST_MS;
  return {
    hasPlace,
    /** The transaction that wrote the event has committed `begun`, too. */
    async make(eventId: string, spentMs: number, begun?: Beginning): Promise<DeliveryOutcome> {
      if (!begun && !hasPlace(spentMs)) return LATER;
      waiting += 1;
      const attempt = delivery.attempt(eventId, 0, () => {}, begun);
      attempt.catch(() => {});
      return inTime(attempt, Math.max(0, AT_ONCE_MS - spentMs), () => LATER).finally(() => {
        waiting -= 1;
      });
    },
  };
}

export type FirstAttempts = ReturnType<typeof createFirstAttempts>;

export const LATER = { kind: 'retry', afterMs: 0 } as const;
