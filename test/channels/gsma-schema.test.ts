// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel } from '../../src/channels/gsma/index.ts';
import { createHttpClient } from '../../src/channels/kit/http.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { channelReferenceOf } from '../../src/domain/ids.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { minor } from '../../src/domain/money.ts';
import { ringOf } from '../support/key-rings.ts';
import { pick } from '../support/pick.ts';
import { type Served, serve } from '../support/served.ts';
import { openSimulator } from '../support/simulator.ts';
import { until } from '../support/wait.ts';
import { withGsmaDocument } from './gsma-document.ts';
import { type Inbox, openInbox } from './inbox.ts';
import type { OpenApiDocument } from './openapi-document.ts';

type Exchange = {
  method: string;
  path: string;
  requestHeaders: Record<string, unknown>;
  requestBody: unknown;
  status: number;
  responseBody: unknown;
};

/** Stands between the channel and the simulator and keeps what passes. */
async function openTap(target: () => string): Promise<Served & { exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  const server = await serve(async (incoming, outgoing, body) => {
    const { connection, host, 'content-length': _, ...headers } = incoming.headers;
    const answer = await fetch(`${target()}${incoming.url}`, {
      method: String(incoming.method),
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    }).catch(() => null);
    if (!answer) return incoming.socket.destroy();
    const text = await answer.text();
    exchanges.push({
      method: String(incoming.method),
      path: String(incoming.url),
      requestHeaders: incoming.headers,
      requestBody: body.length > 0 ? JSON.parse(body.toString()) : undefined,
      status: answer.status,
      responseBody: JSON.parse(text),
    });
    return outgoing.writeHead(answer.status).end(text);
  });
  return { ...server, exchanges };
}

function schemaTests(document: OpenApiDocument): void {
  let simulator: Simulator;
  let inbox: Inbox;
  let tap: Awaited<ReturnType<typeof openTap>>;
  let channel: Channel;

  before(async () => {
    simulator = await openSimulator({ timing: { customerMs: 30, promptMs: 200, slowAnswerMs: 50 } });
    inbox = await openInbox();
    tap = await openTap(() => simulator.url);
    const { url } = tap;
    channel = createGsmaChannel({
      client: createGsmaClient(
        { url, username: 'u', password: 'p', authorisation: 'basic' },
        createHttpClient(),
      ),
      network: 'm-pesa',
      organisationId: 'malipo',
      publicUrl: inbox.url,
      notificationSecrets: ringOf(),
    });
  });

  after(async () => {
    await simulator.close();
    await inbox.close();
    await tap.close();
  });

  async function play(ending: string, direction: Direction): Promise<void> {
    const transactionId = randomUUID();
    const reference = channelReferenceOf(direction, transactionId);
    const order = {
      transactionId,
      reference,
      amount: minor(1_500_050),
      currency: 'TZS',
      description: `Payment ${reference}`,
      party: { kind: 'wallet', msisdn: `255754000${ending}` } as const,
      sendNumber: 1,
    };
    const enquiry = { transactionId, reference, direction, channelReference: null };
    const call = { timeoutMs: 5_000 };
    const send = direction === 'collection' ? channel.requestPush : channel.requestPayout;
    await channel.enquire(enquiry, call);
    await send?.(order, call);
    await send?.(order, call);
    await channel.enquire(enquiry, call);
    const settled = async () => ['succeeded', 'failed'].includes((await channel.enquire(enquiry, call)).kind);
    if (ending !== '129') await until(settled, 'an enquiry decides');
    const over = () => simulator.orders.byReference('gsma', reference)?.steps.length === 0;
    await until(over, 'the simulator has done everything');
  }

  const endings = ['000', '019', '029', '039', '049', '059', '069', '129', '139', '149', '159', '169'];
  for (const direction of ['collection', 'payout'] as const) {
    it(`keeps every request, answer and callback of a ${direction} within the published schemas`, async () => {
      tap.exchanges.length = 0;
      inbox.received.length = 0;
      for (const ending of [...endings, '189', '199', '209']) await play(ending, direction);
      const problems = tap.exchanges.flatMap((exchange) => problemsOf(document, exchange));
      assert.deepEqual(problems, []);
      const statuses = new Set(tap.exchanges.map(({ status }) => status));
      assert.deepEqual([...statuses].sort(), [200, 202, 400, 404, 500], 'all kinds of answers were seen');
      assert.ok(inbox.received.length >= 10);
      const path = `/transactions/type/${direction === 'collection' ? 'merchantpay' : 'disbursement'}`;
      for (const { body, headers } of inbox.received) {
        const message: unknown = JSON.parse(body.toString());
        const event =
          'errorCode' in (message as object) ? 'transactionsFailureEvent' : 'transactionsSuccessEvent';
        assert.deepEqual(document.callbackProblems(path, event, message), []);
        assert.deepEqual(document.headerProblems(path, 'post', headers), []);
      }
    });
  }

  it('keeps names and the heartbeat within the published schemas', async () => {
    tap.exchanges.length = 0;
    for (const ending of ['001', '029'])
      await channel.lookupName?.({ kind: 'wallet', msisdn: `255754000${ending}` }, { timeoutMs: 5_000 });
    assert.deepEqual(pick(tap.exchanges, 'status'), [200, 404]);
    assert.deepEqual(
      tap.exchanges.flatMap((exchange) => problemsOf(document, exchange)),
      [],
    );
    const heartbeat = await (await fetch(`${simulator.url}/heartbeat`)).json();
    assert.deepEqual(document.responseProblems('/heartbeat', { method: 'get', status: 200 }, heartbeat), []);
  });

  it('would notice a message that breaks them', () => {
    const path = '/transactions/type/merchantpay';
    assert.notDeepEqual(document.requestProblems(path, { amount: 15000, currency: 'TZS' }), []);
    assert.notDeepEqual(document.responseProblems(path, { method: 'post', status: 202 }, {}), []);
    assert.notDeepEqual(document.responseProblems(path, { method: 'post', status: 299 }, {}), []);
    assert.notDeepEqual(document.headerProblems(path, 'post', { 'x-correlationid': 'no' }), []);
    assert.notDeepEqual(
      document.callbackProblems(path, 'transactionsFailureEvent', { errorCategory: 'x', errorCode: 'y' }),
      [],
    );
  });
}

function problemsOf(document: OpenApiDocument, exchange: Exchange): string[] {
  const { method, path, status } = exchange;
  return [
    ...(method === 'POST' ? document.requestProblems(path, exchange.requestBody) : []),
    ...document.headerProblems(path, method, exchange.requestHeaders),
    ...document.responseProblems(path, { method, status }, exchange.responseBody),
  ].map((problem) => `${method} ${path} ${status}: ${problem}`);
}

describe('the GSMA messages and the published OpenAPI document', () => withGsmaDocument(schemaTests));
