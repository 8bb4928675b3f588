import assert from 'node:assert/strict';
import { createIso20022Channel } from '../../src/channels/iso20022/index.ts';
import { writePaymentReturn } from '../../src/channels/iso20022/wire.ts';
import { signRequest } from '../../src/channels/kit/signature.ts';
import type { RawNotification } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
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
import { rawOf } from './raw.ts';
import { heard, itHears, itIsTold, type Row, say, type Told } from './scripted.ts';

const HOUR_MS = 3_600_000;
const rejected = (reason: string): Changes => ({ status: 'RJCT', reasons: [reason] });
const paid: Changes = { status: 'ACSC', money };

describe('the ISO 20022 channel, when it enquires', () => {
  const bank = useBank();

  it('asks by its reference and signs the empty body', async () => {
    bank.lay('payout?', reports(200, { status: 'PDNG' }));
    await bank.hear('payout?');
    const asked = bank.asked.map((one) => [one.method, one.path, isSigned(one), one.body]);
    assert.deepEqual(asked, [['GET', `/payments/${reference}`, true, '']]);
  });

  const inDollars = { amount: minor(6_000_001), currency: 'USD' };
  itHears(bank, [
    [
      'payout?',
      'a success in dollars',
      reports(200, { status: 'ACCC', money: inDollars }),
      'succeeded USD 60000.01 BKREF1',
    ],
    ['payout?', 'a success of another one', reports(200, { ...paid, reference: 'POOTHER' }), 'unknown'],
    [
      'payout?',
      'a success of a whole message',
      reports(200, { groupStatus: 'ACSC', status: null, reference: null }),
      'unknown',
    ],
    // A signed 404 that names the reference was never received, and only that.
    ['payout?', 'a signed 404 that names it', signed(404, reference), 'not_found'],
    ['payout?', 'a signed 404 that names another one', signed(404, 'POOTHER'), 'unknown'],
    ['payout?', 'a 404 of a proxy that lost its way', signed(404, reference, null), 'unknown'],
    ['payout?', 'a signed 404', signed(404), 'unknown'],
    ...[200, 400, 410, 500, 503].map(
      (status): Row => ['payout?', `an empty ${status}`, signed(status), 'unknown'],
    ),
    ['payout?', 'an empty 401', signed(401), 'unknown login'],
    // The bank has what it says anything about, though nothing is sure.
    ['payout?', 'a time-out further on', reports(200, rejected('AB05')), 'unknown seen'],
    ['payout?', 'a duplicate', reports(200, rejected('AM05')), 'unknown seen'],
    ['payout?', 'a success without an amount', reports(200, { status: 'ACSC' }), 'unknown seen'],
    ['payout?', 'a state that nobody knows', reports(200, { status: 'PARKED' }), 'unknown seen'],
  ]);

  /** What it hears of one report after another, each so many hours after the first. */
  async function hearInTurn(...turns: [hours: number, changes: Changes][]): Promise<string[]> {
    let hours = 0;
    const now = () => TIME + hours * HOUR_MS;
    const channel = bank.channelOf({ now });
    const all: string[] = [];
    for (const [at, changes] of turns) {
      hours = at;
      bank.lay('payout?', signed(200, statusReport(changes), { at: now() }));
      all.push(heard(await say(channel, 'payout?')));
    }
    return all;
  }

  for (const reason of ['AB05', 'AB06'])
    it(`takes RJCT ${reason} for a failure when a later enquiry says it again, of the same payment`, async () => {
      const channel = bank.channelOf();
      bank.lay('payout?', reports(200, rejected(reason)));
      assert.equal(heard(await say(channel, 'payout?')), 'unknown seen');
      bank.lay('/payments/POOTHER', reports(200, { ...rejected(reason), reference: 'POOTHER' }));
      assert.equal(heard(await say(channel, 'payout?', { reference: 'POOTHER' })), 'unknown seen');
      assert.equal(heard(await say(channel, 'payout?')), 'failed network_unavailable BKREF1');
    });

  it('believes the success that follows a time-out further on', async () => {
    const all = await hearInTurn([0, rejected('AB05')], [0, paid]);
    assert.deepEqual(all, ['unknown seen', 'succeeded TZS 50000 BKREF1']);
  });

  it('takes RJCT TM01 for a failure only when it is said again a day later', async () => {
    const [first, again, later] = await hearInTurn(
      [0, rejected('TM01')],
      [23, rejected('TM01')],
      [24, rejected('TM01')],
    );
    assert.deepEqual([first, again], ['unknown seen', 'unknown seen']);
    assert.match(later ?? '', /^failed/);
  });

  it('takes no RJCT of one reason for the confirmation of another', async () => {
    const all = await hearInTurn([0, rejected('AB05')], [24, rejected('TM01')]);
    assert.deepEqual(all, ['unknown seen', 'unknown seen']);
  });
});

