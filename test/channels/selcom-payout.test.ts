import assert from 'node:assert/strict';
import table from '../../src/channels/selcom/codes.json' with { type: 'json' };
import { envelope, nonsense, openGateway, payout, type ScriptedGateway } from './selcom/scripted-gateway.ts';

const CASHIN = '/walletcashin/process';
const CASHIN_QUERY = '/walletcashin/query';

describe('what the Selcom channel makes of an answer to a payout', () => {
  let gateway: ScriptedGateway;
  beforeEach(async () => {
    gateway = await openGateway();
  });
  afterEach(() => gateway.close());

  for (const [what, answer] of nonsense)
    it(`does not know what to make of ${what}, sent or asked`, async () => {
      gateway.answers[CASHIN] = [answer];
      gateway.answers[CASHIN_QUERY] = [answer];
      assert.equal((await gateway.pay()).kind, 'unknown');
      assert.equal((await gateway.enquire(gateway.channelOf(), 'payout')).kind, 'unknown');
    });

  for (const row of table.codes)
    it(`reads ${row.code} as ${row.outcome}`, async () => {
      const word =
        { success: 'SUCCESS', pending: 'INPROGRESS', ambiguous: 'AMBIGUOUS' }[row.outcome] ?? 'FAIL';
      gateway.answers[CASHIN] = [envelope(row.code, word)];
      gateway.answers[CASHIN_QUERY] = [envelope(row.code, word, { transid: payout })];
      const sent = await gateway.pay();
      const asked = await gateway.enquire(gateway.channelOf(), 'payout');
      const expected = {
        success: ['succeeded', 'succeeded'],
        pending: ['accepted', 'accepted'],
        ambiguous: ['unknown', 'unknown'],
        // 412 says that the question was wrong.
        final: ['failed', row.code === '412' ? 'unknown' : 'failed'],
        setup: ['not_sent', 'unknown'],
      }[row.outcome];
      assert.deepEqual([sent.kind, asked.kind], expected);
      const code = 'payout' in row ? row.payout : 'failure_code' in row ? row.failure_code : undefined;
      if (sent.kind === 'failed') assert.equal(sent.code, code);
    });

  it('asks after a FAIL whose code nobody lists, or that HTTP 409 carries: the money may have moved', async () => {
    gateway.answers[CASHIN] = [envelope('738', 'FAIL')];
    assert.equal((await gateway.pay()).kind, 'unknown');
    for (const repeated of [envelope('409', 'FAIL'), { status: 409, ...envelope('010', 'FAIL') }]) {
      gateway.answers[CASHIN] = [repeated];
      const result = await gateway.pay();
      assert.ok(result.kind === 'unknown' && result.seen, 'it may have the transid');
    }
    gateway.answers[CASHIN] = [envelope('738', 'FAIL')];
    const careful = gateway.channelOf({ unclearCodes: ['738'] });
    gateway.answers[CASHIN_QUERY] = [envelope('738', 'FAIL', { transid: payout })];
    assert.equal((await gateway.enquire(careful, 'payout')).kind, 'unknown');
    const informed = gateway.channelOf({ duplicateCodes: ['738'] });
    const repeated = await gateway.pay(informed);
    assert.ok(repeated.kind === 'unknown' && repeated.seen, 'a duplicate shows that Selcom has it');
  });

  it('never takes the refusal of a later send for a failure: it may be a repeated transid', async () => {
    gateway.answers[CASHIN] = [envelope('010', 'FAIL')];
    assert.equal((await gateway.pay(undefined, { sendNumber: 2 })).kind, 'unknown');
  });

  it('takes 000 with PENDING for accepted, never for paid', async () => {
    gateway.answers[CASHIN] = [envelope('000', 'PENDING')];
    gateway.answers[CASHIN_QUERY] = [envelope('000', 'PENDING')];
    assert.equal((await gateway.pay()).kind, 'accepted');
    assert.equal((await gateway.enquire(gateway.channelOf(), 'payout')).kind, 'accepted');
  });

  it('knows that nothing was processed where Selcom itself refuses our keys, and of a page it does not', async () => {
    for (const [answer, kind] of [
      [{ status: 401, ...envelope('401', 'FAIL') }, 'not_sent'],
      [{ status: 401, body: '' }, 'unknown'],
      [{ status: 429, body: '' }, 'unknown'],
      [{ status: 403, body: '<html>Forbidden</html>' }, 'unknown'],
    ] as const) {
      gateway.answers[CASHIN] = [answer];
      gateway.answers[CASHIN_QUERY] = [answer];
      assert.equal((await gateway.pay()).kind, kind);
      assert.equal((await gateway.enquire(gateway.channelOf(), 'payout')).kind, 'unknown');
    }
  });

  it('neither repeats nor fails a payout that HTTP 403 explains with "no response from upstream"', async () => {
    const answer = { status: 403, ...envelope('403', 'FAIL') };
    gateway.answers[CASHIN] = [answer];
    gateway.answers[CASHIN_QUERY] = [answer];
    assert.equal((await gateway.pay()).kind, 'unknown');
    assert.equal((await gateway.enquire(gateway.channelOf(), 'payout')).kind, 'unknown');
  });

  it('never sends a payout again that a 403 of Selcom itself answers, though its envelope cannot be read', async () => {
    const odd = [
      envelope(403, 'FAIL'),
      envelope('403', null),
      { body: { resultcode: '403', message: 'No response from upstream system' } },
      { body: { transid: payout, message: 'No response from upstream system' } },
    ];
    for (const answer of odd) {
      gateway.answers[CASHIN] = [{ status: 403, ...answer }];
      assert.equal((await gateway.pay()).kind, 'unknown', JSON.stringify(answer));
    }
  });

  it('takes no time-out of HTTP for an answer, whatever its body says', async () => {
    for (const [code, word] of [
      ['403', 'FAIL'],
      ['000', 'SUCCESS'],
    ]) {
      gateway.answers[CASHIN] = [{ status: 408, ...envelope(code, word) }];
      assert.equal((await gateway.pay()).kind, 'unknown', code);
    }
  });

  it('takes a refused question for no refused payout: only a refusal that names its transid is one', async () => {
    const asked = async (answer: object) => {
      gateway.answers[CASHIN_QUERY] = [answer];
      return (await gateway.enquire(gateway.channelOf(), 'payout')).kind;
    };
    assert.equal(await asked(envelope('738', 'FAIL', { transid: payout })), 'failed');
    assert.equal(await asked(envelope('738', 'FAIL')), 'unknown');
    assert.equal(await asked(envelope('738', 'FAIL', { transid: null, reference: null })), 'unknown');
    assert.equal(
      await asked(envelope('403', 'FAIL', { transid: payout })),
      'unknown',
      'no response from upstream',
    );
    assert.equal(await asked(envelope('412', 'FAIL', { transid: payout })), 'unknown');
    assert.equal(await asked(envelope('409', 'FAIL', { transid: payout })), 'unknown');
  });

  it('sends what the page asks for, once, and signs it', async () => {
    gateway.answers[CASHIN] = [envelope('111', 'INPROGRESS')];
    await gateway.pay();
    assert.deepEqual(gateway.paths(), [CASHIN]);
    assert.deepEqual(gateway.seen[0]?.fields, {
      transid: payout,
      utilitycode: 'TPCASHIN',
      utilityref: '255654000001',
      amount: 15_000,
      vendor: 'FLOAT1',
      pin: '4321',
    });
    assert.equal(
      gateway.seen[0]?.headers['signed-fields'],
      'transid,utilitycode,utilityref,amount,vendor,pin',
    );
  });

  it('lets Selcom route a network that has no code', async () => {
    gateway.answers[CASHIN] = [envelope('111', 'INPROGRESS')];
    await gateway.pay(gateway.channelOf({}, 'azampesa'));
    assert.equal(gateway.seen[0]?.fields.utilitycode, 'CASHIN');
  });

  it('asks about a bank transfer where it was sent, and never elsewhere', async () => {
    gateway.answers['/qwiksend/process'] = [envelope('111', 'INPROGRESS')];
    gateway.answers['/qwiksend/query'] = [envelope('010', 'FAIL', { transid: payout })];
    const banks = gateway.channelOf({}, 'bank');
    const party = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '0150000000001', fullName: 'ASHA JUMA' };
    await gateway.pay(banks, { party });
    assert.deepEqual(await gateway.enquire(banks, 'payout'), {
      kind: 'failed',
      code: 'invalid_account',
      channelReference: '0289999288',
    });
    assert.deepEqual(gateway.paths(), ['/qwiksend/process', '/qwiksend/query']);
    assert.deepEqual(gateway.seen[0]?.fields, {
      transid: payout,
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
      remarks: 'Payout',
    });
  });

  it('sends nothing where the account cannot pay, or the amount is not whole', async () => {
    const bank = { kind: 'bank', bic: 'MUOBTZTZ', accountNumber: '01', fullName: 'A' };
    const unlisted = await gateway.pay(gateway.channelOf({}, 'bank'), { party: bank });
    assert.ok(unlisted.kind === 'failed' && unlisted.code === 'bank_not_reachable');
    const cents = await gateway.pay(undefined, { amount: 1_500_050 });
    assert.ok(cents.kind === 'failed' && cents.code === 'amount_out_of_range');
    assert.equal((await gateway.pay(undefined, { party: bank })).kind, 'not_sent');
    assert.equal((await gateway.pay(gateway.channelOf({ floatPin: undefined }))).kind, 'not_sent');
    const nobody = gateway.channelOf({ sender: undefined }, 'bank');
    assert.equal((await gateway.pay(nobody, { party: { ...bank, bic: 'NMIBTZTZ' } })).kind, 'not_sent');
    assert.deepEqual(gateway.paths(), []);
  });

  it('does not believe an answer about another transid, or a success of an unknown amount', async () => {
    gateway.answers[CASHIN] = [envelope('000', 'SUCCESS', { transid: 'POANOTHER' })];
    gateway.answers[CASHIN_QUERY] = [envelope('000', 'SUCCESS', { transid: 'POANOTHER' })];
    assert.equal((await gateway.pay()).kind, 'unknown');
    const channel = gateway.channelOf();
    assert.equal((await gateway.enquire(channel, 'payout')).kind, 'unknown');
    gateway.answers[CASHIN_QUERY] = [envelope('000', 'SUCCESS', { transid: payout })];
    assert.equal((await gateway.enquire(channel, 'payout')).kind, 'succeeded');
    assert.equal((await gateway.enquire(channel, 'payout', { amount: undefined })).kind, 'unknown');
  });

  it('names no receipt where the answer names none: the number of the acceptance is another one', async () => {
    const asked = async (more: object) => {
      gateway.answers[CASHIN_QUERY] = [envelope('000', 'SUCCESS', { reference: null, ...more })];
      const answer = await gateway.enquire(gateway.channelOf(), 'payout', { channelReference: '0289' });
      return answer.kind === 'succeeded'
        ? [answer.channelReference, ...(answer.alsoKnownAs ?? [])]
        : answer.kind;
    };
    assert.deepEqual(await asked({}), [null]);
    // Another field never stands in for it.
    assert.deepEqual(await asked({ data: [{ receipt: 'R1' }] }), [null, 'R1']);
  });

  it('believes "never seen" only by a code that the account names', async () => {
    gateway.answers[CASHIN_QUERY] = [envelope('404', 'FAIL', { transid: payout })];
    assert.equal((await gateway.enquire(gateway.channelOf(), 'payout')).kind, 'failed');
    const informed = gateway.channelOf({ notFoundCodes: ['404'] });
    assert.deepEqual(await gateway.enquire(informed, 'payout'), { kind: 'not_found' });
  });
});
