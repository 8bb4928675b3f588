import assert from 'node:assert/strict';
import { channelCode } from '../../src/channels/kit/codes.ts';
import { table } from '../../src/channels/vodacom-openapi/translate.ts';
import { type Answer, heard, itHears, itKnowsNothing, itReadsCodes, PUSH, say } from './scripted.ts';
import { CONVERSATION, paid, SESSION, said, useVodacom } from './vodacom-openapi/scripted.ts';

const ASYNCHRONOUS = { mode: 'asynchronous' };
const withError = (output_error: string, status = 400): Answer => ({ status, body: { output_error } });
const ofAnother = { output_ThirdPartyConversationID: 'x', output_TransactionID: 'R' };
const nothing = { output_TransactionID: null, output_ConversationID: null, output_ResponseDesc: null };

describe('answers of the vodacom openapi', () => {
  const network = useVodacom();

  it('asks with the fields of the protocol, text that the API takes, and an amount as text', async () => {
    network.lay('push', paid);
    const result = await say(network.channelOf(), 'push', { description: 'Payment PY-1, for "shoes"' });
    assert.equal(heard(result), 'succeeded TZS 15000 R1');
    const [asked] = network.sent('push');
    assert.equal(asked?.path, '/openapi/ipg/v2/vodacomTZN/c2bPayment/singleStage/');
    assert.deepEqual(JSON.parse(asked?.body ?? ''), {
      input_Amount: '15000',
      input_Country: 'TZN',
      input_Currency: 'TZS',
      input_CustomerMSISDN: '255754000001',
      input_ServiceProviderCode: '000000',
      input_ThirdPartyConversationID: CONVERSATION,
      input_TransactionReference: PUSH,
      input_PurchasedItemsDesc: 'Payment PY 1  for  shoes',
    });
  });

  itHears(network, [
    ['push', 'a success of an asynchronous application', paid, 'accepted -', ASYNCHRONOUS],
    ...[undefined, '', 'N/A', null].map(
      (id) =>
        ['push', `success of ${id}`, said('INS-0', 201, { output_TransactionID: id }), 'accepted -'] as const,
    ),
    ['push', 'a refusal of nulls', said('INS-2006', 422, nothing), 'failed insufficient_funds -'],
    ['push', 'a refused origin', withError('Origin not allowed', 401), 'not_sent login'],
  ]);

  for (const call of ['push', 'payout'] as const) {
    const rows = table.codes.filter(({ code }) => code !== 'INS-0');
    const meant = rows.map((row) => {
      const meaning = channelCode(table, row.code, call === 'push' ? 'collection' : 'payout');
      return { ...row, ...(meaning?.failureCode && { failure_code: meaning.failureCode }) };
    });
    const answerOf = (code: string) => said(code, code === 'INS-6' ? 401 : 400);
    itReadsCodes(network, call, meant, { answerOf, settings: { sessionErrorCodes: [] } });
  }

  it('says of INS-992 to INS-994 that an operator must look, and takes a new session', async () => {
    for (const code of ['INS-992', 'INS-993', 'INS-994']) {
      network.asked.length = 0;
      const channel = network.channelOf();
      network.lay('push', said(code), paid);
      const result = await say(channel, 'push');
      assert.ok(result.kind === 'not_sent' && result.detail.includes('an operator must look'), code);
      assert.equal((await say(channel, 'push')).kind, 'succeeded');
      assert.equal(network.sent(SESSION).length, 2);
      const bearers = network.sent('push').map(({ headers }) => headers.authorization);
      assert.equal(new Set(bearers).size, 2);
    }
  });

  itKnowsNothing(
    network,
    ['push'],
    [
      ['a broken connection', { breaks: 'before' }],
      ['a 5xx with a code', said('INS-6', 500)],
      ['a 5xx with the code of a refused session', said('INS-2', 500)],
      ['a page of HTML', { status: 502, body: '<html>Bad Gateway</html>' }],
      ['truncated JSON', { status: 201, body: '{"output_ResponseCode":"INS-0"' }],
      ['a number for a text', { status: 201, body: { output_ResponseCode: 0, output_TransactionID: 'R' } }],
      ['an empty body', { status: 201 }],
      ['a code that nobody knows', said('INS-4711')],
      ['a success about another request', said('INS-0', 201, ofAnother)],
      ['a success with a refusing status', said('INS-0', 409, { output_TransactionID: 'R' })],
      ['an error of the gateway that says nothing', withError('Something is wrong')],
      ['an original transaction, which is no origin', withError('The original transaction is in progress')],
    ],
  );
});
