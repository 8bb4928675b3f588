import { Context } from '@temporalio/activity';
import { notYet } from './failure.ts';

/** One attempt to deliver an event, and what comes next (callbacks/deliver.ts). */
export type Delivery = {
  attempt(
    eventId: string,
    round: number,
    beat: () => void,
  ): Promise<
    | { kind: 'delivered' }
    | { kind: 'given_up'; reason: string }
    | { kind: 'retry'; afterMs: number }
    | { kind: 'nothing' }
  >;
};

/**
 * Durable delivery: the attempt log decides when to try again, Temporal's retries wait for it. Heartbeats during the
 * wait for a slow receiver show Temporal soon when our process has ended.
 */
export function createCallbackActivities(delivery: Delivery) {
  return {
    async deliverCallback(eventId: string, round = 0): Promise<string> {
      const result = await delivery.attempt(eventId, round, () => Context.current().heartbeat());
      if (result.kind === 'retry')
        throw notYet(`${eventId} was not accepted by the receiver`, result.afterMs);
      return result.kind === 'given_up' ? `given up: ${result.reason}` : result.kind;
    },
  };
}
