import { createAirtelClient } from '../../src/channels/airtel-openapi/client.ts';
import { createAirtelOpenapiChannel } from '../../src/channels/airtel-openapi/index.ts';
import { airtelOpenapiProtocol } from '../../src/channels/airtel-openapi/protocol.ts';
import { airtelOpenapiSettings } from '../../src/channels/airtel-openapi/settings.ts';
import { naming } from '../../src/channels/kit/registry.ts';
import { httpOf } from './http-of.ts';
import { type Answer, PAYOUT, PUSH, useNetwork } from './scripted.ts';

export const TOKEN = '/auth/oauth2/token';
let tokens = 0;
export const nextToken: Answer = () => {
  tokens += 1;
  return { body: { access_token: `token-${tokens}`, expires_in: '180' } };
};

export const useAirtel = () =>
  useNetwork({
    paths: {
      push: '/merchant/v1/payments/',
      payout: '/standard/v1/disbursements/',
      'push?': `/standard/v1/payments/${PUSH}`,
      'payout?': `/standard/v1/disbursements/${PAYOUT}`,
    },
    besides: { [TOKEN]: nextToken },
    channelOf: (url, { now, ...more }: { now?: () => number }) => {
      const login = { clientId: 'client', clientSecret: 'secret', pin: '1234' };
      const settings = airtelOpenapiSettings.parse({ url, ...login, ...more });
      const client = createAirtelClient(settings, httpOf(airtelOpenapiProtocol), now);
      return naming(createAirtelOpenapiChannel({ settings, client }));
    },
  });

const coded = (response_code: unknown, success = false) => ({ status: { response_code, success } });

/** What can come instead of an answer; none of it says anything. */
export const nonsense: [string, Answer][] = [
  ['a broken connection', { breaks: 'before' }],
  ['nothing', {}],
  ['a page', { body: '<html>502 Bad Gateway</html>' }],
  ['truncated JSON', { body: '{"data":{"transaction":{"id":"PY0000' }],
  ['a list', { body: [] }],
  ['null', { body: null }],
  ['an empty object', { body: {} }],
  ['a status that is text', { body: { status: 'SUCCESS' } }],
  ['no code of its own', { body: { status: { code: '200', success: true } } }],
  ['a code that is a number', { body: coded(800001002) }],
  ['a code that nobody knows', { body: coded('DP00899999999') }],
  ['a refusal with 500', { status: 500, body: coded('DP00800001005') }],
  ['a refusal with 503', { status: 503, body: coded('DP00800001005') }],
  ['a refusal with 408', { status: 408, body: coded('DP00800001005') }],
  ['a page that is not found', { status: 404, body: { error: 'not_found' } }],
  ['an acceptance with 400', { status: 400, body: coded('DP00800001006', true) }],
];
