import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel } from '../../src/channels/gsma/index.ts';
import { gsmaProtocol } from '../../src/channels/gsma/protocol.ts';
import { naming } from '../../src/channels/kit/registry.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { ringOf } from '../support/key-rings.ts';
import { type Served, serve } from '../support/served.ts';
import { httpOf } from './http-of.ts';

type Answer = { status: number; body?: unknown };

/** A provider that answers each path with what a test laid down, in turn; the last answer repeats. */
describe('what the GSMA channel makes of a provider’s answers', () => {
  let server: Served;
  let url: string;
  let answers: Record<string, Answer[]>;
  let seen: IncomingMessage[];

  before(async () => {
    server = await serve((incoming, outgoing) => {
      seen.push(incoming);
      const path = (incoming.url ?? '').replace(/[0-9a-f-]{36}$/, ':id');
      const list = answers[path] ?? [];
      const answer = (list.length > 1 ? list.shift() : list[0]) ?? { status: 599 };
      const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
      outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
    });
    url = server.url;
  });

  beforeEach(() => {
    answers = {};
    seen = [];
  });

  after(() => server.close());

  function channelOf(authorisation: 'basic' | 'oauth' = 'basic'): Channel {
    const settings = { url, username: 'user', password: 'secret', authorisation };
    const channel = createGsmaChannel({
      client: createGsmaClient(settings, httpOf(gsmaProtocol)),
      network: 'm-pesa',
      organisationId: 'malipo',
      publicUrl: 'http://127.0.0.1:9',
      notificationSecrets: ringOf(),
    });
    return naming(channel);
  }

  function push(answer: Answer | Answer[], channel = channelOf()) {
    answers['/transactions/type/merchantpay'] = [answer].flat();
    return channel.requestPush?.(
      {
        transactionId: randomUUID(),
        reference: 'PY0000000000000000',
        amount: minor(1_500_000),
        currency: 'TZS',
        description: 'Payment',
        party: { kind: 'wallet', msisdn: '255754000001' },
      },
      { timeoutMs: 2_000 },
    );
  }

  function enquire(direction: 'collection' | 'payout' = 'collection') {
    return channelOf().enquire(
      {
        transactionId: randomUUID(),
        reference: 'PY0000000000000000',
        direction,
        channelReference: null,
      },
      { timeoutMs: 2_000 },
    );
  }

  const error = (errorCode: string, errorCategory = 'businessRule') => ({ errorCategory, errorCode });
  const transaction = {
    transactionReference: 'T1',
    transactionStatus: 'completed',
    type: 'merchantpay',
    amount: '15000',
    currency: 'TZS',
    requestingOrganisationTransactionReference: 'PY0000000000000000',
  };
  const state = { serverCorrelationId: randomUUID(), status: 'pending', notificationMethod: 'callback' };

  it('believes a 201 that carries the finished transaction', async () => {
    assert.deepEqual(
      await push({
        status: 201,
        body: { ...transaction, senderKyc: { subjectName: { firstName: 'ASHA', lastName: 'JUMA' } } },
      }),
      {
        kind: 'succeeded',
        amount: 1_500_000,
        currency: 'TZS',
        channelReference: 'T1',
        fullName: 'ASHA JUMA',
      },
    );
  });

  it('takes no fault of the provider for a refusal, whatever status it comes with', async () => {
    for (const category of ['internal', 'serviceUnavailable'])
      for (const code of ['genericError', 'incorrectState', 'rateLimitError'])
        assert.equal((await push({ status: 400, body: error(code, category) }))?.kind, 'unknown', code);
    assert.equal((await push({ status: 408, body: error('genericError') }))?.kind, 'unknown');
    assert.equal((await push({ status: 400, body: error('genericError') }))?.kind, 'failed');
  });

  it('reads a RequestState whose id has the form that the document wants, of whatever version', async () => {
    const body = { ...state, serverCorrelationId: 'ABCDEF01-2345-9789-0ABC-DEF012345678' };
    assert.equal((await push({ status: 202, body }))?.kind, 'accepted');
  });

  it('takes null for a member that is missing, and a byte order mark for nothing', async () => {
    const nothing = { senderKyc: null, transactionReceipt: null, descriptionText: null, creationDate: null };
    assert.equal((await push({ status: 201, body: { ...transaction, ...nothing } }))?.kind, 'succeeded');
    const open = { ...state, objectReference: null, pendingReason: null, expiryTime: null, error: null };
    assert.equal((await push({ status: 202, body: open }))?.kind, 'accepted');
    const marked = `\uFEFF${JSON.stringify(transaction)}`;
    assert.equal((await push({ status: 201, body: marked }))?.kind, 'succeeded');
  });

  it('waits for the enquiry when a RequestState says completed without an amount', async () => {
    const body = { ...state, status: 'completed', objectReference: 'T1' };
    assert.deepEqual(await push({ status: 202, body }), { kind: 'accepted', channelReference: 'T1' });
  });

  it('fails on a RequestState that failed at once, also with a code nobody knows', async () => {
    for (const [errorCode, code] of [
      ['insufficientFunds', 'insufficient_funds'],
      ['madeUpByAProvider', 'network_error'],
    ]) {
      const body = { ...state, status: 'failed', error: error(String(errorCode)) };
      assert.deepEqual(await push({ status: 202, body }), { kind: 'failed', code, channelReference: null });
    }
    assert.equal((await push({ status: 202, body: { ...state, status: 'failed' } }))?.kind, 'failed');
  });

  for (const [status, errorCode, kind] of [
    [400, 'insufficientFunds', 'failed'],
    [404, 'identifierError', 'failed'],
    [401, 'requestingPartyAuthorisationError', 'failed'],
    [400, 'duplicateRequest', 'unknown'],
    [400, 'rateLimitError', 'not_sent'],
    [401, 'clientAuthorisationError', 'not_sent'],
    [400, 'madeUpByAProvider', 'unknown'],
    [500, 'genericError', 'unknown'],
    [503, 'rateLimitError', 'unknown'],
    [500, 'insufficientFunds', 'unknown'],
  ] as const) {
    it(`reads ${status} ${errorCode} as ${kind}`, async () => {
      assert.equal((await push({ status, body: error(errorCode) }))?.kind, kind);
    });
  }

  for (const [what, answer] of [
    ['a page of a proxy', { status: 400, body: '<html>Bad request</html>' }],
    ['an empty 202', { status: 202, body: '' }],
    ['a status nobody knows', { status: 201, body: { ...transaction, transactionStatus: 'parked' } }],
    [
      'a success of another reference',
      { status: 201, body: { ...transaction, requestingOrganisationTransactionReference: 'PYX' } },
    ],
    ['a success of another type', { status: 201, body: { ...transaction, type: 'disbursement' } }],
    ['an amount with half cents', { status: 201, body: { ...transaction, amount: '15000.005' } }],
  ] as const) {
    it(`does not know what to make of ${what}`, async () => {
      assert.equal((await push(answer))?.kind, 'unknown');
    });
  }

  it('takes 200 where the document has 201 or 202', async () => {
    assert.equal((await push({ status: 200, body: transaction }))?.kind, 'succeeded');
  });

  it('renews a refused token once and repeats the same request', async () => {
    answers['/accesstoken'] = [
      { status: 200, body: { access_token: 'one', expires_in: '3600' } },
      { status: 200, body: { access_token: 'two', expires_in: 3600 } },
    ];
    const refused = { status: 401, body: error('clientAuthorisationError', 'authorisation') };
    const result = await push([refused, { status: 202, body: state }], channelOf('oauth'));
    assert.equal(result?.kind, 'accepted');
    const sends = seen.filter((incoming) => incoming.url?.startsWith('/transactions'));
    assert.deepEqual(
      sends.map(({ headers }) => headers.authorization),
      ['Bearer one', 'Bearer two'],
    );
    assert.equal(new Set(sends.map(({ headers }) => headers['x-correlationid'])).size, 1);
  });

  it('says not_sent when the renewed token is refused too, or none is given', async () => {
    answers['/accesstoken'] = [{ status: 200, body: { access_token: 'one' } }];
    assert.equal((await push({ status: 401, body: '' }, channelOf('oauth')))?.kind, 'not_sent');
    assert.equal(seen.filter((incoming) => incoming.url?.startsWith('/transactions')).length, 2);
    seen = [];
    answers['/accesstoken'] = [{ status: 500 }];
    assert.equal((await push({ status: 202, body: state }, channelOf('oauth')))?.kind, 'not_sent');
    assert.equal(
      seen.some((incoming) => incoming.url?.startsWith('/transactions')),
      false,
    );
  });

  it('asks for one token for many calls at once', async () => {
    answers['/accesstoken'] = [{ status: 200, body: { access_token: 'one', expires_in: 3600 } }];
    const channel = channelOf('oauth');
    await Promise.all(Array.from({ length: 8 }, () => push({ status: 202, body: state }, channel)));
    assert.equal(seen.filter((incoming) => incoming.url === '/accesstoken').length, 1);
  });

  it('calls only the provider’s own 404 not_found', async () => {
    answers['/responses/:id'] = [{ status: 404, body: '<html>no such page</html>' }];
    assert.equal((await enquire()).kind, 'unknown');
    answers['/responses/:id'] = [{ status: 404, body: error('identifierError', 'identification') }];
    assert.equal((await enquire()).kind, 'not_found');
    answers['/responses/:id'] = [{ status: 503, body: error('genericError', 'serviceUnavailable') }];
    assert.equal((await enquire()).kind, 'unknown');
  });

  it('knows that the provider has what it calls a duplicate, takes, or links to, though nothing else is clear', async () => {
    const isSeen = (result: object | undefined) => result !== undefined && 'seen' in result;
    assert.ok(isSeen(await push({ status: 400, body: error('duplicateRequest') })));
    assert.ok(isSeen(await push({ status: 202, body: '' })));
    for (const silent of [400, 500]) assert.ok(!isSeen(await push({ status: silent, body: '' })));
    answers['/responses/:id'] = [{ status: 200, body: { link: '/transactions/T1' } }];
    answers['/transactions/T1'] = [{ status: 503, body: '' }];
    assert.ok(isSeen(await enquire()));
    answers['/responses/:id'] = [{ status: 503, body: '' }];
    assert.ok(!isSeen(await enquire()));
  });

  it('follows a link below its own address only', async () => {
    answers['/transactions/T1'] = [{ status: 200, body: transaction }];
    for (const link of [
      '/transactions/T1',
      'https://elsewhere.example/mm/transactions/T1',
      'transactions/T1',
    ]) {
      answers['/responses/:id'] = [{ status: 200, body: { link } }];
      assert.equal((await enquire()).kind, 'succeeded', link);
    }
    for (const link of ['/accounts/msisdn/1', '/transactions/', '/transactions/%zz']) {
      answers['/responses/:id'] = [{ status: 200, body: { link } }];
      assert.equal((await enquire()).kind, 'unknown', link);
    }
  });

  it('reads the resource of a RequestState that is completed', async () => {
    answers['/responses/:id'] = [
      { status: 200, body: { link: `/requeststates/${state.serverCorrelationId}` } },
    ];
    answers['/requeststates/:id'] = [
      { status: 200, body: { ...state, status: 'completed', objectReference: 'T1' } },
    ];
    answers['/transactions/T1'] = [{ status: 200, body: transaction }];
    assert.equal((await enquire()).kind, 'succeeded');
    answers['/requeststates/:id'] = [{ status: 200, body: { ...state, status: 'completed' } }];
    assert.equal((await enquire()).kind, 'unknown');
  });

  it('tells a customer who was too late from one with a wrong PIN by the expiry time', async () => {
    answers['/responses/:id'] = [
      { status: 200, body: { link: `/requeststates/${state.serverCorrelationId}` } },
    ];
    const failedAt = async (errorDateTime: string) => {
      const body = {
        ...state,
        status: 'failed',
        expiryTime: '2025-01-01T10:05:00Z',
        error: { ...error('requestingPartyAuthorisationError', 'authorisation'), errorDateTime },
      };
      answers['/requeststates/:id'] = [{ status: 200, body }];
      const result = await enquire();
      return result.kind === 'failed' ? result.code : result.kind;
    };
    assert.equal(await failedAt('2025-01-01T10:04:59Z'), 'wrong_pin');
    assert.equal(await failedAt('2025-01-01T13:05:00+03:00'), 'customer_timeout');
    assert.equal(await failedAt('2025-01-01T13:05:00'), 'customer_timeout');
    assert.equal(await failedAt('2025-01-01T13:04:59'), 'wrong_pin');
  });

  it('takes a transaction that failed or was reversed for what it is', async () => {
    answers['/responses/:id'] = [{ status: 200, body: { link: '/transactions/T1' } }];
    for (const [transactionStatus, code] of [
      ['failed', 'network_error'],
      ['reversed', 'reversed'],
    ]) {
      answers['/transactions/T1'] = [{ status: 200, body: { ...transaction, transactionStatus } }];
      assert.deepEqual(await enquire(), { kind: 'failed', code, channelReference: 'T1' });
    }
  });
});
