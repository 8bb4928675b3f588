import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createAirtelClient } from '../../src/channels/airtel-openapi/client.ts';
import { createAirtelOpenapiChannel } from '../../src/channels/airtel-openapi/index.ts';
import { airtelOpenapiProtocol } from '../../src/channels/airtel-openapi/protocol.ts';
import { airtelOpenapiSettings } from '../../src/channels/airtel-openapi/settings.ts';
import { naming } from '../../src/channels/kit/registry.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { serve } from '../support/served.ts';
import { httpOf } from './http-of.ts';

/** `break`: the connection ends instead. `status` 200 when it is left out; an object becomes JSON. */
/** It is answered when `waits` has ended: the test says when. */
export type Scripted = { status?: number; body?: unknown; break?: true; waits?: Promise<void> };
export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

export const REFERENCE = 'PY0000000000000001';
export const PAYOUT_REFERENCE = 'PO0000000000000001';
const AMOUNT = minor(1_500_000);

/** What can come instead of an answer; none of it says anything. */
export const nonsense: Scripted[] = [
  { break: true },
  { body: '' },
  { body: '<html>502 Bad Gateway</html>' },
  { body: '{"data":{"transaction":{"id":"PY0000' },
  { body: '[]' },
  { body: 'null' },
  { body: {} },
  { body: { status: 'SUCCESS' } },
  { body: { status: { code: '200', success: true } } },
  { body: { status: { response_code: 800001002, success: false } } },
  { body: { status: { response_code: 'DP00899999999', success: false } } },
  { status: 500, body: { status: { response_code: 'DP00800001005', success: false } } },
  { status: 503, body: { status: { response_code: 'DP00800001005', success: false } } },
  { status: 408, body: { status: { response_code: 'DP00800001005', success: false } } },
  { status: 404, body: { error: 'not_found' } },
  { status: 400, body: { status: { response_code: 'DP00800001006', success: true } } },
];

/** A network that answers each path with what a test laid down, in turn; the last answer repeats. */
export async function openAirtelRig() {
  let answers: Record<string, Scripted[]> = {};
  let tokens = 0;
  const seen: Seen[] = [];
  const server = await serve(async (incoming, outgoing, read) => {
    const path = incoming.url ?? '';
    seen.push({
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: read.toString(),
    });
    const list = answers[path] ?? [];
    const answer = (list.length > 1 ? list.shift() : list[0]) ?? { status: 599 };
    await answer.waits;
    if (answer.break) return incoming.socket.destroy();
    const isToken = path === '/auth/oauth2/token' && answer.body === undefined;
    if (isToken) tokens += 1;
    const body = isToken ? { access_token: `token-${tokens}`, expires_in: '180' } : answer.body;
    outgoing
      .writeHead(answer.status ?? 200)
      .end(typeof body === 'string' ? body : JSON.stringify(body ?? ''));
  });
  const { url, close } = server;

  function channelOf(more: object = {}, now?: () => number): Channel {
    const settings = airtelOpenapiSettings.parse({
      url,
      clientId: 'client',
      clientSecret: 'secret',
      pin: '1234',
      ...more,
    });
    const client = createAirtelClient(settings, httpOf(airtelOpenapiProtocol), now);
    return naming(createAirtelOpenapiChannel({ settings, client }));
  }

  const order = {
    transactionId: randomUUID(),
    amount: AMOUNT,
    currency: 'TZS',
    description: 'Payment',
    party: { kind: 'wallet', msisdn: '255784000001' },
  } as const;
  const ordered = { amount: AMOUNT, currency: 'TZS' };

  return {
    url,
    seen,
    order,
    channelOf,
    /** forgets what was seen and laid down before */
    begin(next: Record<string, Scripted | Scripted[]>): void {
      seen.length = 0;
      answers = { '/auth/oauth2/token': [{}] };
      for (const [path, list] of Object.entries(next)) answers[path] = [list].flat();
    },
    paths: () => seen.map(({ path }) => path),
    push: (channel = channelOf(), timeoutMs = 2_000) =>
      channel.requestPush?.({ ...order, reference: REFERENCE }, { timeoutMs }),
    payOut: (channel = channelOf(), timeoutMs = 2_000) =>
      channel.requestPayout?.({ ...order, reference: PAYOUT_REFERENCE, sendNumber: 1 }, { timeoutMs }),
    enquire: (
      direction: 'collection' | 'payout' = 'collection',
      channel = channelOf(),
      more: object = ordered,
    ) =>
      channel.enquire(
        {
          transactionId: order.transactionId,
          reference: direction === 'collection' ? REFERENCE : PAYOUT_REFERENCE,
          direction,
          channelReference: null,
          ...more,
        },
        { timeoutMs: 2_000 },
      ),
    close,
  };
}

export type AirtelRig = Awaited<ReturnType<typeof openAirtelRig>>;
