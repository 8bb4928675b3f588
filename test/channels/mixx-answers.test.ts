import assert from 'node:assert/strict';
import { MIXX_PATHS } from '../../sandbox/simulator/mixx/common.ts';
import table from '../../src/channels/mixx/codes.json' with { type: 'json' };
import { pick } from '../support/pick.ts';
import { paid, pushed, statusOf, TOKEN, useMixx, WIRE } from './mixx/scripted.ts';
import { type Answer, itHears, itKnowsNothing, itReadsCodes, order, PAYOUT, say } from './scripted.ts';

const { codes, states } = table;
const CALL = { timeoutMs: 2_000 };
const SUCCESS = 'BILLER-18-0000-S';
const REFUSAL = 'BILLER-18-3019-E';
const OTHER = { ReferenceID: 'SIMB0000000000000002' };
const unauthorized: Answer = { status: 401, body: { error: 'invalid_token' } };

describe('answers of Mixx', () => {
  const network = useMixx();

  it('writes a push as the client libraries do: their headers, a number, our reference behind the biller code', async () => {
    network.lay('push', pushed(SUCCESS));
    await say(network.channelOf(), 'push', { description: 'Shoes & more' });
    const [asked, sent] = network.asked;
    assert.equal(asked?.body, 'username=malipo&password=a+password&grant_type=password');
    assert.equal(asked?.headers['cache-control'], 'no-cache');
    assert.equal(sent?.headers.authorization, 'bearer T1');
    assert.deepEqual([sent?.headers.username, sent?.headers.password], ['malipo', 'a password']);
    assert.equal(
      sent?.body,
      `{"CustomerMSISDN":"255754000001","BillerMSISDN":"255650000001","Amount":15000,"Remarks":"Shoes & more","ReferenceID":"${WIRE}"}`,
    );
  });

  it('writes a payout with its elements in the order of the network, and texts that cannot break out', async () => {
    network.lay('payout', paid('0'));
    await network.hear('payout', { payout: { senderName: 'A & B <shop>' } });
    assert.equal(network.asked.length, 1, 'no token is asked for');
    assert.equal(network.asked[0]?.headers['content-type'], 'application/xml');
    assert.equal(
      network.asked[0]?.body.replaceAll('\n', ''),
      `<?xml version="1.0" encoding="UTF-8"?><COMMAND><TYPE>REQMFICI</TYPE><REFERENCEID>${PAYOUT}</REFERENCEID>` +
        '<MSISDN>255650000002</MSISDN><PIN>1357</PIN><MSISDN1>255754000001</MSISDN1><AMOUNT>15000</AMOUNT>' +
        '<SENDERNAME>A &amp; B &lt;shop&gt;</SENDERNAME><LANGUAGE1>EN</LANGUAGE1><BRAND_ID>1234</BRAND_ID></COMMAND>',
    );
    await network.hear('payout', { payout: { order: 'BRAND_ID LANGUAGE1' } });
    const set = /<BRAND_ID>1234<\/BRAND_ID>\s*<LANGUAGE1>EN<\/LANGUAGE1>/;
    assert.match(network.asked[1]?.body ?? '', set, 'the last two the other way round where that is set');
  });

  it('calls a payout as the network does, and shows the token of pushes where that is asked for', async () => {
    const payout = { type: 'REQMFCI', bearer: true };
    // The first token is refused, and the network has said that its gate stands in front: it is renewed, once.
    network.lay('payout', { status: 401, body: 'expired' }, paid('0'));
    assert.equal(await network.hear('payout', { payout, gate: 'front' }), 'accepted X1');
    assert.deepEqual(
      network
        .sent('payout')
        .map(({ body, headers }) => [
          body.includes('<TYPE>REQMFCI</TYPE>'),
          headers.authorization,
          headers.username,
          headers.password,
        ]),
      ['T1', 'T2'].map((token) => [true, `bearer ${token}`, 'malipo', 'a password']),
    );
    network.lay(TOKEN, { status: 503 });
    assert.match(await network.hear('payout', { payout }), /^not_sent/, 'no token, no payout');
    assert.equal(network.sent('payout').length, 2);
  });

  it('asks about a reference with a new one of at most 20 characters each time', async () => {
    network.lay('push?', statusOf({ TXNSTATUS: 'Pending', EXTERNALREFID: WIRE }));
    for (const _ of [1, 2]) assert.equal(await network.hear('push?'), 'accepted X1');
    const own = network.asked.map(({ body }) => /<REFERENCEID>(.*)<\/REFERENCEID>/.exec(body)?.[1] ?? '');
    assert.equal(new Set(own).size, 2);
    for (const reference of own) assert.match(reference, /^[A-Za-z0-9]{10,20}$/);
    const ours = `<PIN>1357</PIN>\n<EXTERNALREFID>${WIRE}</EXTERNALREFID>`;
    assert.ok(network.asked[0]?.body.includes(ours));
  });

  const ofPushes = codes.filter(({ code }) => /^BILLER|^Debit|^Dup/.test(code));
  const ofPayouts = codes.filter(({ code }) => /^\d+$/.test(code));
  itReadsCodes(network, 'push', ofPushes, { answerOf: pushed, but: { success: 'unknown' } });
  const but = { success: 'accepted X1', final: 'X1', pending: 'unknown', duplicate: 'unknown seen' };
  for (const answerOf of [paid, (code: string) => paid(code.replace(/^0+(?=.)/, ''))])
    itReadsCodes(network, 'payout', ofPayouts, { answerOf, but });

  it('has read every code and state of the table', () => {
    const reversals = codes.filter(({ code }) => code.startsWith('RefundTransaction'));
    assert.equal(ofPushes.length + ofPayouts.length + reversals.length, codes.length);
    const read = ['true', 'false', 'Posted', 'Declined', 'Refund', 'Refund Declined', 'Pending', '*'];
    assert.deepEqual(pick(states, 'code'), read);
  });

  const twoStates = paid('60021').body.replace('<TXNID>', '<TXNSTATUS>0</TXNSTATUS><TXNID>');
  itHears(network, [
    ['push', 'a code that nobody knows', pushed('BILLER-18-9999-E'), 'unknown'],
    ['push', 'a success of something else', pushed('BILLER-30-0000-S'), 'unknown'],
    ['push', 'a success that is false', pushed(SUCCESS, { ResponseStatus: false }), 'unknown'],
    ['push', 'a refusal that is true', pushed(REFUSAL, { ResponseStatus: true }), 'unknown'],
    ['push', 'a success of another one', pushed(SUCCESS, OTHER), 'unknown'],
    ['push', 'a refusal of another one', pushed(REFUSAL, OTHER), 'unknown'],
    ['push', 'a code that is a number', pushed(SUCCESS, { ResponseCode: 0 }), 'unknown'],
    ['push', 'a status of 2', pushed(SUCCESS, { ResponseStatus: 2 }), 'unknown'],
    ['push', 'a refusal with 500', { status: 500, ...pushed(REFUSAL) }, 'unknown'],
    ['push', 'a refusal with 408', { status: 408, ...pushed(REFUSAL) }, 'unknown'],
    ['push', 'a list', { body: [] }, 'unknown'],
    ['push', 'null', { body: null }, 'unknown'],
    ['push', 'a success with "True" as text', pushed(SUCCESS, { ResponseStatus: 'True' }), 'accepted -'],
    ['payout', 'a code that nobody knows', paid('99999'), 'unknown'],
    ['payout', 'a code below zero', paid('-1'), 'unknown'],
    ['payout', 'no code', paid(''), 'unknown'],
    ['payout', 'a success of another one', paid('0', 'PO1'), 'unknown'],
    ['payout', 'a refusal with 503', { status: 503, ...paid('60021') }, 'unknown'],
    ['payout', 'a refusal with 408', { status: 408, ...paid('60021') }, 'unknown'],
    ['payout', 'two states', { body: twoStates }, 'unknown'],
    ['payout', 'a success with 401', { status: 401, ...paid('0') }, 'accepted X1'],
    ['payout', 'an unclear code with 401', { status: 401, ...paid('100') }, 'unknown'],
    ['payout', 'a 401 that is none of the application', unauthorized, 'unknown page'],
    ['push', 'a 401 that is none of the application', unauthorized, 'not_sent page'],
  ]);

  it('reads a 401 of the application by its code, and sends nothing a second time', async () => {
    network.lay('push', { status: 401, ...pushed(SUCCESS) });
    assert.equal(await network.hear('push'), 'accepted -');
    assert.equal(network.sent('push').length, 1);
  });

  const sentence = 'Internal service error occurred. Please contact support for further details.';
  const command = '<COMMAND><TYPE>REQMFCI</TYPE><TXNSTATUS>0</TXNSTATUS>';
  const broken: [string, Answer][] = [
    ['no answer', { breaks: 'before' }],
    ['half an answer', { body: 'x'.repeat(100), breaks: 'within' }],
    ['a sentence', { body: sentence }],
    ['a sentence with 500', { status: 500, body: sentence }],
    ['HTML', { type: 'text/html', body: '<html><body><h1>502 Bad Gateway</h1></body></html>' }],
    ['nothing', {}],
    ['truncated JSON', { body: '{"ResponseCode":"BILLER-18-0000-S","ResponseSta' }],
    ['truncated XML', { body: command }],
    ['a document type', { body: `<!DOCTYPE x>${command}</COMMAND>` }],
    ['something long', { body: { ResponseCode: 'x'.repeat(40_000) } }],
    ['404', { status: 404, body: 'Not found' }],
  ];
  itKnowsNothing(network, ['push', 'payout', 'payout?'], broken);
  for (const [what, answer] of broken)
    it(`names nobody after ${what}`, async () => {
      network.lay(MIXX_PATHS.payout, answer);
      assert.deepEqual(await network.channelOf().lookupName?.(order.party, CALL), { kind: 'unknown' });
    });

  it('knows nothing after a time-out', async () => {
    for (const call of ['push', 'payout'] as const) {
      network.lay(call, { waits: new Promise(() => {}) });
      assert.equal((await say(network.channelOf(), call, {}, { timeoutMs: 300 })).kind, 'unknown');
    }
  });

  for (const [what, answer] of [
    ['400', { status: 400, body: { error: 'invalid_grant' } }],
    ['500', { status: 500 }],
    ['nothing', { body: {} }],
    ['one without its life', { body: { access_token: 'x' } }],
    ['a broken connection', { breaks: 'before' }],
  ] as const)
    it(`has sent nothing when the token did not come: ${what}`, async () => {
      network.lay(TOKEN, answer);
      assert.match(await network.hear('push'), /^not_sent/);
      assert.deepEqual([network.sent(TOKEN).length, network.asked.length], [1, 1]);
    });
});
