import { z } from 'zod';
import * as events from '../domain/event.ts';
import { ok, pagination, timestamp, uuid } from './answer-schemas.ts';

/** The answers of the calls about callbacks: settings, the log and sending again. */

export const callbackSettingsAnswer = z.strictObject({
  ...ok,
  callback_url: z.string().nullable(),
  passphrase_set: z.boolean(),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  events: z.array(z.enum(events.optionalEvents)),
  updated_at: timestamp,
  callback_url_set_by_operator_at: timestamp
    .optional()
    .meta({ description: 'Only where operators set the URL that is in place, and when' }),
});

export const eventId = z.string().regex(/^evt_[0-9a-f]{32}$/);
export const callbackQueuedAnswer = z.strictObject({ ...ok, event_id: eventId });
/** The names and values as they are sent, so that a tool can send them on as they are. */
export const callbackAnswer = z.strictObject({
  ...ok,
  event_id: eventId,
  event: z.enum(events.callbackEventNames),
  headers: z.strictObject({
    'Content-Type': z.string(),
    'webhook-id': eventId,
    'webhook-timestamp': z.string(),
    'Service-Signature': z.string().optional(),
    'webhook-signature': z.string().optional(),
  }),
  body: z.string(),
});
export const callbackRangeAnswer = z.strictObject({
  ...ok,
  queued: z.int().min(0),
  next_from: timestamp.nullable(),
});
export const callbackList = z.strictObject({
  ...ok,
  data: z.array(
    z.strictObject({
      event_id: eventId,
      event: z.enum(events.callbackEventNames),
      transaction_id: uuid.nullable(),
      sequence: z.int().min(1).nullable(),
      state: z.enum(events.callbackStates),
      created_at: timestamp,
      next_attempt_at: timestamp.nullable(),
      attempts: z.array(
        z.strictObject({
          number: z.int().min(1),
          sent_at: timestamp,
          http_status: z.int().nullable(),
          error: z.string().nullable(),
          duration_ms: z.int().min(0).nullable(),
        }),
      ),
    }),
  ),
  pagination,
});
