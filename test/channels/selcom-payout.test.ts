import assert from 'node:assert/strict';
import table from '../../src/channels/selcom/codes.json' with { type: 'json' };
import {
  type Answer,
  itHears,
  itKnowsNothing,
  itReadsCodes,
  PAYOUT,
  type ScriptedAnswer,
} from './scripted.ts';
import { envelope, fieldsOf, nonsense, useSelcom } from './selcom/scripted-gateway.ts';

const FOUND = '0289999288';
const PROCESS = '/v1/qwiksend/process';
const ofPayout = { transid: PAYOUT };
const refusal = (code: string, more: object = ofPayout) => envelope(code, 'FAIL', more);
const at = (status: number, answer: ScriptedAnswer = { body: '' }): Answer => ({ status, ...answer });
const upstream = 'No response from upstream system';

describe('what the Selcom channel makes of an answer to a payout', () => {
  const gateway = useSelcom();
  const fields = () => gateway.asked[0] && fieldsOf(gateway.asked[0]);

  itKnowsNothing(gateway, ['payout', 'payout?'], nonsense);

  const words: Record<string, string> = { success: 'SUCCESS', pending: 'INPROGRESS', ambiguous: 'AMBIGUOUS' };
  const outcomeOf = new Map(table.codes.map(({ code, outcome }) => [code, outcome]));
  const answerOf = (code: string, more = {}) =>
    envelope(code, words[outcomeOf.get(code) ?? ''] ?? 'FAIL', more);
  const but = { success: `succeeded TZS 15000 ${FOUND}`, pending: `accepted ${FOUND}`, final: FOUND };
  itReadsCodes(gateway, 'payout', table.codes, { answerOf, but });
  // 412 says that the question was wrong.
  const answered = table.codes.filter(({ code }) => code !== '412');
  itReadsCodes(gateway, 'payout?', answered, {
    answerOf: (code) => answerOf(code, ofPayout),
    but: { ...but, setup: 'unknown login' },
  });

  const bare = { transid: null, reference: null };
  itHears(gateway, [
    // The money may have moved.
    ['payout', 'a refusal that nobody lists', refusal('738', {}), 'unknown'],
    ['payout', 'a repetition', refusal('409', {}), 'unknown seen'],
    ['payout', 'a refusal with 409', at(409, refusal('010', {})), 'unknown seen'],
    ['payout', 'a duplicate, by settings', refusal('738', {}), 'unknown seen', { duplicateCodes: ['738'] }],
    ['payout?', 'unclear, by settings', refusal('738'), 'unknown', { unclearCodes: ['738'] }],
    ['payout', '000 with PENDING', envelope('000', 'PENDING'), `accepted ${FOUND}`],
    ['payout?', '000 with PENDING', envelope('000', 'PENDING'), `accepted ${FOUND}`],
    // Nothing was processed where Selcom itself refuses our keys; of a page nobody knows.
    ['payout', 'refused keys', at(401, refusal('401', {})), 'not_sent login'],
    ['payout?', 'refused keys', at(401, refusal('401', {})), 'unknown login'],
    ['payout', 'an empty 401', at(401), 'unknown page'],
    ['payout?', 'an empty 401', at(401), 'unknown page'],
    ['payout', 'an empty 429', at(429), 'unknown page'],
    ['payout?', 'an empty 429', at(429), 'unknown page'],
    ['payout', 'a page with 403', at(403, { body: '<html>Forbidden</html>' }), 'unknown page'],
    ['payout?', 'a page with 403', at(403, { body: '<html>Forbidden</html>' }), 'unknown page'],
    // "No response from upstream": it is neither repeated nor failed.
    ['payout', '403 twice', at(403, refusal('403', {})), 'unknown'],
    ['payout?', '403 twice', at(403, refusal('403', {})), 'unknown'],
    ['payout', '403 whose code is a number', at(403, envelope(403, 'FAIL')), 'unknown'],
    ['payout', '403 without a word', at(403, envelope('403', null)), 'unknown'],
    ['payout', '403: code, sentence', at(403, { body: { resultcode: '403', message: upstream } }), 'unknown'],
    ['payout', '403: transid, sentence', at(403, { body: { ...ofPayout, message: upstream } }), 'unknown'],
    ['payout', 'a refusal with 408', at(408, refusal('403', {})), 'unknown'],
    ['payout', 'a success with 408', at(408, envelope('000', 'SUCCESS')), 'unknown'],
    // A refused question is no refused payout: only a refusal that names its transid is one.
    ['payout?', 'a refusal that names its transid', refusal('738'), `failed network_error ${FOUND}`],
    ['payout?', 'a refused question', refusal('738', {}), 'unknown'],
    ['payout?', 'a refused question of nulls', refusal('738', bare), 'unknown'],
    ['payout?', 'no response from upstream', refusal('403'), 'unknown'],
    ['payout?', 'a wrong question', refusal('412'), 'unknown'],
    ['payout?', 'a repetition', refusal('409'), 'unknown'],
    ['payout?', 'a success', envelope('000', 'SUCCESS', ofPayout), `succeeded TZS 15000 ${FOUND}`],
    ['payout?', '404', refusal('404'), `failed network_error ${FOUND}`],
    ['payout?', 'the code for not found', refusal('404'), 'not_found', { notFoundCodes: ['404'] }],
  ]);

  it('never takes the refusal of a later send for a failure: it may be a repeated transid', async () => {
    gateway.lay('payout', refusal('010', {}));
    assert.equal(await gateway.hear('payout', {}, { sendNumber: 2 }), 'unknown');
  });

  it('does not believe a success of an amount that nobody names', async () => {
    gateway.lay('payout?', envelope('000', 'SUCCESS', ofPayout));
    assert.match(await gateway.hear('payout?', {}, { amount: undefined }), /^unknown/);
  });

  it('sends what the page asks for, once, and signs it', async () => {
    gateway.lay('payout', envelope('111', 'INPROGRESS'));
    await gateway.hear('payout');
    assert.equal(gateway.asked.length, 1);
    const asked = {
      transid: PAYOUT,
      utilitycode: 'TPCASHIN',
      utilityref: '255754000001',
      amount: 15_000,
      vendor: 'FLOAT1',
      pin: '4321',
    };
    assert.deepEqual(fields(), asked);
    assert.equal(gateway.asked[0]?.headers['signed-fields'], Object.keys(asked).join(','));
  });

  it('lets Selcom route a network that has no code', async () => {
    gateway.lay('payout', envelope('111', 'INPROGRESS'));
    await gateway.hear('payout', { network: 'azampesa' });
    assert.equal(fields()?.utilitycode, 'CASHIN');
  });

  it('asks about a bank transfer where it was sent, and never elsewhere', async () => {
    gateway.lay(PROCESS, envelope('111', 'INPROGRESS'));
    gateway.lay('/v1/qwiksend/query', refusal('010'));
    const party = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '0150000000001', fullName: 'ASHA JUMA' };
    await gateway.hear('payout', { network: 'bank' }, { party });
    assert.equal(await gateway.hear('payout?', { network: 'bank' }), `failed invalid_account ${FOUND}`);
    assert.deepEqual([gateway.asked.length, gateway.sent('/v1/qwiksend/').length], [2, 2]);
    assert.deepEqual(fields(), {
      transid: PAYOUT,
      recipientFiCode: 'NMB',
      recipientAccount: '0150000000001',
      recipientName: 'ASHA JUMA',
      senderAccount: 'FLOAT1',
      senderName: 'MALIPO',
      amount: 15_000,
      vendor: 'FLOAT1',
      pin: '4321',
      msisdn: '255754000900',
      purpose: 'PAYMENT',
      remarks: 'Payment',
    });
  });

  const bank = { kind: 'bank', bic: 'MUOBTZTZ', accountNumber: '01', fullName: 'A' };
  for (const [what, settings, changes, expected] of [
    ['a bank that Selcom does not list', { network: 'bank' }, { party: bank }, 'failed bank_not_reachable -'],
    ['cents', {}, { amount: 1_500_050 }, 'failed amount_out_of_range -'],
    ['an account, of a network', {}, { party: bank }, 'not_sent'],
    ['no PIN', { floatPin: undefined }, {}, 'not_sent'],
    [
      'no sender',
      { network: 'bank', sender: undefined },
      { party: { ...bank, bic: 'NMIBTZTZ' } },
      'not_sent',
    ],
  ] as const)
    it(`sends nothing that cannot be paid: ${what}`, async () => {
      assert.equal(await gateway.hear('payout', settings, changes), expected);
      assert.deepEqual(gateway.asked, []);
    });

  it('names no receipt where the answer names none: the number of the acceptance is another one', async () => {
    for (const [more, expected] of [
      [{}, 'succeeded TZS 15000 -'],
      // Another field never stands in for it.
      [{ data: [{ receipt: 'R1' }] }, 'succeeded TZS 15000 - R1'],
    ] as const) {
      gateway.lay('payout?', envelope('000', 'SUCCESS', { reference: null, ...more }));
      assert.equal(await gateway.hear('payout?', {}, { channelReference: '0289' }), expected);
    }
  });
});
