import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Channel, EnquiryResult, SendResult } from '../../../src/domain/channel.ts';
import type { Direction } from '../../../src/domain/kinds.ts';
import { minor } from '../../../src/domain/money.ts';
import { type Served, serve } from '../../support/served.ts';
import { vodacomChannel } from './rig.ts';

export type Reply = { status?: number; json?: object; text?: string; break?: true };

const ID = '0198c0de-0000-7000-8000-000000000001';
export const CONVERSATION = '0198c0de000070008000000000000001';
export const AMOUNT = minor(1_500_000);
export const call = { timeoutMs: 3_000 };
export const order = {
  transactionId: ID,
  reference: 'PY0000000000000001',
  amount: AMOUNT,
  currency: 'TZS',
  description: 'Payment PY-1, for "shoes"',
  party: { kind: 'wallet', msisdn: '255754000001' },
} as const;

export const said = (code: string, status = 400, more = {}): Reply => ({
  status,
  json: { output_ResponseCode: code, output_ThirdPartyConversationID: CONVERSATION, ...more },
});
export const paid = said('INS-0', 201, { output_TransactionID: 'R1' });

/** An M-Pesa that says what it is told to; sessions are its own affair unless a test takes them over. */
export function scriptedVodacom() {
  const script = {
    address: '',
    replies: [] as Reply[],
    asked: [] as { method: string; url: string; body: string; bearer: string }[],
    sessions: 0,
    openSession: (): Reply => ({}),
    /** what a call with this session gets, instead of the next reply */
    replyTo: null as ((bearer: string) => Reply) | null,
    channelOf: (mode: 'synchronous' | 'asynchronous', changes = {}): Channel =>
      vodacomChannel(script.address, { mode, ...changes }),
    async push(channel: Channel, ...next: Reply[]): Promise<SendResult | undefined> {
      script.replies = next;
      return channel.requestPush?.(order, call);
    },
    async enquire(channel: Channel, direction: Direction, ...next: Reply[]): Promise<EnquiryResult> {
      script.replies = next;
      const { reference, amount, currency } = order;
      const enquiry = { transactionId: ID, reference, direction, channelReference: null, amount, currency };
      return channel.enquire(enquiry, call);
    },
  };
  let server: Served;

  function reply(response: ServerResponse, { status = 200, json, text, break: breaks }: Reply): void {
    if (breaks) {
      response.socket?.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text ?? JSON.stringify(json ?? {}));
  }

  function take(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    if (request.url?.endsWith('getSession/')) return reply(response, script.openSession());
    const bearer = String(request.headers.authorization);
    script.asked.push({
      method: request.method ?? '',
      url: request.url ?? '',
      body: body.toString(),
      bearer,
    });
    reply(response, script.replyTo?.(bearer) ?? script.replies.shift() ?? { status: 500 });
  }

  before(async () => {
    server = await serve(take);
    script.address = server.url;
  });
  after(() => server.close());
  beforeEach(() => {
    Object.assign(script, { replies: [], asked: [], sessions: 0, replyTo: null });
    script.openSession = () => {
      script.sessions += 1;
      return { json: { output_ResponseCode: 'INS-0', output_SessionID: `session-${script.sessions}` } };
    };
  });
  return script;
}
