import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto';
import type { HttpClient, HttpRequest } from '../../src/channels/kit/http.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import {
  assertHeaders,
  assertJson,
  assertXml,
  bodyOf,
  type Conversation,
  type Exchange,
  FIXTURES,
  filled,
  readFixture,
} from '../support/fixtures.ts';
import { ringOf } from '../support/key-rings.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const keys = { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };

/** What networks encrypt for is read again, so that it can be compared. */
function decrypted(headers: HttpRequest['headers']): HttpRequest['headers'] {
  const authorization = headers.authorization ?? headers.Authorization ?? '';
  const [, secret = ''] = /^Bearer ([\w+/=]{300,})$/.exec(authorization) ?? [];
  if (secret === '') return headers;
  const block = { key: privateKey, padding: constants.RSA_NO_PADDING };
  const bytes = privateDecrypt(block, Buffer.from(secret, 'base64'));
  const text = bytes.subarray(bytes.indexOf(0, 2) + 1).toString();
  return { ...headers, authorization: `Bearer rsa:${text}` };
}

/** A network that answers as the fixture does, and holds every request against it. */
function scripted({ exchanges, volatile = [] }: Conversation) {
  const texts = { token: 'a-token-of-the-fixture', session: 'a-session-of-the-fixture' };
  const left = [...exchanges];
  const problems: unknown[] = [];
  const check = (call: HttpRequest, { request }: Exchange) => {
    const { pathname, search } = new URL(call.url);
    assert.equal(`${call.method} ${pathname}${search}`, `${request.method} ${request.path}`);
    assertHeaders(decrypted(call.headers), request.headers, { texts, volatile });
    const body = call.body?.toString() ?? '';
    if (request.json !== undefined)
      assertJson(JSON.parse(body), request.json, { texts, volatile, exactly: true });
    if (request.xml !== undefined) assertXml(body, request.xml, { texts, volatile });
    if (request.form) assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), request.form);
  };
  const http: HttpClient = {
    async send(call) {
      const exchange = left.shift();
      try {
        assert.ok(exchange, `the fixture has no ${call.method} ${call.url}`);
        check(call, exchange);
      } catch (problem) {
        problems.push(problem);
      }
      const answer: Exchange['answer'] = exchange?.answer ?? { status: 500 };
      const body = Buffer.from(filled(bodyOf(answer) ?? '', texts).replaceAll('*', 'X1'));
      return { kind: 'answer', status: answer.status, headers: {}, body };
    },
    close: async () => {},
  };
  return { http, problems, left };
}

async function ask(channel: Channel, { does, order }: Conversation): Promise<string[]> {
  const kinds: string[] = [];
  const { transactionId = '0198c0de-0000-7000-8000-000000000009', reference, amount, msisdn } = order;
  const money = { amount: minor(amount * 100), currency: 'TZS' };
  const party = { kind: 'wallet', msisdn } as const;
  const whole = { transactionId, reference, ...money, description: 'Shoes', party, sendNumber: 1 };
  const direction = does.includes('payout') ? 'payout' : 'collection';
  const enquiry = { transactionId, reference, ...money, direction, channelReference: null } as const;
  const call = { timeoutMs: 5_000 };
  for (const what of does) {
    const result =
      what === 'enquire'
        ? await channel.enquire(enquiry, call)
        : what === 'push'
          ? await channel.requestPush?.(whole, call)
          : await channel.requestPayout?.(whole, call);
    kinds.push(result?.kind ?? 'nothing');
  }
  return kinds;
}

const networks: Record<string, string> = {
  mixx: 'tigo-pesa',
  selcom: 'tigo-pesa',
  'vodacom-openapi': 'm-pesa',
};

describe('what a channel sends, and makes of what it is answered', () => {
  for (const name of FIXTURES) {
    const { settings, conversations } = readFixture(name, keys);
    const protocol = protocols.find((one) => one.name === name);
    for (const conversation of conversations.filter(({ does }) => does.length > 0))
      it(`is in ${name} what others show: ${conversation.what} (${conversation.source})`, async () => {
        const { http, problems, left } = scripted(conversation);
        const log = { info() {}, warn() {}, error() {} };
        const world = { publicUrl: 'http://us.test', notificationSecrets: ringOf(), log, http };
        const open = protocol?.open(protocol.settings.parse(settings), world);
        const channel = open?.channel?.(networks[name] ?? name);
        assert.ok(channel);
        const kinds = await ask(channel, conversation);
        if (problems.length > 0) throw problems[0];
        assert.deepEqual([kinds, left], [conversation.kinds, []]);
      });
  }
});
