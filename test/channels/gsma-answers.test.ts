import assert from 'node:assert/strict';
import { createGsmaClient } from '../../src/channels/gsma/client.ts';
import { createGsmaChannel } from '../../src/channels/gsma/index.ts';
import { gsmaProtocol } from '../../src/channels/gsma/protocol.ts';
import { naming } from '../../src/channels/kit/registry.ts';
import { ringOf } from '../support/key-rings.ts';
import { httpOf } from './http-of.ts';
import { type Answer, itHears, itKnowsNothing, order, PUSH, type Row, say, useNetwork } from './scripted.ts';

const TOKEN = '/accesstoken';
const TRANSACTION = '/transactions/T1';
const OAUTH = { authorisation: 'oauth' } as const;

const refusal = (errorCode: string, errorCategory = 'businessRule') => ({ errorCategory, errorCode });
const at = (status: number, body: unknown): Answer => ({ status, body });
const state = { serverCorrelationId: order.transactionId, status: 'pending', notificationMethod: 'callback' };
const transaction = {
  transactionReference: 'T1',
  transactionStatus: 'completed',
  type: 'merchantpay',
  amount: '15000',
  currency: 'TZS',
  requestingOrganisationTransactionReference: PUSH,
};
const done = (more: object = {}, status = 201) => at(status, { ...transaction, ...more });
const failed = (error?: object) => at(202, { ...state, status: 'failed', error });
const linking = (link: string) => at(200, { link });
const names = (nothing: string[]) => Object.fromEntries(nothing.map((name) => [name, null]));
const authorisation = refusal('requestingPartyAuthorisationError', 'authorisation');

