import type { Round } from '../domain/event.ts';
import { callbacks } from './proxies.ts';

/** A ping, or an event that is sent again, takes one round of the schedule, from its first attempt to its end. */
export async function resendCallback({ eventId, round }: Round): Promise<string> {
  return callbacks.deliverCallback(eventId, round);
}
