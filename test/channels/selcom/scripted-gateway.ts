import { naming } from '../../../src/channels/kit/registry.ts';
import { createSelcomClient } from '../../../src/channels/selcom/client.ts';
import { createSelcomChannel } from '../../../src/channels/selcom/index.ts';
import { selcomProtocol } from '../../../src/channels/selcom/protocol.ts';
import { selcomSettings } from '../../../src/channels/selcom/settings.ts';
import type { Asked } from '../../support/scripted-server.ts';
import { httpOf } from '../http-of.ts';
import { type Answer, type Call, PUSH, type ScriptedAnswer, useNetwork } from '../scripted.ts';

export const envelope = (resultcode: unknown, result: unknown, more: object = {}): ScriptedAnswer => ({
  body: { reference: '0289999288', resultcode, result, message: 'said', data: [], ...more },
});
const order = { order_id: PUSH, amount: '15000', payment_status: 'COMPLETED', reference: '0281121212' };
export const orderStatus = (more: object = {}) =>
  envelope('000', 'SUCCESS', { data: [{ ...order, ...more }] });

/** What says nothing, on any call. */
export const nonsense: [string, Answer][] = [
  ['an HTML page', { body: '<html><body>Bad gateway</body></html>' }],
  ['truncated JSON', { body: '{"resultcode":"000","result":"SUC' }],
  ['an empty body', { body: '' }],
  ['an array', { body: [] }],
  ['a code that is a number', envelope(0, 'SUCCESS')],
  ['a failure whose code is a number', envelope(403, 'FAIL')],
  ['no code', { body: { result: 'SUCCESS' } }],
  ['a word that is a number', envelope('000', 1)],
  ['000 with FAIL', envelope('000', 'FAIL')],
  ['111 with FAIL', envelope('111', 'FAIL')],
  ['999', envelope('999', 'AMBIGUOUS')],
  ['999 as it is also spelled', envelope('999', 'AMBIGOUS')],
  ['999 with FAIL', envelope('999', 'FAIL')],
  ['an unlisted code without FAIL', envelope('738', 'SOMETHING')],
  ['500 with a refusal in it', { status: 500, ...envelope('403', 'FAIL') }],
  ['503 with a success in it', { status: 503, ...envelope('000', 'SUCCESS') }],
  ['a success of HTTP 400', { status: 400, ...envelope('000', 'SUCCESS') }],
  ['a broken connection', { breaks: 'before' }],
];

export const CREATE = '/v1/checkout/create-order-minimal';
type Settings = { network?: string };

/** By wallet payments of the checkout and cash-in, unless `paths` says otherwise. */
export const useSelcom = (paths: Partial<Record<Call, string>> = {}) =>
  useNetwork({
    paths: {
      push: '/v1/checkout/wallet-payment',
      'push?': '/v1/checkout/order-status',
      payout: '/v1/walletcashin/process',
      'payout?': '/v1/walletcashin/query',
      ...paths,
    },
    channelOf: (url, { network = 'tigo-pesa', ...changes }: Settings) => {
      const settings = selcomSettings.parse({
        url: `${url}/v1`,
        apiKey: 'test-key',
        apiSecret: 'test-secret',
        vendor: 'TILL1',
        floatVendor: 'FLOAT1',
        floatPin: '4321',
        sender: { msisdn: '255754000900' },
        ...changes,
      });
      const client = createSelcomClient(settings, httpOf(selcomProtocol));
      return naming(createSelcomChannel({ client, settings, network, publicUrl: 'https://pay.example' }));
    },
  });

export const fieldsOf = ({ method, path, body }: Asked): Record<string, unknown> =>
  method === 'POST' ? JSON.parse(body) : Object.fromEntries(new URL(path, 'http://gateway').searchParams);