describe('what the GSMA channel makes of a provider’s answers', () => {
  const network = useNetwork({
    paths: { push: '/transactions/type/merchantpay', 'push?': '/responses/' },
    besides: { [TOKEN]: { status: 500 } },
    channelOf: (url, { authorisation = 'basic' }: { authorisation?: 'basic' | 'oauth' }) => {
      const settings = { url, username: 'user', password: 'secret', authorisation };
      const channel = createGsmaChannel({
        client: createGsmaClient(settings, httpOf(gsmaProtocol)),
        network: 'm-pesa',
        organisationId: 'malipo',
        publicUrl: 'http://127.0.0.1:9',
        notificationSecrets: ringOf(),
      });
      return naming(channel);
    },
  });

  const kyc = { senderKyc: { subjectName: { firstName: 'ASHA', lastName: 'JUMA' } } };
  const openNulls = names(['objectReference', 'pendingReason', 'expiryTime', 'error']);
  const doneNulls = names(['senderKyc', 'transactionReceipt', 'descriptionText', 'creationDate']);
  itHears(network, [
    ['push', 'the finished transaction', done(kyc), 'succeeded TZS 15000 T1 ASHA JUMA'],
    // No fault of the provider is a refusal, whatever status it comes with.
    ...['internal', 'serviceUnavailable'].flatMap((category) =>
      ['genericError', 'incorrectState', 'rateLimitError'].map(
        (code): Row => ['push', `${code} of ${category}`, at(400, refusal(code, category)), 'unknown'],
      ),
    ),
    ['push', 'genericError with 408', at(408, refusal('genericError')), 'unknown'],
    ['push', 'genericError', at(400, refusal('genericError')), 'failed network_error -'],
    // An id has the form that the document wants, of whatever version.
    [
      'push',
      'an id of another version',
      at(202, { ...state, serverCorrelationId: 'ABCDEF01-2345-9789-0ABC-DEF012345678' }),
      'accepted -',
    ],
    ['push', 'a success with nulls', done(doneNulls), 'succeeded TZS 15000 T1'],
    ['push', 'an acceptance with nulls', at(202, { ...state, ...openNulls }), 'accepted -'],
    ['push', 'a byte order mark', at(201, `\uFEFF${JSON.stringify(transaction)}`), 'succeeded TZS 15000 T1'],
    ['push', 'no amount', at(202, { ...state, status: 'completed', objectReference: 'T1' }), 'accepted T1'],
    ['push', 'failed at once', failed(refusal('insufficientFunds')), 'failed insufficient_funds -'],
    ['push', 'failed with an unknown code', failed(refusal('madeUpByAProvider')), 'failed network_error -'],
    ['push', 'failed without a code', failed(), 'failed network_error -'],
    ['push', '400 insufficientFunds', at(400, refusal('insufficientFunds')), 'failed insufficient_funds -'],
    ['push', '404 identifierError', at(404, refusal('identifierError')), 'failed payer_not_found -'],
    ['push', '401 of the payer', at(401, refusal('requestingPartyAuthorisationError')), 'failed wrong_pin -'],
    ['push', '400 duplicateRequest', at(400, refusal('duplicateRequest')), 'unknown seen'],
    ['push', '400 rateLimitError', at(400, refusal('rateLimitError')), 'not_sent login'],
    ['push', '401 clientAuthorisationError', at(401, refusal('clientAuthorisationError')), 'not_sent login'],
    ['push', '400 madeUpByAProvider', at(400, refusal('madeUpByAProvider')), 'unknown'],
    ['push', '500 genericError', at(500, refusal('genericError')), 'unknown'],
    ['push', '503 rateLimitError', at(503, refusal('rateLimitError')), 'unknown'],
    ['push', '500 insufficientFunds', at(500, refusal('insufficientFunds')), 'unknown'],
    // The provider has what it takes, though nothing else is clear.
    ['push', 'an empty 202', at(202, ''), 'unknown seen'],
    ['push', '200 where the document has 201', done({}, 200), 'succeeded TZS 15000 T1'],
    ['push?', 'a page that is not found', at(404, '<html>no such page</html>'), 'unknown'],
    ['push?', 'the provider’s own 404', at(404, refusal('identifierError', 'identification')), 'not_found'],
    ['push?', '503', at(503, refusal('genericError', 'serviceUnavailable')), 'unknown'],
    ['push?', 'an empty 503', at(503, ''), 'unknown'],
  ]);

  itKnowsNothing(
    network,
    ['push'],
    [
      ['a page of a proxy', at(400, '<html>Bad request</html>')],
      ['an empty 400', at(400, '')],
      ['an empty 500', at(500, '')],
    ],
  );
  for (const [what, more] of [
    ['a status nobody knows', { transactionStatus: 'parked' }],
    ['a success of another reference', { requestingOrganisationTransactionReference: 'PYX' }],
    ['a success of another type', { type: 'disbursement' }],
    ['an amount with half cents', { amount: '15000.005' }],
  ] as const)
    it(`does not know what to make of ${what}`, async () => {
      network.lay('push', done(more));
      assert.match(await network.hear('push'), /^unknown/);
    });

  const sends = () => network.sent('push');
  const token = (access_token: string, expires_in?: string | number) => at(200, { access_token, expires_in });

  it('renews a refused token once and repeats the same request', async () => {
    network.lay(TOKEN, token('one', '3600'), token('two', 3600));
    network.lay('push', at(401, refusal('clientAuthorisationError', 'authorisation')), at(202, state));
    assert.equal(await network.hear('push', OAUTH), 'accepted -');
    assert.deepEqual(
      sends().map(({ headers }) => headers.authorization),
      ['Bearer one', 'Bearer two'],
    );
    assert.equal(new Set(sends().map(({ headers }) => headers['x-correlationid'])).size, 1);
  });

  it('says not_sent when the renewed token is refused too, or none is given', async () => {
    network.lay(TOKEN, token('one'));
    network.lay('push', at(401, ''));
    assert.match(await network.hear('push', OAUTH), /^not_sent/);
    assert.equal(sends().length, 2);
    network.lay(TOKEN, { status: 500 });
    assert.match(await network.hear('push', OAUTH), /^not_sent/);
    assert.equal(sends().length, 2);
  });

  it('asks for one token for many calls at once', async () => {
    network.lay(TOKEN, token('one', 3600));
    network.lay('push', at(202, state));
    const channel = network.channelOf(OAUTH);
    await Promise.all(Array.from({ length: 8 }, () => say(channel, 'push')));
    assert.equal(network.sent(TOKEN).length, 1);
  });

  const REQUEST_STATE = `/requeststates/${state.serverCorrelationId}`;
  /** What it hears where the answer is a link, and `answer` is what it leads to. */
  async function behind(link: string, path: string, answer: Answer): Promise<string> {
    network.lay('push?', linking(link));
    network.lay(path, answer);
    return network.hear('push?');
  }

  it('knows that the provider has what it links to, though nothing else is clear', async () => {
    assert.equal(await behind(TRANSACTION, TRANSACTION, at(503, '')), 'unknown seen');
  });

  for (const [link, expected] of [
    [TRANSACTION, 'succeeded TZS 15000 T1'],
    ['https://elsewhere.example/mm/transactions/T1', 'succeeded TZS 15000 T1'],
    ['transactions/T1', 'succeeded TZS 15000 T1'],
    ['/accounts/msisdn/1', 'unknown'],
    ['/transactions/', 'unknown'],
    ['/transactions/%zz', 'unknown'],
  ] as const)
    it(`follows a link below its own address only: ${link}: ${expected}`, async () => {
      assert.equal(await behind(link, TRANSACTION, done({}, 200)), expected);
    });

  it('reads the resource of a RequestState that is completed', async () => {
    network.lay(TRANSACTION, done({}, 200));
    const completed = { ...state, status: 'completed' };
    const found = await behind(
      REQUEST_STATE,
      REQUEST_STATE,
      at(200, { ...completed, objectReference: 'T1' }),
    );
    assert.equal(found, 'succeeded TZS 15000 T1');
    assert.equal(await behind(REQUEST_STATE, REQUEST_STATE, at(200, completed)), 'unknown seen');
  });

  for (const [errorDateTime, code] of [
    ['2025-01-01T10:04:59Z', 'wrong_pin'],
    ['2025-01-01T13:05:00+03:00', 'customer_timeout'],
    ['2025-01-01T13:05:00', 'customer_timeout'],
    ['2025-01-01T13:04:59', 'wrong_pin'],
  ] as const)
    it(`tells a customer who was too late from one with a wrong PIN by the expiry time: ${errorDateTime}: ${code}`, async () => {
      const error = { ...authorisation, errorDateTime };
      const late = { ...state, status: 'failed', expiryTime: '2025-01-01T10:05:00Z', error };
      assert.equal(await behind(REQUEST_STATE, REQUEST_STATE, at(200, late)), `failed ${code} -`);
    });

  for (const [transactionStatus, code] of [
    ['failed', 'network_error'],
    ['reversed', 'reversed'],
  ] as const)
    it(`takes a transaction that ${transactionStatus} for what it is`, async () => {
      assert.equal(
        await behind(TRANSACTION, TRANSACTION, done({ transactionStatus }, 200)),
        `failed ${code} T1`,
      );
    });
});
