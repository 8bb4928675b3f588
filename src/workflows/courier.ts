import { callbacks } from './proxies.ts';

/** Delivers the events of one transaction, in order, beside whatever else its flow does. */
export type Courier = {
  /** events to deliver after those it has; one that it has already is not taken twice */
  take(events: readonly string[]): void;
  /** resolves when everything that was taken is delivered or given up */
  idle(): Promise<void>;
};

export function createCourier(): Courier {
  const taken = new Set<string>();
  let queue: Promise<void> = Promise.resolve();
  return {
    take(events) {
      for (const eventId of events.filter((event) => !taken.has(event))) {
        taken.add(eventId);
        queue = queue.then(async () => {
          await callbacks.deliverCallback(eventId);
        });
      }
    },
    idle: () => queue,
  };
}
