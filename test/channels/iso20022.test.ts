// tests: slow
import assert from 'node:assert/strict';
import { createIso20022Channel } from '../../src/channels/iso20022/index.ts';
import { channelContract } from './contract.ts';
import { bankAccountOf } from './contract-flow.ts';
import {
  type Changes,
  isSigned,
  money,
  reference,
  reports,
  secret,
  signed,
  statusReport,
  TIME,
  useBank,
} from './iso20022/scripted-bank.ts';
import { itHears, type Row, say } from './scripted.ts';

const debtor = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };

channelContract({
  name: 'iso20022',
  direction: 'payout',
  partyOf: bankAccountOf,
  createChannel: ({ simulatorUrl }) =>
    createIso20022Channel({ url: simulatorUrl, secrets: [secret], debtor }),
  simulatorOptions: ({ publicUrl }) => ({ bank: { secret, callbackUrl: `${publicUrl}/channels/iso20022` } }),
  names: true,
  failures: {
    '019': 'recipient_limit_reached',
    '029': 'invalid_account',
    '039': 'account_blocked',
    '049': 'insufficient_float',
    '059': 'network_unavailable',
    '069': 'network_error',
  },
});

const refusals: Record<string, string> = {
  AC01: 'invalid_account',
  AC03: 'invalid_account',
  AC04: 'account_closed',
  AC06: 'account_blocked',
  AG01: 'account_blocked',
  AM02: 'amount_out_of_range',
  AM04: 'insufficient_float',
  AM09: 'amount_out_of_range',
  AM12: 'amount_out_of_range',
  AM13: 'amount_out_of_range',
  AM14: 'recipient_limit_reached',
  AB08: 'network_unavailable',
  AB09: 'network_error',
  BE01: 'name_mismatch',
  CNOR: 'bank_not_reachable',
  RC01: 'bank_not_reachable',
  RC04: 'bank_not_reachable',
  MS02: 'network_error',
  MS03: 'network_error',
  NARR: 'network_error',
  FF01: 'network_error',
  ZZ99: 'network_error',
};
const refused = (...reasons: string[]): Changes => ({ status: 'RJCT', groupStatus: 'RJCT', reasons });
const paid: Changes = { status: 'ACSC', money };
const ofWhole: Changes = { ...refused('FF01'), reference: null, status: null, bankReference: null };
const ofAnother = { ...refused('AC01'), reference: 'POANOTHERONE0000000' };

