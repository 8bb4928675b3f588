import assert from 'node:assert/strict';

import { channelCode } from '../../src/channels/kit/codes.ts';
import { table } from '../../src/channels/vodacom-openapi/translate.ts';
import {
  AMOUNT,
  CONVERSATION,
  call,
  order,
  paid,
  type Reply,
  said,
  scriptedVodacom,
} from './vodacom-openapi/scripted.ts';

describe('answers of the vodacom openapi', () => {
  const vodacom = scriptedVodacom();

  it('asks with the fields of the protocol, text that the API takes, and an amount as text', async () => {
    const result = await vodacom.push(vodacom.channelOf('synchronous'), paid);
    assert.deepEqual(result, {
      kind: 'succeeded',
      amount: AMOUNT,
      currency: 'TZS',
      channelReference: 'R1',
      fullName: null,
    });
    assert.equal(vodacom.asked[0]?.url, '/openapi/ipg/v2/vodacomTZN/c2bPayment/singleStage/');
    assert.deepEqual(JSON.parse(vodacom.asked[0]?.body ?? ''), {
      input_Amount: '15000',
      input_Country: 'TZN',
      input_Currency: 'TZS',
      input_CustomerMSISDN: '255754000001',
      input_ServiceProviderCode: '000000',
      input_ThirdPartyConversationID: CONVERSATION,
      input_TransactionReference: 'PY0000000000000001',
      input_PurchasedItemsDesc: 'Payment PY 1  for  shoes',
    });
  });

  it('takes INS-0 for paid only from a synchronous application, and only with a transaction id', async () => {
    assert.equal((await vodacom.push(vodacom.channelOf('asynchronous'), paid))?.kind, 'accepted');
    const none = [
      {},
      { output_TransactionID: '' },
      { output_TransactionID: 'N/A' },
      { output_TransactionID: null },
    ];
    for (const more of none)
      assert.equal(
        (await vodacom.push(vodacom.channelOf('synchronous'), said('INS-0', 201, more)))?.kind,
        'accepted',
      );
  });

  it('reads every code of the table, whatever its HTTP status, for both directions', async () => {
    const channel = vodacom.channelOf('synchronous', { sessionErrorCodes: [] });
    for (const { code } of table.codes) {
      if (code === 'INS-0') continue;
      for (const direction of ['collection', 'payout'] as const) {
        vodacom.replies = [said(code, code === 'INS-6' ? 401 : 400)];
        const result =
          direction === 'collection'
            ? await channel.requestPush?.(order, call)
            : await channel.requestPayout?.({ ...order, sendNumber: 1 }, call);
        const meaning = channelCode(table, code, direction);
        const kind =
          meaning?.outcome === 'final' ? 'failed' : meaning?.outcome === 'setup' ? 'not_sent' : 'unknown';
        assert.equal(result?.kind, kind, code);
        if (result?.kind === 'failed') assert.equal(result.code, meaning?.failureCode, code);
        assert.equal('seen' in (result ?? {}), code === 'INS-10', code);
      }
    }
  });

  it('reads a refusal whose other members are null', async () => {
    const nothing = { output_TransactionID: null, output_ConversationID: null, output_ResponseDesc: null };
    const result = await vodacom.push(vodacom.channelOf('synchronous'), said('INS-2006', 422, nothing));
    assert.ok(result?.kind === 'failed' && result.code === 'insufficient_funds');
  });

  it('says of INS-992 to INS-994 that an operator must look, and takes a new session', async () => {
    for (const code of ['INS-992', 'INS-993', 'INS-994']) {
      const channel = vodacom.channelOf('synchronous');
      const result = await vodacom.push(channel, said(code), paid);
      assert.ok(result?.kind === 'not_sent' && result.detail.includes('an operator must look'), code);
      assert.equal((await channel.requestPush?.(order, call))?.kind, 'succeeded');
      assert.notEqual(vodacom.asked.at(-1)?.bearer, vodacom.asked.at(-2)?.bearer);
    }
    assert.equal(vodacom.sessions, 6);
  });

  const unclear: [string, Reply][] = [
    ['a broken connection', { break: true }],
    ['a 5xx with a code', said('INS-6', 500)],
    ['a 5xx with the code of a refused session', said('INS-2', 500)],
    ['a page of HTML', { status: 502, text: '<html>Bad Gateway</html>' }],
    ['truncated JSON', { status: 201, text: '{"output_ResponseCode":"INS-0"' }],
    [
      'a number where text belongs',
      { status: 201, json: { output_ResponseCode: 0, output_TransactionID: 'R' } },
    ],
    ['an empty body', { status: 201, text: '' }],
    ['a code that nobody knows', said('INS-4711')],
    [
      'a success about another request',
      said('INS-0', 201, { output_ThirdPartyConversationID: 'x', output_TransactionID: 'R' }),
    ],
    ['a success with a refusing status', said('INS-0', 409, { output_TransactionID: 'R' })],
    [
      'an error of the gateway that says nothing',
      { status: 400, json: { output_error: 'Something is wrong' } },
    ],
    [
      'an error of the gateway about an original transaction, which is no origin',
      { status: 400, json: { output_error: 'The original transaction is in progress' } },
    ],
  ];
  for (const [what, answer] of unclear)
    it(`calls ${what} unknown, and never sends again`, async () => {
      const result = await vodacom.push(vodacom.channelOf('synchronous'), answer, paid);
      assert.ok(result?.kind === 'unknown' && !result.seen, JSON.stringify(result));
      assert.equal(vodacom.asked.length, 1);
    });

  it('knows that nothing was processed when its origin is refused', async () => {
    const result = await vodacom.push(vodacom.channelOf('synchronous'), {
      status: 401,
      json: { output_error: 'Origin not allowed' },
    });
    assert.equal(result?.kind, 'not_sent');
    assert.equal(vodacom.asked.length, 1);
  });
});
