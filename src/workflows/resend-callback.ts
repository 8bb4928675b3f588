import type { Round } from '../domain/event.ts';
import { callbacks } from './proxies.ts';

/** Runs one round of the schedule, for a ping or an event that is sent again. */
export async function resendCallback({ eventId, round }: Round): Promise<string> {
  return callbacks.deliverCallback(eventId, round);
}
