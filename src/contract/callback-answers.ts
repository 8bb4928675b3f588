import { z } from 'zod';
import * as events from '../domain/event.ts';
import { eventId, ok, pageOf, timestamp, uuid } from './fields.ts';

export const callbackUrl = { description: 'The URL that gets callbacks; null: none are sent' };
export const callbackSettingsAnswer = z.strictObject({
  ...ok,
  callback_url: z.string().nullable().meta(callbackUrl),
  passphrase_set: z.boolean().meta({ description: 'Whether callbacks are signed' }),
  enabled: z.boolean().meta({ description: 'Whether callbacks are sent' }),
  disabled_reason: z.string().nullable().meta({ description: 'Why we stopped sending; null while we send' }),
  events: z.array(z.enum(events.optionalEvents)).meta({ description: 'The events that are sent' }),
  updated_at: timestamp.meta({ description: 'When it last changed' }),
  callback_url_set_by_operator_at: timestamp
    .optional()
    .meta({ description: 'When operators set the present URL; absent if you set it' }),
});

const event = z.enum(events.callbackEventNames).meta({ description: 'The latest event' });
export const callbackQueuedAnswer = z.strictObject({ ...ok, event_id: eventId });
/** Names and values are those we send, so that a tool can forward them unchanged. */
export const callbackAnswer = z.strictObject({
  ...ok,
  event_id: eventId,
  event,
  headers: z
    .strictObject({
      'Content-Type': z.string().meta({ description: 'What the body is' }),
      'webhook-id': eventId.meta({ description: 'The `event_id`' }),
      'webhook-timestamp': z.string().meta({ description: 'The present time in seconds since 1970' }),
      'Service-Signature': z
        .string()
        .meta({ description: 'The signature of the body; absent without a passphrase' })
        .optional(),
      'webhook-signature': z
        .string()
        .meta({ description: 'The signature of id, time and body; absent without a passphrase' })
        .optional(),
    })
    .meta({ description: 'The headers for the body, made for this moment' }),
  body: z.string().meta({ description: 'The exact text of the event: every attempt sends the same' }),
});
export const callbackRangeAnswer = z.strictObject({
  ...ok,
  queued: z.int().min(0).meta({ description: 'How many events are sent again' }),
  next_from: timestamp.nullable().meta({
    description: 'The `from` of the next request; null when there are no more events',
  }),
});
export const sequence = z.int().min(1);
export const sequenceDescription =
  'Counts the events of a transaction from 1, in the order in which they happened; null for a ping';
const attempt = z
  .strictObject({
    number: z.int().min(1).meta({ description: 'Counts the attempts from 1' }),
    sent_at: timestamp.meta({ description: 'When it was sent' }),
    http_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of your answer; null if there was none' }),
    error: z.string().nullable().meta({ description: 'Why there is no answer; null when there is one' }),
    duration_ms: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'How long the attempt took, in milliseconds' }),
  })
  .meta({ id: 'CallbackAttempt' });
export const callbackList = pageOf(
  z
    .strictObject({
      event_id: eventId,
      event,
      transaction_id: uuid
        .nullable()
        .meta({ description: 'The transaction that it is about; null for a ping' }),
      sequence: sequence.nullable().meta({ description: sequenceDescription }),
      state: z.enum(events.callbackStates).meta({
        description: 'Whether it waits, arrived, ran out of attempts or had no address',
      }),
      created_at: timestamp.meta({ description: 'When it was accepted' }),
      next_attempt_at: timestamp
        .nullable()
        .meta({ description: 'When it is sent next; null when it is not' }),
      attempts: z.array(attempt).meta({ description: 'Every attempt, oldest first' }),
    })
    .meta({ id: 'LoggedCallback' }),
);
