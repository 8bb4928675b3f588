import { type Kind, kinds, type Mode } from './kinds.ts';

type EventOf<Moment extends keyof Kind['events']> = (typeof kinds)[Mode]['events'][Moment];

/** These events have no transaction; merchants cannot unsubscribe from them. */
const alwaysSent = ['callbacks.address_changed', 'settlement.account_changed', 'ping'] as const;
export type OptionalEvent = EventOf<'success' | 'failure'> | 'payout.returned' | 'batch.finished';

/** docs/callbacks.md describes these callback events. */
export type CallbackEventName = OptionalEvent | (typeof alwaysSent)[number];
export const callbackEventNames: readonly CallbackEventName[] = [
  ...new Set(Object.values(kinds).flatMap(({ events }) => [events.success, events.failure])),
  'payout.returned',
  'batch.finished',
  ...alwaysSent,
];

export const optionalEvents = callbackEventNames.filter(isOptional).sort();

export function isOptional(name: CallbackEventName): name is OptionalEvent {
  return !(alwaysSent as readonly CallbackEventName[]).includes(name);
}

export const paymentEvents = ['payment.pending', 'payment.received', 'payment.failed'] as const;
export const payoutEvents = ['payout.pending', 'payout.completed', 'payout.failed'] as const;
export const latestEvents: readonly EventOf<keyof Kind['events']>[] = [
  ...new Set(Object.values(kinds).flatMap(({ events }) => Object.values(events))),
];

/** Round 0 belongs to the transaction's flow. Later ones are resends, each a workflow that starts once. */
export type Round = { eventId: string; round: number };

/** `pending`: on its way. `failed`: given up. `no_url`: never sent, because no URL was set. */
export const callbackStates = ['pending', 'delivered', 'failed', 'no_url'] as const;
export type CallbackState = (typeof callbackStates)[number];

export type DeliveryOutcome =
  | { kind: 'delivered' }
  /** nothing more is sent: attempts used up, no URL, or the URL is disabled */
  | { kind: 'given_up'; reason: string }
  | { kind: 'retry'; afterMs: number }
  /** delivered before, or a resend took it over */
  | { kind: 'nothing' };