describe('the ISO 20022 channel, when it pays', () => {
  const bank = useBank();

  it('signs the bytes it sends, in allowed letters, on the date of the bank', async () => {
    bank.lay('payout', reports(202, {}));
    await bank.hear('payout');
    const [request] = bank.asked;
    assert.deepEqual([request?.path, request && isSigned(request)], ['/payments', true]);
    assert.match(request?.body ?? '', /<Nm>Zoe Juma<\/Nm>/);
    assert.match(request?.body ?? '', /<Ustrd>Salary - January<\/Ustrd>/);
    assert.match(request?.body ?? '', /<ReqdExctnDt><Dt>2025-01-02<\/Dt>/);
    assert.match(request?.body ?? '', /<InstdAmt Ccy="TZS">15000\.00<\/InstdAmt>/);
  });

  it('gives every send a message id of its own and the same end-to-end id', async () => {
    bank.lay('payout', reports(202, {}));
    for (const sendNumber of [1, 2]) await bank.hear('payout', {}, { sendNumber });
    const ids = bank.asked.map(({ body }) =>
      /<MsgId>(.*?)<\/MsgId>.*<EndToEndId>(.*?)<\/EndToEndId>/.exec(body)?.slice(1),
    );
    assert.deepEqual(
      ids,
      [1, 2].map((send) => [`${reference}-${send}`, reference]),
    );
  });

  itHears(bank, [
    ...['RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACWC', 'ACSP', 'PART'].map(
      (status): Row => ['payout', `${status} stays open`, reports(202, { status, money }), 'accepted BKREF1'],
    ),
    ['payout', 'a success that says how much', reports(202, paid), 'succeeded TZS 50000 BKREF1'],
    ['payout', 'a success that does not', reports(202, { status: 'ACSC' }), 'accepted BKREF1'],
    ...Object.entries(refusals).flatMap(([reason, code]): Row[] => [
      ['payout', `RJCT ${reason}`, reports(400, refused(reason)), `failed ${code} BKREF1`],
      [
        'payout?',
        `RJCT ${reason}`,
        reports(200, { ...refused(reason), groupStatus: null }),
        `failed ${code} BKREF1`,
      ],
    ]),
    ['payout', 'a refusal of our whole message', reports(400, ofWhole), 'failed network_error -'],
    ['payout', 'of another message', reports(400, { ...ofWhole, originalMessageId: 'ANOTHER' }), 'unknown'],
    ['payout', 'a cancellation', reports(202, { status: 'CANC' }), 'failed cancelled BKREF1'],
    ...['AM05', 'DUPL', 'AB05', 'AB06', 'TM01'].map(
      (reason): Row => ['payout', `RJCT ${reason}`, reports(400, refused(reason)), 'unknown seen'],
    ),
    ['payout', 'a refused set-up', reports(400, { status: 'RJCT', reasons: ['DNOR'] }), 'not_sent login'],
    ['payout', 'a refused signature', signed(401), 'not_sent login'],
    ['payout', 'a forbidden one', signed(403), 'not_sent login'],
    ['payout', 'too many', signed(429), 'not_sent login'],
    ['payout', 'a refusal with 500', reports(500, { status: 'RJCT', reasons: ['AC01'] }), 'unknown'],
    ['payout', 'words', signed(202, 'thank you'), 'unknown'],
    ['payout', 'a page', signed(400, '<html>Bad Request</html>'), 'unknown'],
    ['payout', 'a refusal of another one', reports(202, ofAnother), 'unknown'],
    ['payout', 'a state that nobody knows', reports(202, { status: 'WHAT' }), 'unknown seen'],
  ]);

  const refusal = statusReport({ status: 'RJCT', reasons: ['AC01'] });
  const spoilt = {
    'no signature': null,
    'a signature with another secret': { secret: 'a secret of somebody' },
    'a signature of another status': { status: 202 },
    'a signature of another path': { path: '/verifications' },
    'a signature for another request': { request: 't=1,v1=00' },
    'a signature of an old time': { at: TIME - 6 * 60_000 },
    'a signature of a time to come': { at: TIME + 6 * 60_000 },
  };
  for (const [name, sign] of Object.entries(spoilt))
    it(`knows nothing after an answer with ${name}: a refusal, a success, a refused signature`, async () => {
      for (const [status, body] of [
        [400, refusal],
        [200, statusReport(paid)],
        [401, ''],
        [403, ''],
        [429, ''],
      ] as const)
        for (const call of ['payout', 'payout?'] as const) {
          bank.lay(call, signed(status, body, sign));
          assert.match(await bank.hear(call), /^unknown/, `${status}`);
        }
      bank.lay('payout', signed(400, refusal));
      assert.equal(await bank.hear('payout'), 'failed invalid_account BKREF1');
    });

  it('knows that nothing was sent when nobody listens', async () => {
    const nobody = createIso20022Channel({ url: 'http://127.0.0.1:1', secrets: [secret], debtor });
    const party = bankAccountOf('000');
    assert.equal((await say(nobody, 'payout', { party })).kind, 'not_sent');
    assert.equal((await say(nobody, 'payout?')).kind, 'unknown');
    assert.deepEqual(await nobody.lookupName?.(party, { timeoutMs: 1_000 }), { kind: 'unknown' });
  });

  it('never sends a wallet to the bank, nor a name of which no letter arrives there', async () => {
    const nameless = { ...bankAccountOf('000'), fullName: '\u5f20\u4f1f' };
    for (const party of [{ kind: 'wallet', msisdn: '255754000001' }, nameless])
      assert.equal(await bank.hear('payout', {}, { party }), 'not_sent');
    assert.equal(bank.asked.length, 0);
  });
});
