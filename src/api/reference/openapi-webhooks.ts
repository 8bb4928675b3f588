import { callbackSchemas } from '../../contract/callback-schemas.ts';
import type { CallbackEventName } from '../../domain/event.ts';
import { asExamples, json } from '../../platform/http/openapi.ts';
import type { Json, Schemas } from '../../platform/http/openapi-schema.ts';
import { examples } from './examples.ts';

const summaries: Record<CallbackEventName, string> = {
  'payment.received': 'A payment is completed and settled, or a part of a bill is paid',
  'payment.failed': 'A payment could not be completed, has expired, or was cancelled',
  'payout.completed': 'A payout was paid to the beneficiary',
  'payout.failed': 'A payout could not be made, or was cancelled',
  'payout.returned': 'A bank or network sent a paid payout back: its value is in the balance again',
  'batch.finished': 'Every item of a batch has ended, or it was cancelled and none of its items is pending',
  'callbacks.address_changed':
    'Callbacks of a key go to a new address from now on; this one goes to the old address, too',
  'settlement.account_changed':
    'Settlements go to another account of yours from paid_from on; sent to every callback address',
  ping: 'A test that you request with POST callbacks/test',
};

/** The document refers to these, because client generators cannot compile inline webhooks. */
export function webhooksOf(schemas: Schemas): Json {
  return Object.fromEntries(
    (Object.keys(callbackSchemas) as CallbackEventName[]).map((event) => {
      const name = event.replace(/(^|[._])(\w)/g, (_all, _mark, letter: string) => letter.toUpperCase());
      const post = {
        operationId: `on${name}`,
        summary: summaries[event],
        security: [],
        parameters: headers,
        requestBody: {
          required: true,
          content: json(
            schemas.answer(`${name}Event`, callbackSchemas[event]),
            asExamples(examples.events[event]),
          ),
        },
        responses: {
          '2XX': { description: 'Received. Anything else, or nothing within 15 s, is sent again' },
          410: { description: 'Nothing more is sent to this address until it is set again' },
        },
      };
      return [event, { post }];
    }),
  );
}

const header = (name: string, required: boolean, description: string, pattern: string): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', pattern },
});

const headers = [
  header('webhook-id', true, 'The event_id', '^evt_[0-9a-f]{32}$'),
  header('webhook-timestamp', true, 'When this attempt was sent, seconds since 1970', '^[0-9]+$'),
  header(
    'Service-Signature',
    false,
    'Lower-case hex HMAC-SHA256 of the exact body, keyed with the passphrase, if one is set',
    '^[0-9a-f]{64}$',
  ),
  header(
    'webhook-signature',
    false,
    'The signature of Standard Webhooks; one value per valid passphrase',
    '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$',
  ),
];
