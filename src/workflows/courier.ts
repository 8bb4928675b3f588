import { ActivityFailure } from '@temporalio/workflow';
import { atOnce, callbacks } from './proxies.ts';

/** Delivers the events of one transaction, in order, beside whatever else its flow does. */
export type Courier = {
  /** events to deliver after those it has; one that it has already is not taken twice */
  take(events: readonly string[]): void;
  /** resolves when everything that was taken is delivered or given up */
  idle(): Promise<void>;
};

/** A courier with nothing to deliver yet. Events that one attempt does not end hold up those behind them. */
export function createCourier(): Courier {
  const taken = new Set<string>();
  let queue: Promise<void> = Promise.resolve();
  return {
    take(events) {
      for (const eventId of events.filter((event) => !taken.has(event))) {
        taken.add(eventId);
        queue = queue.then(() => deliver(eventId));
      }
    },
    idle: () => queue,
  };
}

/** The first attempt is made at once; what it does not end is delivered by an activity that retries for days. */
async function deliver(eventId: string): Promise<void> {
  const outcome = await atOnce.deliverAtOnce(eventId).catch(asNotYet);
  if (outcome.kind === 'retry') await callbacks.deliverCallback(eventId, 0, outcome.afterMs);
}

/** It failed, or its worker did: the log of attempts knows how far it came. */
function asNotYet(error: unknown) {
  if (error instanceof ActivityFailure) return { kind: 'retry', afterMs: 0 } as const;
  throw error;
}
