import assert from 'node:assert/strict';
import { neverSent } from '../../src/channels/kit/about.ts';
import { protocols } from '../../src/channels/protocols.ts';
import type { EnquiryResult, SendResult } from '../../src/domain/channel.ts';
import { type Served, serve } from '../support/served.ts';
import { bank, channelOf, isLogin, login, order, wallet } from './accounts.ts';

type Page = { status: number; body?: string };
const html = (sentence: string) => `<html><head><title>${sentence}</title></head></html>`;

/** Nothing behind such a server has seen the request. */
const proofs: Page[] = [
  { status: 400, body: html('400 The SSL certificate error') },
  { status: 400, body: html('400 No required SSL certificate was sent') },
  { status: 495 },
  { status: 496, body: html('496 SSL Certificate Required') },
  { status: 403, body: html('IIS 403.7 - Forbidden: Client certificate required') },
  { status: 403, body: html('HTTP Error 403.16') },
  { status: 407 },
];
const turnedAway: Page[] = [
  { status: 401 },
  { status: 401, body: html('Authorization Required') },
  { status: 403, body: html('Forbidden') },
  { status: 403, body: '{"error_page":"Forbidden"}' },
  { status: 429 },
  { status: 302 },
];
const unclear: Page[] = [
  { status: 404, body: html('Not Found') },
  { status: 500, body: html('403.7') },
  { status: 502, body: html('Bad Gateway') },
  { status: 200, body: html('Log in') },
  { status: 400, body: html('Bad Request') },
];

describe('a page instead of an answer', () => {
  let server: Served;
  let page: Page = { status: 500 };
  let loginStatus = 200;
  let asked = 0;
  before(async () => {
    server = await serve((request, response) => {
      if (isLogin(request.url ?? ''))
        return response.writeHead(loginStatus).end(loginStatus === 200 ? login : '');
      const { status, body = '' } = page;
      asked += 1;
      response.writeHead(status, status === 302 ? { location: '/login' } : {}).end(body);
    });
  });
  beforeEach(() => {
    loginStatus = 200;
  });
  after(() => server.close());

  const call = { timeoutMs: 5_000 };
  const kindOf = (result: SendResult | EnquiryResult | undefined) =>
    result && `${result.kind} ${'refused' in result ? result.refused : ''}`.trim();

  const sending = protocols.filter(
    ({ answersAbout }) => answersAbout.push !== neverSent || answersAbout.payout !== neverSent,
  );
  for (const { name, answersAbout } of sending) {
    const push = async (one: Page) => {
      page = one;
      return kindOf(await channelOf(server.url, name).requestPush?.({ ...order, party: wallet }, call));
    };
    const payOut = async (one: Page, gate: { gate?: 'front' } = {}) => {
      page = one;
      const party = name === 'iso20022' ? bank : wallet;
      return kindOf(await channelOf(server.url, name, gate).requestPayout?.({ ...order, party }, call));
    };
    const enquire = async (one: Page) => {
      page = one;
      const question = { ...order, direction: 'payout', channelReference: null } as const;
      return kindOf(await channelOf(server.url, name).enquire(question, call));
    };
    /** Who names our reference has read the request. */
    const naming = [...proofs, ...turnedAway].map(({ status, body = '' }) => ({
      status,
      body: `${body}<p>${order.reference.toLowerCase()}</p>`,
    }));

    if (answersAbout.push !== neverSent)
      it(`is read as every other protocol reads it by a push of ${name}`, async () => {
        for (const one of [...proofs, ...turnedAway])
          assert.equal(await push(one), 'not_sent page', JSON.stringify(one));
        for (const one of unclear) assert.equal(await push(one), 'unknown', JSON.stringify(one));
        for (const one of naming) assert.equal(await push(one), 'unknown page', JSON.stringify(one));
      });

    if (answersAbout.payout !== neverSent)
      it(`is read as every other protocol reads it by a payout of ${name}`, async () => {
        for (const one of proofs) assert.equal(await payOut(one), 'not_sent page', JSON.stringify(one));
        for (const one of turnedAway) {
          asked = 0;
          assert.equal(await payOut(one), 'unknown page', JSON.stringify(one));
          assert.equal(asked, 1, 'what may have been made is not made again');
        }
        for (const one of unclear) assert.equal(await payOut(one), 'unknown', JSON.stringify(one));
        for (const gate of [{}, { gate: 'front' } as const])
          for (const one of naming)
            assert.equal(await payOut(one, gate), 'unknown page', JSON.stringify(one));
        for (const one of turnedAway)
          assert.equal(await payOut(one, { gate: 'front' }), 'not_sent page', JSON.stringify(one));
        for (const one of unclear)
          assert.equal(await payOut(one, { gate: 'front' }), 'unknown', JSON.stringify(one));
      });

    if (name !== 'halopesa')
      it(`counts against the connection, and no other one, where it turns an enquiry of ${name} away`, async () => {
        for (const one of [...proofs, ...turnedAway])
          assert.equal(await enquire(one), 'unknown page', JSON.stringify(one));
        for (const one of unclear) assert.equal(await enquire(one), 'unknown', JSON.stringify(one));
      });

    if (['vodacom-openapi', 'airtel-openapi', 'clickpesa'].includes(name))
      it(`is a refused login where it comes to the login of ${name}`, async () => {
        loginStatus = 401;
        assert.equal(await payOut({ status: 500 }), 'not_sent login');
        assert.equal(await enquire({ status: 500 }), 'unknown login');
      });
  }

  it('is a refused login where Airtel has to give a key first', async () => {
    loginStatus = 401;
    const channel = channelOf(server.url, 'airtel-openapi', { more: { publicKey: undefined } });
    assert.equal(kindOf(await channel.requestPayout?.({ ...order, party: wallet }, call)), 'not_sent login');
  });

  it('has a mark in every protocol that sends', () => {
    for (const protocol of protocols)
      assert.equal((protocol.marks?.length ?? 0) > 0, sending.includes(protocol), protocol.name);
  });
});

describe('an enquiry whose login is refused in words of the protocol', () => {
  const refusals: Record<string, Page> = {
    'gsma-mm-1.2': {
      status: 401,
      body: '{"errorCategory":"authorisation","errorCode":"clientAuthorisationError"}',
    },
    'airtel-openapi': { status: 401, body: '{"error":"invalid_token"}' },
    'vodacom-openapi': { status: 401, body: '{"output_error":"Session expired"}' },
    clickpesa: { status: 401, body: '{"message":"Unauthorized"}' },
    selcom: { status: 401, body: '{"resultcode":"401","result":"FAIL"}' },
  };
  for (const [name, { status, body }] of Object.entries(refusals))
    it(`counts against its connection in ${name}`, async () => {
      const server = await serve((request, response) => {
        if (isLogin(request.url ?? '')) return response.end(login);
        response.writeHead(status).end(body);
      });
      const question = { ...order, direction: 'payout', channelReference: null } as const;
      const result = await channelOf(server.url, name).enquire(question, { timeoutMs: 5_000 });
      assert.deepEqual([result.kind, 'refused' in result && result.refused], ['unknown', 'login']);
      await server.close();
    });
});
