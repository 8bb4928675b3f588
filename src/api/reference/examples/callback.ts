import type { z } from 'zod';
import type {
  callbackAnswer,
  callbackList,
  callbackQueuedAnswer,
  callbackRangeAnswer,
  callbackSettingsAnswer,
} from '../../../contract/callback-answers.ts';
import type { Examples } from '../../../contract/json-of.ts';
import { pageOf } from './page.ts';

const settings: z.output<typeof callbackSettingsAnswer> = {
  success: true,
  message: 'Callback settings saved',
  callback_url: 'https://shop.example/callbacks',
  passphrase_set: true,
  enabled: true,
  disabled_reason: null,
  events: [
    'batch.finished',
    'payment.failed',
    'payment.received',
    'payout.completed',
    'payout.failed',
    'payout.returned',
  ],
  updated_at: '2026-11-20T08:15:30.123456Z',
};

const whatWentWell: z.output<typeof callbackSettingsAnswer>['events'] = [
  'payment.received',
  'payout.completed',
];

/** The first one is what a reference page sends as it stands: it must not lead a merchant's callbacks away. */
export const settingsBodies = {
  every_event: { events: settings.events },
  address_and_passphrase: {
    callback_url: 'https://shop.example/callbacks',
    passphrase: 'correct horse battery staple',
  },
  without_signatures: { passphrase: null },
  only_what_went_well: { events: whatWentWell },
};

export const savedSettings = {
  saved: settings,
  only_what_went_well: { ...settings, events: whatWentWell },
} satisfies Examples<typeof callbackSettingsAnswer>;

export const settingsAnswers = {
  set: { ...settings, message: 'Callback settings retrieved successfully' },
} satisfies Examples<typeof callbackSettingsAnswer>;

const PING = 'evt_7c0e4a1b5d9f4e2a8b3c6d1e0f2a4b6c';

const queued: z.output<typeof callbackQueuedAnswer> = {
  success: true,
  message: 'The event has been queued',
  event_id: PING,
};

export const queuedAnswers = { queued };

export const rangeBodies = {
  all_that_never_arrived: { from: '2026-11-20T00:00:00Z' },
  one_day_again: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', state: 'delivered' },
} as const;

const range: z.output<typeof callbackRangeAnswer> = {
  success: true,
  message: '38 events have been queued',
  queued: 38,
  next_from: null,
};

export const rangeAnswers = {
  all: range,
  more_to_come: {
    ...range,
    message: '500 events have been queued. There are more: send the same request with from set to next_from',
    queued: 500,
    next_from: '2026-11-20T17:03:11.250918Z',
  },
} satisfies Examples<typeof callbackRangeAnswer>;

const attempts = [
  { number: 1, sent_at: '2026-11-20T08:15:58.950011Z', http_status: 503, error: null, duration_ms: 212 },
  { number: 2, sent_at: '2026-11-20T08:16:04.120442Z', http_status: 200, error: null, duration_ms: 35 },
];

const logged: z.output<typeof callbackList>['data'][number] = {
  event_id: 'evt_cb17153c834e5bb197ec6e9dc52ab9fe',
  event: 'payment.received',
  transaction_id: '09c97599-0ab0-5cb9-ad18-d6327c66ef03',
  sequence: 1,
  state: 'delivered',
  created_at: '2026-11-20T08:15:58.904217Z',
  next_attempt_at: null,
  attempts,
};

const unanswered: typeof logged = {
  ...logged,
  event_id: PING,
  event: 'ping',
  transaction_id: null,
  sequence: null,
  state: 'pending',
  created_at: '2026-11-20T09:00:00.000120Z',
  next_attempt_at: '2026-11-20T09:00:20.412000Z',
  attempts: [
    {
      number: 1,
      sent_at: '2026-11-20T09:00:00.010877Z',
      http_status: null,
      error: 'no answer within 15 s',
      duration_ms: 15003,
    },
  ],
};

export const logAnswers = {
  page: pageOf('Callbacks retrieved successfully', [unanswered, logged]),
} satisfies Examples<typeof callbackList>;

const signed: z.output<typeof callbackAnswer> = {
  success: true,
  message: 'Callback retrieved successfully',
  event_id: PING,
  event: 'ping',
  headers: {
    'Content-Type': 'application/json',
    'webhook-id': PING,
    'webhook-timestamp': '1795162560',
    'Service-Signature': 'ebf0b55c7f288dfec5655ff9d4e2d860b5c70e853a88cb30b403033e9dc9e6e6',
    'webhook-signature': 'v1,SgE/E1dg1Gg4aSSik4plupce3cpacR71PZrXnwNW2ko=',
  },
  body: '{"event":"ping","event_id":"evt_7c0e4a1b5d9f4e2a8b3c6d1e0f2a4b6c","timestamp":"2026-11-20T08:15:58.904217Z"}',
};

export const signedAnswers = { signed };
