import assert from 'node:assert/strict';
import { writePaymentReturn } from '../../src/channels/iso20022/wire.ts';
import { signRequest } from '../../src/channels/kit/signature.ts';
import type { RawNotification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import {
  type Changes,
  call,
  enquiry,
  money,
  openBank,
  reference,
  type ScriptedBank,
  secret,
  statusReport,
} from './iso20022/scripted-bank.ts';
import { rawOf } from './raw.ts';

describe('the ISO 20022 channel', () => {
  let bank: ScriptedBank;

  beforeEach(async () => {
    bank = await openBank();
  });

  afterEach(() => bank.close());

  describe('when it enquires', () => {
    it('asks by its reference and signs the empty body', async () => {
      await bank.enquireAnswered(200, { status: 'PDNG' });
      assert.deepEqual(bank.seen, [
        { method: 'GET', path: `/payments/${reference}`, signed: true, body: '' },
      ]);
    });

    it('reports a success with its amount as the bank says it', async () => {
      const result = await bank.enquireAnswered(200, {
        status: 'ACCC',
        money: { amount: minor(6_000_001), currency: 'USD' },
      });
      assert.deepEqual(result, {
        kind: 'succeeded',
        amount: 6_000_001,
        currency: 'USD',
        channelReference: 'BKREF1',
        fullName: null,
      });
    });

    it('does not believe a success without an amount, nor one about another payment or a whole message', async () => {
      assert.equal((await bank.enquireAnswered(200, { status: 'ACSC' })).kind, 'unknown');
      assert.equal(
        (await bank.enquireAnswered(200, { status: 'ACSC', money, reference: 'POOTHER' })).kind,
        'unknown',
      );
      const whole = { groupStatus: 'ACSC', status: null, reference: null };
      assert.equal((await bank.enquireAnswered(200, whole)).kind, 'unknown');
    });

    it('takes a signed 404 that names the reference for never received, and only that', async () => {
      bank.answer = { status: 404, body: reference };
      assert.deepEqual(await bank.channel.enquire(enquiry, call), { kind: 'not_found' });
      bank.answer = { status: 404, body: 'POOTHER' };
      assert.equal((await bank.channel.enquire(enquiry, call)).kind, 'unknown');
      bank.answer = { status: 404, body: reference, sign: null };
      assert.equal((await bank.channel.enquire(enquiry, call)).kind, 'unknown', 'a proxy that lost its way');
      bank.answer = { status: 404 };
      assert.equal((await bank.channel.enquire(enquiry, call)).kind, 'unknown');
      for (const status of [200, 400, 401, 410, 500, 503]) {
        bank.answer = { status };
        assert.equal((await bank.channel.enquire(enquiry, call)).kind, 'unknown');
      }
    });

    for (const reason of ['AB05', 'AB06']) {
      it(`takes RJCT ${reason} for a failure when a later enquiry says it again, of the same payment`, async () => {
        const once = { status: 'RJCT', reasons: [reason] };
        assert.equal((await bank.enquireAnswered(200, once)).kind, 'unknown');
        const other = { ...enquiry, reference: 'POOTHER' };
        bank.answer = { status: 200, body: statusReport({ ...once, reference: 'POOTHER' }) };
        assert.equal((await bank.channel.enquire(other, call)).kind, 'unknown');
        assert.deepEqual(await bank.enquireAnswered(200, once), {
          kind: 'failed',
          code: 'network_unavailable',
          channelReference: 'BKREF1',
        });
      });
    }

    it('believes the success that follows a time-out further on', async () => {
      assert.equal((await bank.enquireAnswered(200, { status: 'RJCT', reasons: ['AB05'] })).kind, 'unknown');
      assert.equal((await bank.enquireAnswered(200, { status: 'ACSC', money })).kind, 'succeeded');
    });

    it('takes RJCT TM01 for a failure only when it is said again a day later', async () => {
      const late = { status: 'RJCT', reasons: ['TM01'] };
      assert.equal((await bank.enquireAnswered(200, late)).kind, 'unknown');
      bank.time += 23 * 60 * 60 * 1000;
      assert.equal((await bank.enquireAnswered(200, late)).kind, 'unknown');
      bank.time += 60 * 60 * 1000;
      assert.equal((await bank.enquireAnswered(200, late)).kind, 'failed');
    });

    it('knows that the bank has what it says anything about, though nothing is sure', async () => {
      for (const said of [
        { status: 'RJCT', reasons: ['AB05'] },
        { status: 'RJCT', reasons: ['AM05'] },
        { status: 'ACSC', money: null },
        { status: 'PARKED' },
      ])
        assert.ok('seen' in (await bank.enquireAnswered(200, said)), said.status);
      bank.answer = { status: 503 };
      assert.ok(!('seen' in (await bank.channel.enquire(enquiry, call))));
    });

    it('takes no RJCT of one reason for the confirmation of another', async () => {
      assert.equal((await bank.enquireAnswered(200, { status: 'RJCT', reasons: ['AB05'] })).kind, 'unknown');
      bank.time += 24 * 60 * 60 * 1000;
      assert.equal((await bank.enquireAnswered(200, { status: 'RJCT', reasons: ['TM01'] })).kind, 'unknown');
    });
  });

  describe('when it is notified', () => {
    const signed = (body: string, changes: { path?: string; method?: string; at?: number } = {}) => {
      const { at = bank.time, ...rest } = changes;
      const message = { method: 'POST', path: '/channels/iso20022', body, ...rest };
      return signRequest(message, { secrets: [secret], now: new Date(at) });
    };
    const raw = (body: string, signature = signed(body)): RawNotification =>
      rawOf(body, { headers: { 'x-signature': signature } });
    const told = (changes: Changes) => bank.channel.translateNotification(raw(statusReport(changes)));

    it('verifies the signature over time, method, path and raw bytes', () => {
      const body = statusReport({});
      const proves = (signature: string) => bank.channel.verifyNotification(raw(body, signature));
      assert.equal(bank.channel.verifyNotification(raw(body)), true);
      assert.equal(bank.channel.verifyNotification({ ...raw(body), headers: {} }), false);
      assert.equal(proves(signed(`${body} `)), false);
      assert.equal(proves(signed(body, { path: '/payments' })), false);
      assert.equal(proves(signed(body, { method: 'PUT' })), false);
      const minutes = (count: number) => bank.time + count * 60_000;
      assert.deepEqual(
        [-6, -4, 4, 6].map((count) => proves(signed(body, { at: minutes(count) }))),
        [false, true, true, false],
      );
    });

    it('reports success, failure and interim states', () => {
      assert.deepEqual(told({ status: 'ACSC', money })?.content, {
        kind: 'succeeded',
        ...money,
        channelReference: 'BKREF1',
        fullName: null,
      });
      assert.deepEqual(told({ status: 'RJCT', reasons: ['AC06'] })?.content, {
        kind: 'failed',
        code: 'account_blocked',
        channelReference: 'BKREF1',
      });
      assert.deepEqual(told({ status: 'ACSP', money })?.content, { kind: 'pending' });
      assert.deepEqual(told({})?.subject, { reference });
    });

    it('leaves the unsure to an enquiry: no amount, AB05, a duplicate, a state nobody knows', () => {
      const unsure: Changes[] = [
        { status: 'ACSC' },
        { status: 'RJCT', reasons: ['AB05'] },
        { status: 'RJCT', reasons: ['AM05'] },
        { status: 'WHAT' },
      ];
      for (const changes of unsure) assert.deepEqual(told(changes)?.content, { kind: 'pending' });
    });

    it('knows a repetition by its content, whatever the message id', () => {
      const first = told({ status: 'ACSC', money })?.eventKey;
      assert.equal(told({ status: 'ACSC', money, messageId: 'BK2' })?.eventKey, first);
      const others: Changes[] = [
        { status: 'RJCT', reasons: ['AC01'] },
        { status: 'ACSC', money: { amount: minor(1), currency: 'TZS' } },
        { status: 'ACSC', money, bankReference: 'ANOTHER' },
      ];
      for (const changes of others) assert.notEqual(told(changes)?.eventKey, first);
    });

    it('reports a return, known by its return id', () => {
      const body = writePaymentReturn({
        createdAt: new Date(),
        messageId: 'BK9',
        returnId: 'RTR1',
        reference,
        ...money,
        reason: 'AC04',
      });
      assert.deepEqual(bank.channel.translateNotification(raw(body)), {
        eventKey: 'pacs.004:RTR1',
        subject: { reference },
        content: { kind: 'returned', ...money, reason: 'Bank account is closed', channelReference: 'RTR1' },
      });
    });

    it('does not read what is no message of the rail, or names no payment', () => {
      assert.equal(bank.channel.translateNotification(raw('{}')), null);
      const nameless = statusReport({
        groupStatus: 'RJCT',
        reference: null,
        status: null,
        reasons: ['FF01'],
      });
      assert.equal(bank.channel.translateNotification(raw(nameless)), null);
    });
  });
});
