import { ActivityFailure } from '@temporalio/workflow';
import type { DeliveryOutcome } from '../domain/event.ts';
import { atOnce, callbacks } from './proxies.ts';

/** Delivers the events of one transaction, in order, while its flow goes on. */
export type Courier = {
  /** Delivers these after earlier ones, none twice. `first`: outcome of the first attempt, if made. */
  take(events: readonly string[], first?: DeliveryOutcome): void;
  /** resolves when all events are delivered or given up */
  idle(): Promise<void>;
};

/** An event whose first attempt fails delays the later ones. */
export function createCourier(): Courier {
  const taken = new Set<string>();
  let queue: Promise<void> = Promise.resolve();
  return {
    take(events, first) {
      for (const [at, eventId] of events.entries()) {
        if (taken.has(eventId)) continue;
        taken.add(eventId);
        queue = queue.then(() => deliver(eventId, at === 0 ? first : undefined));
      }
    },
    idle: () => queue,
  };
}

async function deliver(eventId: string, first?: DeliveryOutcome): Promise<void> {
  const outcome = first ?? (await atOnce.deliverAtOnce(eventId).catch(asNotYet));
  if (outcome.kind === 'retry') await callbacks.deliverCallback(eventId, 0, outcome.afterMs);
}

/** The attempt or its worker failed; the log of attempts shows how far it got. */
function asNotYet(error: unknown) {
  if (error instanceof ActivityFailure) return { kind: 'retry', afterMs: 0 } as const;
  throw error;
}
