import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { naming } from '../../../src/channels/kit/registry.ts';
import { createSelcomClient, type SelcomClient } from '../../../src/channels/selcom/client.ts';
import { createSelcomChannel } from '../../../src/channels/selcom/index.ts';
import { selcomProtocol } from '../../../src/channels/selcom/protocol.ts';
import { type SelcomSettings, selcomSettings } from '../../../src/channels/selcom/settings.ts';
import type { Channel, EnquiryResult, SendResult } from '../../../src/domain/channel.ts';
import { minor } from '../../../src/domain/money.ts';
import { serve } from '../../support/served.ts';
import { httpOf } from '../http-of.ts';

/** `break`: the connection ends without an answer. A body that is text is sent as it is. */
type Answer = 'break' | { status?: number; body?: unknown; afterMs?: number };
type Seen = { method: string; path: string; headers: IncomingHttpHeaders; fields: Record<string, unknown> };

const keys = { apiKey: 'test-key', apiSecret: 'test-secret' };
export const collection = 'PY0000000000000001';
export const payout = 'PO0000000000000001';
const call = { timeoutMs: 2_000 };
const money = { amount: minor(1_500_000), currency: 'TZS' };

export const envelope = (resultcode: unknown, result: unknown, more: object = {}) => ({
  body: { reference: '0289999288', resultcode, result, message: 'said', data: [], ...more },
});
export const orderStatus = (more: object = {}) =>
  envelope('000', 'SUCCESS', {
    data: [
      {
        order_id: collection,
        amount: '15000',
        payment_status: 'COMPLETED',
        reference: '0281121212',
        ...more,
      },
    ],
  });

/** What says nothing, on any call. */
export const nonsense = [
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
  ['a broken connection', 'break'],
] as const;

export type ScriptedGateway = Awaited<ReturnType<typeof openGateway>>;

/** A gateway that answers each path with what a test laid down, in turn; the last answer repeats. */
export async function openGateway() {
  const answers: Record<string, Answer[]> = {};
  const seen: Seen[] = [];
  const server = await serve(async (incoming, outgoing, read) => {
    const url = new URL(incoming.url ?? '', 'http://gateway');
    const fields =
      incoming.method === 'POST' ? JSON.parse(read.toString()) : Object.fromEntries(url.searchParams);
    const path = url.pathname.replace(/^\/v1/, '');
    seen.push({ method: incoming.method ?? '', path, headers: incoming.headers, fields });
    const list = answers[path] ?? [];
    const answer = (list.length > 1 ? list.shift() : list[0]) ?? { status: 599 };
    if (answer === 'break') return incoming.socket.destroy();
    // Time itself is what such a test is about: two slow answers share the time of one.
    if (answer.afterMs) await sleep(answer.afterMs);
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(body);
  });
  const url = `${server.url}/v1`;

  function settingsOf(changes: Record<string, unknown> = {}): SelcomSettings {
    return selcomSettings.parse({
      url,
      ...keys,
      vendor: 'TILL1',
      floatVendor: 'FLOAT1',
      floatPin: '4321',
      sender: { msisdn: '255754000900' },
      ...changes,
    });
  }

  function channelOf(changes: Record<string, unknown> = {}, network = 'tigo-pesa'): Channel {
    const settings = settingsOf(changes);
    const client = clientOf(settings);
    return naming(createSelcomChannel({ client, settings, network, publicUrl: 'https://pay.example' }));
  }

  const clientOf = (settings: SelcomSettings): SelcomClient =>
    createSelcomClient(settings, httpOf(selcomProtocol));

  return {
    answers,
    seen,
    settingsOf,
    channelOf,
    clientOf,
    paths: () => seen.map(({ path }) => path),
    async push(channel = channelOf(), changes: object = {}, timeoutMs = call.timeoutMs): Promise<SendResult> {
      const order = { transactionId: randomUUID(), reference: collection, ...money, description: 'Payment' };
      const party = { kind: 'wallet', msisdn: '255654000001' } as const;
      return (await channel.requestPush?.({ ...order, party, ...changes }, { timeoutMs })) as SendResult;
    },
    async pay(channel = channelOf(), changes: object = {}): Promise<SendResult> {
      const order = { transactionId: randomUUID(), reference: payout, ...money, description: 'Payout' };
      const party = { kind: 'wallet', msisdn: '255654000001' } as const;
      const send = { ...order, party, sendNumber: 1, ...changes };
      return (await channel.requestPayout?.(send, call)) as SendResult;
    },
    enquire(
      channel: Channel,
      direction: 'collection' | 'payout',
      changes: object = {},
    ): Promise<EnquiryResult> {
      const reference = direction === 'collection' ? collection : payout;
      const enquiry = { transactionId: randomUUID(), reference, direction, channelReference: null, ...money };
      return channel.enquire({ ...enquiry, ...changes }, call);
    },
    close: server.close,
  };
}
