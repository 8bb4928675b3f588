import assert from 'node:assert/strict';
import type { Simulator } from '../../sandbox/simulator/app.ts';
import { mixxDoors } from '../../src/channels/mixx/notification.ts';
import { mixxSettings } from '../../src/channels/mixx/settings.ts';
import type { Channel } from '../../src/domain/channel.ts';
import { openSimulator } from '../support/simulator.ts';
import { until } from '../support/wait.ts';
import { openInbox } from './inbox.ts';
import { mixxAccount, mixxChannel, mixxOptions } from './mixx/account.ts';
import { rawOf as raw } from './raw.ts';
import { itIsTold, say, type Told } from './scripted.ts';

const partyOf = (ending: string) => ({ kind: 'wallet', msisdn: `255654000${ending}` }) as const;

describe('payouts over Mixx', () => {
  let simulator: Simulator;
  let channel: Channel;

  before(async () => {
    simulator = await openSimulator({ timing: { customerMs: 30, slowAnswerMs: 600 }, mixx: mixxOptions });
    channel = mixxChannel(simulator.url);
  });
  after(() => simulator.close());

  it('with a wrong PIN or password were not sent: nothing was processed', async () => {
    const wrong = mixxChannel(simulator.url, { payout: { pin: '9999' }, push: { password: 'wrong' } });
    for (const call of ['push', 'payout'] as const)
      assert.equal((await say(wrong, call, { party: partyOf('000') })).kind, 'not_sent', call);
  });

  it('name the owner of a wallet, and say nothing about what they do not know', async () => {
    const look = (ending: string, timeoutMs = 3_000) => channel.lookupName?.(partyOf(ending), { timeoutMs });
    assert.deepEqual(await look('001'), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.deepEqual(await look('029'), { kind: 'unknown' });
    assert.deepEqual(await look('219', 100), { kind: 'unknown' });
  });
});

describe('the simulator of Mixx', () => {
  it('calls a push in its callback what the caller called it, also where it is no reference of ours', async () => {
    const inbox = await openInbox();
    const callbackUrl = `${inbox.url}/channels/mixx`;
    const simulator = await openSimulator({ timing: { customerMs: 10 }, mixx: { callbackUrl } });
    try {
      const form = new URLSearchParams({ grant_type: 'password', username: 'u', password: 'p' });
      const issued = await fetch(`${simulator.url}/mixx/SIM2DM-GetToken`, { method: 'POST', body: form });
      const { access_token } = (await issued.json()) as { access_token: string };
      await fetch(`${simulator.url}/mixx/SIM2DM-PushBillpay`, {
        method: 'POST',
        headers: { authorization: `bearer ${access_token}`, username: 'u', password: 'p' },
        body: JSON.stringify({
          CustomerMSISDN: '255654000001',
          BillerMSISDN: '255650000001',
          Amount: 1000,
          Remarks: 'x',
          ReferenceID: 'SIMB-77',
        }),
      });
      const told = await until(() => inbox.received[0], 'a callback');
      assert.equal(JSON.parse(told.body.toString()).ReferenceID, 'SIMB-77');
    } finally {
      await simulator.close();
      await inbox.close();
    }
  });
});

describe('callbacks of Mixx', () => {
  const channel = mixxChannel('http://127.0.0.1:1');
  const good = {
    Status: true,
    Description: 'Transaction successful',
    MFSTransactionID: '26638644052',
    ReferenceID: 'SIMB0123456789ABCDEF',
    Amount: '15000',
  };

  it('name our reference, which is a reason to ask', () => {
    const subject = { reference: 'PY0123456789ABCDEF' };
    assert.deepEqual(channel.translateNotification(raw(good))?.subject, subject);
    assert.deepEqual(channel.hintOf?.(raw(good)), subject);
    assert.equal(channel.hintOf?.(raw('{"ReferenceID":""}')), null);
    const others = channel.translateNotification(raw({ ...good, ReferenceID: 'OTHER-1' }));
    assert.deepEqual(others?.subject, { reference: 'OTHER-1' }, 'of somebody else it keeps its name');
  });

  const SUCCESS = 'succeeded TZS 15000 26638644052';
  const of = (changes: object) => raw({ ...good, ...changes });
  const failing = (Description?: string) => of({ Status: 'false', Description });
  const failed = (code: string) => `failed ${code} 26638644052`;
  itIsTold(channel, [
    ['of a success', raw(good), SUCCESS, 'unproven'],
    ['of a success as text', of({ Status: 'true' }), SUCCESS],
    ['of a success whose amount is a number', of({ Amount: 15_000 }), SUCCESS],
    ['of too little money', failing('Customer has INSUFFICIENT funds'), failed('insufficient_funds')],
    ['of a wrong PIN', failing('You entered a wrong PIN'), failed('wrong_pin')],
    ['of who declined', failing('Request was rejected'), failed('customer_declined')],
    ['of a failure in Swahili', failing('Kiasi hakitoshi'), failed('network_error')],
    ['of a failure without a word', failing(), failed('network_error')],
    ...[undefined, '15,00', '', null, '-1'].map(
      (Amount): Told => [`of the amount ${Amount}`, of({ Amount }), 'ask'],
    ),
    ...[
      '',
      '{',
      'null',
      '[]',
      '<COMMAND/>',
      '{"Status":2,"ReferenceID":"a"}',
      '{"Status":0,"ReferenceID":"a"}',
      '{"Status":true}',
    ].map((body): Told => [`that is none, ${body}`, raw(body), 'nothing']),
    ['with a long reference', of({ ReferenceID: 'x'.repeat(65) }), 'nothing'],
    ['with a very long sentence', of({ Description: 'x'.repeat(40_000) }), 'nothing'],
  ]);

  it('are the same event again, and another one when they say something else', () => {
    const keyOf = (changes: object) => channel.translateNotification(raw({ ...good, ...changes }))?.eventKey;
    assert.equal(keyOf({ Description: 'other words' }), keyOf({}));
    assert.notEqual(keyOf({ Status: false }), keyOf({}));
    assert.notEqual(keyOf({ Amount: '15001' }), keyOf({}));
  });

  it('are acknowledged with the code of the account, and refused when they are none of ours', () => {
    const doors = mixxDoors(mixxSettings.shape.callback.parse({}));
    const answerOf = (
      outcome: 'stored' | 'noted' | 'refused' | 'unknown' | 'unreadable',
      body: unknown = good,
    ) => doors.map((door) => JSON.parse(door.answer(outcome, raw(body)).body));
    const accepted = {
      ResponseCode: 'BILLER-18-0000-S',
      ResponseStatus: true,
      ResponseDescription: 'Callback successful',
      ReferenceID: 'SIMB0123456789ABCDEF',
    };
    assert.deepEqual(answerOf('stored'), [accepted, accepted]);
    // What an account without a secret is told is not refused: we ask the network.
    assert.deepEqual(answerOf('noted'), [accepted, accepted]);
    assert.deepEqual(
      [answerOf('refused')[0].ResponseStatus, answerOf('refused')[0].ReferenceID],
      [false, ''],
      'what was refused was not read',
    );
    assert.equal(answerOf('unknown')[0].ResponseCode, 'BILLER-18-3020-E');
    assert.equal(answerOf('unreadable', '{')[0].ResponseStatus, false);
  });

  it('are acknowledged in the newer form and with other codes where the account says so', () => {
    const settings = mixxSettings.parse(
      mixxAccount('http://a', { callback: { acceptedCode: 'BILLER-30-0000-S', form: 'newer' } }),
    );
    const [door] = mixxDoors(settings.callback);
    assert.deepEqual(JSON.parse(door?.answer('stored', raw(good)).body ?? ''), {
      success: true,
      responseCode: 'BILLER-30-0000-S',
      transactionStatus: 'true',
      errorDescription: 'Callback successful',
      referenceID: 'SIMB0123456789ABCDEF',
    });
  });
});
