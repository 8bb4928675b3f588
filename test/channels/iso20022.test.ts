// tests: slow
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIso20022Channel } from '../../src/channels/iso20022/index.ts';
import { channelContract } from './contract.ts';
import { bankAccountOf } from './contract-flow.ts';
import {
  call,
  enquiry,
  money,
  openBank,
  order,
  reference,
  type ScriptedBank,
  secret,
  statusReport,
} from './iso20022/scripted-bank.ts';

const debtor = { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' };

channelContract({
  name: 'iso20022',
  direction: 'payout',
  partyOf: bankAccountOf,
  createChannel: ({ simulatorUrl }) =>
    createIso20022Channel({ url: simulatorUrl, secrets: [secret], debtor }),
  simulatorOptions: ({ publicUrl }) => ({ bank: { secret, callbackUrl: `${publicUrl}/channels/iso20022` } }),
  failures: {
    '019': 'recipient_limit_reached',
    '029': 'invalid_account',
    '039': 'account_blocked',
    '049': 'insufficient_float',
    '059': 'network_unavailable',
    '069': 'network_error',
  },
});

describe('the ISO 20022 channel, when it pays', () => {
  let bank: ScriptedBank;

  beforeEach(async () => {
    bank = await openBank();
  });

  afterEach(() => bank.close());

  it('signs the bytes it sends, in allowed letters, on the date of the bank', async () => {
    await bank.payAnswered(202, {});
    const [request] = bank.seen;
    assert.equal(request?.path, '/payments');
    assert.equal(request?.signed, true);
    assert.match(request?.body ?? '', /<Nm>Zoe Juma<\/Nm>/);
    assert.match(request?.body ?? '', /<Ustrd>Salary - January<\/Ustrd>/);
    assert.match(request?.body ?? '', /<ReqdExctnDt><Dt>2025-01-02<\/Dt>/);
    assert.match(request?.body ?? '', /<InstdAmt Ccy="TZS">50000\.00<\/InstdAmt>/);
  });

  it('gives every send a message id of its own and the same end-to-end id', async () => {
    await bank.payAnswered(202, {});
    await bank.pay({ sendNumber: 2 });
    const ids = bank.seen.map(({ body }) =>
      /<MsgId>(.*?)<\/MsgId>.*<EndToEndId>(.*?)<\/EndToEndId>/.exec(body),
    );
    assert.deepEqual(
      ids.map((id) => [id?.[1], id?.[2]]),
      [
        [`${reference}-1`, reference],
        [`${reference}-2`, reference],
      ],
    );
  });

  for (const status of ['RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACWC', 'ACSP', 'PART']) {
    it(`takes ${status} for accepted, never for paid`, async () => {
      const result = await bank.payAnswered(202, { status, money });
      assert.deepEqual(result, { kind: 'accepted', channelReference: 'BKREF1' });
    });
  }

  it('believes a success that says how much, and enquires after one that does not', async () => {
    assert.deepEqual(await bank.payAnswered(202, { status: 'ACSC', money }), {
      kind: 'succeeded',
      ...money,
      channelReference: 'BKREF1',
      fullName: null,
    });
    assert.equal((await bank.payAnswered(202, { status: 'ACSC' }))?.kind, 'accepted');
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
  for (const [reason, code] of Object.entries(refusals)) {
    it(`takes RJCT ${reason} for ${code}, in the answer and in an enquiry`, async () => {
      const expected = { kind: 'failed', code, channelReference: 'BKREF1' };
      assert.deepEqual(
        await bank.payAnswered(400, { status: 'RJCT', groupStatus: 'RJCT', reasons: [reason] }),
        expected,
      );
      assert.deepEqual(await bank.enquireAnswered(200, { status: 'RJCT', reasons: [reason] }), expected);
    });
  }

  it('takes a refusal of the whole message that names our message for a failure', async () => {
    const whole = {
      groupStatus: 'RJCT',
      reference: null,
      status: null,
      reasons: ['FF01'],
      bankReference: null,
    };
    assert.deepEqual(await bank.payAnswered(400, whole), {
      kind: 'failed',
      code: 'network_error',
      channelReference: null,
    });
    assert.equal((await bank.payAnswered(400, { ...whole, originalMessageId: 'ANOTHER' }))?.kind, 'unknown');
  });

  it('takes a cancellation for a failure', async () => {
    const result = await bank.payAnswered(202, { status: 'CANC' });
    assert.deepEqual(result, { kind: 'failed', code: 'cancelled', channelReference: 'BKREF1' });
  });

  for (const reason of ['AM05', 'DUPL', 'AB05', 'AB06', 'TM01']) {
    it(`does not take RJCT ${reason} for a failure`, async () => {
      assert.equal(
        (await bank.payAnswered(400, { status: 'RJCT', groupStatus: 'RJCT', reasons: [reason] }))?.kind,
        'unknown',
      );
    });
  }

  it('knows that nothing was processed when our set-up or signature was refused', async () => {
    assert.equal((await bank.payAnswered(400, { status: 'RJCT', reasons: ['DNOR'] }))?.kind, 'not_sent');
    for (const status of [401, 403, 429]) {
      bank.answer = { status };
      assert.equal((await bank.pay())?.kind, 'not_sent');
    }
  });

  it('knows nothing after a 5xx, even one with a refusal in it', async () => {
    assert.equal((await bank.payAnswered(500, { status: 'RJCT', reasons: ['AC01'] }))?.kind, 'unknown');
  });

  it('knows nothing after an answer that is unreadable, about another payment or in an unknown state', async () => {
    bank.answer = { status: 202, body: 'thank you' };
    assert.equal((await bank.pay())?.kind, 'unknown');
    bank.answer = { status: 400, body: '<html>Bad Request</html>' };
    assert.equal((await bank.pay())?.kind, 'unknown');
    const another = { reference: 'POANOTHERONE0000000', status: 'RJCT', reasons: ['AC01'] };
    assert.equal((await bank.payAnswered(202, another))?.kind, 'unknown');
    assert.equal((await bank.payAnswered(202, { status: 'WHAT' }))?.kind, 'unknown');
  });

  const spoilt = {
    none: null,
    'another secret': { secret: 'a secret of somebody' },
    'another status': { status: 202 },
    'another path': { path: '/verifications' },
    'another request': { request: 't=1,v1=00' },
    'an old time': { at: Date.parse('2025-01-01T22:24:00Z') },
    'a time to come': { at: Date.parse('2025-01-01T22:36:00Z') },
  };
  for (const [name, sign] of Object.entries(spoilt)) {
    it(`knows nothing after an answer whose signature has ${name}: a refusal, a success, a refused signature`, async () => {
      const refusal = statusReport({ status: 'RJCT', reasons: ['AC01'] });
      const success = statusReport({ status: 'ACSC', money });
      for (const [status, body] of [
        [400, refusal],
        [200, success],
        [401, ''],
        [403, ''],
        [429, ''],
      ] as const) {
        bank.answer = { status, body, sign };
        assert.equal((await bank.pay())?.kind, 'unknown', `${status}`);
        assert.equal((await bank.channel.enquire(enquiry, call)).kind, 'unknown', `${status}`);
      }
      bank.answer = { status: 400, body: refusal };
      assert.equal((await bank.pay())?.kind, 'failed');
    });
  }

  it('knows that nothing was sent when nobody listens', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const settings = { secrets: [secret], debtor: { name: 'M', account: '01000', bic: 'CORUTZTZ' } };
    const nobody = createIso20022Channel({ ...settings, url: `http://127.0.0.1:${port}` });
    assert.equal((await nobody.requestPayout?.(order, call))?.kind, 'not_sent');
    assert.equal((await nobody.enquire(enquiry, call)).kind, 'unknown');
    assert.deepEqual(await nobody.lookupName?.(order.party, call), { kind: 'unknown' });
  });

  it('never sends a wallet to the bank, nor a name of which no letter arrives there', async () => {
    const nameless = { ...bankAccountOf('000'), fullName: '\u5f20\u4f1f' } as typeof order.party;
    for (const party of [{ kind: 'wallet', msisdn: '255754000001' } as const, nameless])
      assert.equal((await bank.pay({ party }))?.kind, 'not_sent');
    assert.equal(bank.seen.length, 0);
  });
});