describe('the ISO 20022 channel, when it is notified', () => {
  const channel = createIso20022Channel({
    url: 'http://127.0.0.1:1',
    secrets: [secret],
    debtor: { name: 'MALIPO', account: '0100000000001', bic: 'CORUTZTZ' },
    now: () => new Date(TIME),
  });
  const signatureOf = (body: string, changes: { path?: string; method?: string; at?: number } = {}) => {
    const { at = TIME, ...rest } = changes;
    const message = { method: 'POST', path: '/channels/iso20022', body, ...rest };
    return signRequest(message, { secrets: [secret], now: new Date(at) });
  };
  const raw = (body: string, signature = signatureOf(body)): RawNotification =>
    rawOf(body, { headers: { 'x-signature': signature } });
  const of = (changes: Changes) => raw(statusReport(changes));
  const told = (changes: Changes) => channel.translateNotification(of(changes));

  const body = statusReport({});
  const minutes = (count: number) => signatureOf(body, { at: TIME + count * 60_000 });
  const nameless: Changes = { groupStatus: 'RJCT', reference: null, status: null, reasons: ['FF01'] };
  itIsTold(channel, [
    ['without a signature', { ...raw(body), headers: {} }, 'pending', 'unproven'],
    ['signed for another body', raw(body, signatureOf(`${body} `)), 'pending', 'unproven'],
    ['signed for another path', raw(body, signatureOf(body, { path: '/payments' })), 'pending', 'unproven'],
    ['signed for another method', raw(body, signatureOf(body, { method: 'PUT' })), 'pending', 'unproven'],
    ...([-6, -4, 4, 6] as const).map((count): Told => {
      const proof = Math.abs(count) < 5 ? 'proven' : 'unproven';
      return [`signed ${count} minutes from now`, raw(body, minutes(count)), 'pending', proof];
    }),
    ['of a success', of(paid), 'succeeded TZS 50000 BKREF1', 'proven'],
    ['of a failure', of(rejected('AC06')), 'failed account_blocked BKREF1', 'proven'],
    ['of an interim state', of({ status: 'ACSP', money }), 'pending'],
    // What is not sure is left to an enquiry.
    ['of a success without an amount', of({ status: 'ACSC' }), 'pending'],
    ['of a time-out further on', of(rejected('AB05')), 'pending'],
    ['of a duplicate', of(rejected('AM05')), 'pending'],
    ['of a state that nobody knows', of({ status: 'WHAT' }), 'pending'],
    ['that is no message of the rail', raw('{}'), 'nothing'],
    ['that names no payment', of(nameless), 'nothing'],
  ]);

  it('names its payment, and knows a repetition by its content, whatever the message id', () => {
    assert.deepEqual(told({})?.subject, { reference });
    const first = told(paid)?.eventKey;
    assert.equal(told({ ...paid, messageId: 'BK2' })?.eventKey, first);
    const others: Changes[] = [
      rejected('AC01'),
      { status: 'ACSC', money: { amount: minor(1), currency: 'TZS' } },
      { ...paid, bankReference: 'ANOTHER' },
    ];
    for (const changes of others) assert.notEqual(told(changes)?.eventKey, first);
  });

  it('reports a return, known by its return id', () => {
    const returned = writePaymentReturn({
      createdAt: new Date(),
      messageId: 'BK9',
      returnId: 'RTR1',
      reference,
      ...money,
      reason: 'AC04',
    });
    assert.deepEqual(channel.translateNotification(raw(returned)), {
      eventKey: 'pacs.004:RTR1',
      subject: { reference },
      content: { kind: 'returned', ...money, reason: 'Bank account is closed', channelReference: 'RTR1' },
    });
  });
});
