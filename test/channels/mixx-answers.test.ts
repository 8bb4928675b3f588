import assert from 'node:assert/strict';
import { MIXX_PATHS } from '../../sandbox/simulator/mixx/common.ts';
import table from '../../src/channels/mixx/codes.json' with { type: 'json' };
import { mixxSettings } from '../../src/channels/mixx/settings.ts';
import { writeCommand } from '../../src/channels/mixx/wire.ts';
import type { ScriptedAnswer } from '../support/scripted-server.ts';
import { mixxAccount, mixxChannelOf, mixxOrder } from './mixx/account.ts';
import { useScriptedMixx } from './mixx/scripted.ts';

const CALL = { timeoutMs: 10_000 };
const SHORT = { timeoutMs: 300 };
const WIRE = 'SIMB0123456789ABCDEF';
const PAYOUT = 'PO0123456789ABCDEF';
const { party } = mixxOrder;

type Code = { code: string; outcome: string; meaning: string; failure_code?: string };
const { codes, states } = table as { codes: Code[]; states: Code[] };

describe('answers of Mixx', () => {
  const mixx = useScriptedMixx();

  const push = (call = CALL) => mixx.channel.requestPush?.(mixxOrder, call);
  const payOut = (call = CALL) =>
    mixx.channel.requestPayout?.({ ...mixxOrder, reference: PAYOUT, sendNumber: 1 }, call);
  const enquire = (direction: 'collection' | 'payout' = 'payout') => {
    const reference = direction === 'payout' ? PAYOUT : mixxOrder.reference;
    return mixx.channel.enquire({ transactionId: 't', reference, direction, channelReference: null }, CALL);
  };
  const pushAnswer = (code: string, changes: object = {}): ScriptedAnswer => ({
    body: JSON.stringify({
      ResponseCode: code,
      ResponseStatus: code.endsWith('-S'),
      ReferenceID: WIRE,
      ...changes,
    }),
  });
  const payoutAnswer = (status: string, reference = PAYOUT): ScriptedAnswer => ({
    body: writeCommand('REQMFCI', [
      ['REFERENCEID', reference],
      ['TXNID', 'X1'],
      ['TXNSTATUS', status],
      ['MESSAGE', 'm'],
    ]),
  });
  const statusAnswer = (elements: Record<string, string>): ScriptedAnswer => ({
    body: writeCommand(
      'MTPGGetSODetails',
      Object.entries({ RESULTCODE: '0', TXNID: 'X1', EXTERNALREFID: PAYOUT, ...elements }),
    ),
  });
  const broken: Record<string, ScriptedAnswer> = {
    'no answer': { breaks: 'before' },
    'half an answer': { body: 'x'.repeat(100), breaks: 'within' },
    'a sentence': { body: 'Internal service error occurred. Please contact support for further details.' },
    'a sentence with 500': { status: 500, body: 'Internal service error occurred.' },
    HTML: { type: 'text/html', body: '<html><body><h1>502 Bad Gateway</h1></body></html>' },
    nothing: { body: '' },
    'truncated JSON': { body: '{"ResponseCode":"BILLER-18-0000-S","ResponseSta' },
    'truncated XML': { body: '<COMMAND><TYPE>REQMFCI</TYPE><TXNSTATUS>0</TXNSTATUS>' },
    'a document type': {
      body: '<!DOCTYPE x><COMMAND><TYPE>REQMFCI</TYPE><TXNSTATUS>0</TXNSTATUS></COMMAND>',
    },
    'something long': { body: `{"ResponseCode":"${'x'.repeat(40_000)}"}` },
    404: { status: 404, body: 'Not found' },
  };

  it('writes a push as the client libraries do: their headers, a number, our reference behind the biller code', async () => {
    mixx.next = pushAnswer('BILLER-18-0000-S');
    assert.deepEqual(await push(), { kind: 'accepted', channelReference: null });
    const [asked, sent] = mixx.server.asked;
    assert.equal(asked?.body, 'username=malipo&password=a+password&grant_type=password');
    assert.equal(asked?.headers['cache-control'], 'no-cache');
    assert.equal(sent?.headers.authorization, 'bearer T1');
    assert.deepEqual([sent?.headers.username, sent?.headers.password], ['malipo', 'a password']);
    assert.equal(
      sent?.body,
      `{"CustomerMSISDN":"255654000001","BillerMSISDN":"255650000001","Amount":15000,"Remarks":"Shoes & more","ReferenceID":"${WIRE}"}`,
    );
  });

  it('writes a payout with its elements in the order of the network, and texts that cannot break out', async () => {
    const account = mixxAccount(mixx.server.url);
    const settings = { ...account, payout: { ...account.payout, senderName: 'A & B <shop>' } };
    mixx.channel = mixxChannelOf(mixxSettings.parse(settings));
    mixx.next = payoutAnswer('0');
    assert.deepEqual(await payOut(), { kind: 'accepted', channelReference: 'X1' });
    assert.equal(mixx.server.asked.length, 1, 'no token is asked for');
    assert.equal(mixx.server.asked[0]?.headers['content-type'], 'application/xml');
    assert.equal(
      mixx.server.asked[0]?.body.replaceAll('\n', ''),
      '<?xml version="1.0" encoding="UTF-8"?><COMMAND><TYPE>REQMFICI</TYPE><REFERENCEID>PO0123456789ABCDEF</REFERENCEID>' +
        '<MSISDN>255650000002</MSISDN><PIN>1357</PIN><MSISDN1>255654000001</MSISDN1><AMOUNT>15000</AMOUNT>' +
        '<SENDERNAME>A &amp; B &lt;shop&gt;</SENDERNAME><LANGUAGE1>EN</LANGUAGE1><BRAND_ID>1234</BRAND_ID></COMMAND>',
    );
  });

  it('writes the last two elements of a payout the other way round where that is set', async () => {
    const account = mixxAccount(mixx.server.url);
    const payout = { ...account.payout, order: 'BRAND_ID LANGUAGE1' };
    mixx.channel = mixxChannelOf(mixxSettings.parse({ ...account, payout }));
    mixx.next = payoutAnswer('0');
    await payOut();
    assert.match(mixx.server.asked[0]?.body ?? '', /<BRAND_ID>1234<\/BRAND_ID>\s*<LANGUAGE1>EN<\/LANGUAGE1>/);
  });

  it('calls a payout as the network does, and shows the token of pushes where that is asked for', async () => {
    const account = mixxAccount(mixx.server.url);
    const payout = { ...account.payout, type: 'REQMFCI', bearer: true };
    mixx.channel = mixxChannelOf(mixxSettings.parse({ ...account, payout }), undefined, 'front');
    let asked = 0;
    // The first token is refused, and the network has said that its gate stands in front: it is renewed, once.
    mixx.next = () => {
      asked += 1;
      return asked === 1 ? { status: 401, body: 'expired' } : payoutAnswer('0');
    };
    assert.deepEqual(await payOut(), { kind: 'accepted', channelReference: 'X1' });
    const sent = mixx.server.asked.filter(({ body }) => body.includes('<TYPE>REQMFCI</TYPE>'));
    assert.deepEqual(
      sent.map(({ headers }) => [headers.authorization, headers.username, headers.password]),
      [
        ['bearer T1', 'malipo', 'a password'],
        ['bearer T2', 'malipo', 'a password'],
      ],
    );
    mixx.token = () => ({ status: 503, body: '' });
    mixx.channel = mixxChannelOf(mixxSettings.parse({ ...account, payout }));
    assert.equal((await payOut())?.kind, 'not_sent', 'no token, no payout');
    assert.equal(asked, 2);
  });

  it('asks about a reference with a new one of at most 20 characters each time', async () => {
    mixx.next = statusAnswer({ TXNSTATUS: 'Pending', EXTERNALREFID: WIRE });
    await enquire('collection');
    await enquire('collection');
    const own = mixx.server.asked.map(({ body }) => /<REFERENCEID>(.*)<\/REFERENCEID>/.exec(body)?.[1] ?? '');
    assert.equal(new Set(own).size, 2);
    for (const reference of own) assert.match(reference, /^[A-Za-z0-9]{10,20}$/);
    assert.match(
      mixx.server.asked[0]?.body ?? '',
      new RegExp(`<PIN>1357</PIN>\\n<EXTERNALREFID>${WIRE}</EXTERNALREFID>`),
    );
  });

  for (const { code, outcome, failure_code } of codes.filter((row) => /^BILLER|^Debit|^Dup/.test(row.code)))
    it(`reads ${code} of a push as ${outcome} ${failure_code ?? ''}`, async () => {
      mixx.next = pushAnswer(code);
      const result = await push();
      const kinds: Record<string, string> = { pending: 'accepted', final: 'failed', setup: 'not_sent' };
      assert.equal(result?.kind, kinds[outcome] ?? 'unknown');
      if (result?.kind === 'failed') assert.equal(result.code, failure_code);
      if (result?.kind === 'unknown') assert.equal(result.seen, outcome === 'duplicate' ? true : undefined);
    });

  for (const { code, outcome, failure_code } of codes.filter((row) => /^\d+$/.test(row.code)))
    it(`reads TXNSTATUS ${code} of a payout as ${outcome} ${failure_code ?? ''}, with and without leading zeros`, async () => {
      for (const form of new Set([code, code.replace(/^0+(?=.)/, '')])) {
        mixx.next = payoutAnswer(form);
        const result = await payOut();
        const kinds: Record<string, string> = { success: 'accepted', final: 'failed', setup: 'not_sent' };
        assert.equal(result?.kind, kinds[outcome] ?? 'unknown', form);
        if (result?.kind === 'failed') assert.equal(result.code, failure_code);
      }
    });

  it('has read every code and state of the table', () => {
    const read = codes.filter(({ code }) => /^BILLER|^Debit|^Dup|^\d+$/.test(code)).length;
    const reversals = codes.filter(({ code }) => code.startsWith('RefundTransaction')).length;
    assert.equal(read + reversals, codes.length);
    assert.deepEqual(
      states.map(({ code }) => code),
      ['true', 'false', 'Posted', 'Declined', 'Refund', 'Refund Declined', 'Pending', '*'],
    );
  });

  it('decides nothing by codes that nobody knows, contradict their status or are about something else', async () => {
    const odd = [
      pushAnswer('BILLER-18-9999-E'),
      pushAnswer('BILLER-30-0000-S'),
      pushAnswer('BILLER-18-0000-S', { ResponseStatus: false }),
      pushAnswer('BILLER-18-3019-E', { ResponseStatus: true }),
      pushAnswer('BILLER-18-0000-S', { ReferenceID: 'SIMB0000000000000000' }),
      pushAnswer('BILLER-18-3019-E', { ReferenceID: 'SIMB0000000000000000' }),
      pushAnswer('BILLER-18-0000-S', { ResponseCode: 0 }),
      pushAnswer('BILLER-18-0000-S', { ResponseStatus: 2 }),
      { ...pushAnswer('BILLER-18-3019-E'), status: 500 },
      { ...pushAnswer('BILLER-18-3019-E'), status: 408 },
      { body: '[]' },
      { body: 'null' },
    ];
    for (const answer of odd) {
      mixx.next = answer;
      assert.equal((await push())?.kind, 'unknown', answer.body);
    }
    for (const answer of [
      payoutAnswer('99999'),
      payoutAnswer('-1'),
      payoutAnswer(''),
      payoutAnswer('0', 'PO1'),
      { ...payoutAnswer('60021'), status: 503 },
      { ...payoutAnswer('60021'), status: 408 },
      { body: `${payoutAnswer('60021').body}`.replace('<TXNID>', '<TXNSTATUS>0</TXNSTATUS><TXNID>') },
    ]) {
      mixx.next = answer;
      assert.equal((await payOut())?.kind, 'unknown', answer.body);
    }
  });

  it('reads a 401 of the application by its code, and sends nothing a second time', async () => {
    mixx.next = { ...pushAnswer('BILLER-18-0000-S'), status: 401 };
    assert.equal((await push())?.kind, 'accepted');
    assert.equal(mixx.server.asked.filter(({ path }) => path === MIXX_PATHS.push).length, 1);
    mixx.next = { ...payoutAnswer('0'), status: 401 };
    assert.equal((await payOut())?.kind, 'accepted');
    mixx.next = { ...payoutAnswer('100'), status: 401 };
    assert.equal((await payOut())?.kind, 'unknown');
    mixx.next = { status: 401, body: '{"error":"invalid_token"}' };
    assert.equal((await push())?.kind, 'not_sent');
    assert.equal((await payOut())?.kind, 'unknown');
  });

  it('reads "true" as text like true', async () => {
    mixx.next = pushAnswer('BILLER-18-0000-S', { ResponseStatus: 'True' });
    assert.equal((await push())?.kind, 'accepted');
  });

  for (const [what, answer] of Object.entries(broken))
    it(`knows nothing after ${what}`, async () => {
      mixx.next = answer;
      assert.equal((await push())?.kind, 'unknown');
      assert.equal((await payOut())?.kind, 'unknown');
      assert.equal((await enquire())?.kind, 'unknown');
      assert.deepEqual(await mixx.channel.lookupName?.(party, CALL), { kind: 'unknown' });
    });

  it('knows nothing after a time-out, and nothing was sent when the token did not come', async () => {
    mixx.next = () => new Promise(() => {});
    assert.equal((await push(SHORT))?.kind, 'unknown');
    assert.equal((await payOut(SHORT))?.kind, 'unknown');
    mixx.next = pushAnswer('BILLER-18-0000-S');
    for (const answer of [
      { status: 400, body: '{"error":"invalid_grant"}' },
      { status: 500 },
      { body: '{}' },
      { body: '{"access_token":"x"}' },
      { breaks: 'before' as const },
    ]) {
      mixx.token = () => answer;
      mixx.channel = mixxChannelOf(mixxSettings.parse(mixxAccount(mixx.server.url)));
      mixx.server.asked.length = 0;
      assert.equal((await push())?.kind, 'not_sent');
      assert.deepEqual(
        mixx.server.asked.map(({ path }) => path),
        [MIXX_PATHS.token],
      );
    }
  });
});
