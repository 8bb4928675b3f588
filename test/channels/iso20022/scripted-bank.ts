import type { IncomingMessage, ServerResponse } from 'node:http';
import { createIso20022Channel } from '../../../src/channels/iso20022/index.ts';
import { writeStatusReport } from '../../../src/channels/iso20022/wire.ts';
import { isSignedRequest, signAnswer } from '../../../src/channels/kit/signature.ts';
import type { Channel, Enquiry, PayoutOrder } from '../../../src/domain/channel.ts';
import { minor } from '../../../src/domain/money.ts';
import { serve } from '../../support/served.ts';

export const secret = 'a secret of the bank';
export const reference = 'POABCDEFGHJKMNPQRS';
export const call = { timeoutMs: 1_000 };
export const money = { amount: minor(5_000_000), currency: 'TZS' };

export const order: PayoutOrder = {
  transactionId: '6f1c3b52-5ad3-5f9c-a9f1-2b7a3e1d4c00',
  reference,
  ...money,
  description: 'Salary – January',
  party: { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '0150000000000', fullName: 'Zoë Juma' },
  sendNumber: 1,
};
export const enquiry: Enquiry = {
  transactionId: order.transactionId,
  reference,
  direction: 'payout',
  channelReference: null,
};

type Report = Parameters<typeof writeStatusReport>[0];
export type Changes = Partial<Report>;

/** A pain.002 about our order: accepted, unless the changes say otherwise. */
export function statusReport(changes: Changes): string {
  return writeStatusReport({
    createdAt: new Date('2025-01-01T10:00:00Z'),
    messageId: 'BK1',
    originalMessageId: `${reference}-1`,
    groupStatus: null,
    reference,
    status: 'ACTC',
    reasons: [],
    bankReference: 'BKREF1',
    money: null,
    ...changes,
  });
}

type Signing = { secret?: string; status?: number; path?: string; request?: string; at?: number };

export type ScriptedBank = {
  channel: Channel;
  seen: { method: string; path: string; signed: boolean; body: string }[];
  /** what every request is answered with; `sign` changes what the bank signs it with, null leaves the signature out */
  answer: { status: number; body?: string; sign?: Signing | null };
  /** the channel's clock; milliseconds */
  time: number;
  pay(changes?: Partial<PayoutOrder>): ReturnType<NonNullable<Channel['requestPayout']>>;
  payAnswered(status: number, changes: Changes): ReturnType<NonNullable<Channel['requestPayout']>>;
  enquireAnswered(status: number, changes: Changes): ReturnType<Channel['enquire']>;
  close(): Promise<void>;
};

/** A bank that answers whatever the test says, and the channel that talks to it. */
export async function openBank(): Promise<ScriptedBank> {
  const server = await serve(take);

  function take(request: IncomingMessage, response: ServerResponse, read: Buffer): void {
    const { method = '', url = '', headers } = request;
    const given = String(headers['x-signature']);
    const body = read.toString();
    const now = new Date(bank.time);
    const signed = isSignedRequest(given, { method, path: url, body }, { secrets: [secret], now });
    bank.seen.push({ method, path: url, signed, body });
    const { status, sign = {} } = bank.answer;
    if (sign) {
      const answer = { method, path: url, status, request: given, body: bank.answer.body ?? '', ...sign };
      const signer = { secrets: [sign.secret ?? secret], now: new Date(sign.at ?? bank.time) };
      response.setHeader('X-Signature', signAnswer(answer, signer));
    }
    response.writeHead(status).end(bank.answer.body);
  }

  const bank: ScriptedBank = {
    channel: createIso20022Channel({
      url: server.url,
      secrets: [secret],
      debtor: { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' },
      now: () => new Date(bank.time),
    }),
    seen: [],
    answer: { status: 500 },
    time: Date.parse('2025-01-01T22:30:00Z'),
    pay: async (changes = {}) => {
      if (!bank.channel.requestPayout) throw new Error('the channel takes no payouts');
      return bank.channel.requestPayout({ ...order, ...changes }, call);
    },
    payAnswered(status, changes) {
      bank.answer = { status, body: statusReport(changes) };
      return bank.pay();
    },
    enquireAnswered(status, changes) {
      bank.answer = { status, body: statusReport(changes) };
      return bank.channel.enquire(enquiry, call);
    },
    close: server.close,
  };
  return bank;
}
