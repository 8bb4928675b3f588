import { Context } from '@temporalio/activity';
import type { Delivery } from '../callbacks/deliver.ts';
import type { Beginning } from '../callbacks/log.ts';
import type { DeliveryOutcome } from '../domain/event.ts';
import { inTime } from '../platform/process/promises.ts';
import { notYet } from './failure.ts';

/** The attempt log decides about retries. `pauseMs`: a pause before the first attempt. */
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

/** A workflow task waits at most this long for both: the transaction's end and this attempt. */
const AT_ONCE_MS = 2_500;
/** If less time is left, the durable delivery makes the first attempt. */
const AT_ONCE_LEAST_MS = 500;
/** At most this many workflow tasks wait for first attempts, so hanging receivers do not block the others. */
export const AT_ONCE_MAX = 20;

/**
 * Workflow tasks wait for these. A slow receiver still gets its full time: the attempt and its log go on, and
 * the durable delivery waits for their end.
 */
export function createFirstAttempts(delivery: Delivery) {
  let waiting = 0;
  /** `spentMs`: in this local activity. */
  const hasPlace = (spentMs: number) => waiting < AT_ONCE_MAX && spentMs <= AT_ONCE_MS - AT_ONCE_LEAST_MS;
  return {
    hasPlace,
    /** `begun` was committed together with the event. */
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
