import assert from 'node:assert/strict';
import { channelState } from '../../src/channels/kit/codes.ts';
import { encryptPkcs1 } from '../../src/channels/kit/pkcs1.ts';
import { readPublicKey } from '../../src/channels/vodacom-openapi/key.ts';
import { notificationDoors } from '../../src/channels/vodacom-openapi/notification.ts';
import { vodacomOpenapiSettings } from '../../src/channels/vodacom-openapi/settings.ts';
import { table } from '../../src/channels/vodacom-openapi/translate.ts';
import type { Direction } from '../../src/domain/kinds.ts';
import { rawOf as raw } from './raw.ts';
import { type Answer, itHears, order } from './scripted.ts';
import { API_KEY, PUBLIC_KEY, settingsOf, vodacomChannel } from './vodacom-openapi/rig.ts';
import { CONVERSATION, said, useVodacom } from './vodacom-openapi/scripted.ts';

const ASYNCHRONOUS = { mode: 'asynchronous' };
const SECRET = 'a-secret-that-only-the-portal-was-given';

const state = (status: string, more = {}) => ({
  body: {
    output_ResponseCode: 'INS-0',
    output_ResponseTransactionStatus: status,
    output_OriginalTransactionID: 'R1',
    ...more,
  },
});
const missing: Answer = { status: 400, body: { output_ResponseCode: 'INS-23' } };
const described = (output_ResponseDesc: string) => state('Failed', { output_ResponseDesc });

describe('enquiries of the vodacom openapi', () => {
  const network = useVodacom();

  it('enquires by our own 32 characters', async () => {
    network.lay('push?', state('Completed'));
    assert.equal(await network.hear('push?'), 'succeeded TZS 15000 R1');
    const query = new URL(network.sent('push?')[0]?.path ?? '', network.url).searchParams;
    assert.equal(query.get('input_QueryReference'), CONVERSATION);
    assert.match(query.get('input_ThirdPartyConversationID') ?? '', /^[0-9a-f]{32}$/);
    assert.notEqual(query.get('input_ThirdPartyConversationID'), CONVERSATION);
  });

  for (const call of ['push?', 'payout?'] as const)
    for (const { code } of (table.states ?? []).filter((row) => row.outcome === 'final')) {
      const why = channelState(table, code, call === 'push?' ? 'collection' : 'payout')?.failureCode;
      itHears(network, [[call, `the state ${code}`, state(code), `failed ${why} R1`]]);
    }

  // A later callback with a real receipt is not another payment.
  for (const none of ['N/A', ' N/A ', '', null]) {
    const of = (status: string) => state(status, { output_OriginalTransactionID: none });
    itHears(network, [
      ['push?', `a success, receipt "${none}"`, of('Completed'), 'succeeded TZS 15000 -', ASYNCHRONOUS],
      ['push?', `a failure with the receipt "${none}"`, of('Failed'), 'failed network_error -', ASYNCHRONOUS],
      ['push?', `progress with the receipt "${none}"`, of('In Progress'), 'accepted -', ASYNCHRONOUS],
    ]);
  }

  const byDefault = { notFoundCodes: vodacomOpenapiSettings.shape.notFoundCodes.parse(undefined) };
  const informed = { notFoundCodes: ['INS-24'] };
  const other: Answer = { status: 400, body: { output_ResponseCode: 'INS-24' } };
  const ofAnother = state('Completed', { output_ThirdPartyConversationID: 'another' });
  itHears(network, [
    ['push?', 'progress', state('In Progress'), 'accepted R1'],
    ['payout?', 'INS-23, which is in doubt unless the settings name it,', missing, 'unknown', byDefault],
    ['payout?', 'the code that the settings name', other, 'not_found', informed],
    ['payout?', 'INS-23, which the settings name,', missing, 'not_found'],
    ['payout?', 'the state N/A', state('N/A'), 'unknown seen'],
    ['payout?', 'no state', state(''), 'unknown seen'],
    ['payout?', 'the state Reversed', state('Reversed'), 'unknown seen'],
    ['payout?', 'a reversed success', state('Completed', { output_Reversed: 'True' }), 'unknown seen'],
    ['payout?', 'an empty 404', { status: 404 }, 'unknown'],
    ['payout?', '404 in words', { status: 404, body: { output_error: 'Resource not found' } }, 'unknown'],
    ['payout?', 'INS-23 with 500', { ...missing, status: 500 }, 'unknown'],
    ['payout?', 'INS-1', said('INS-1'), 'unknown'],
    ['payout?', 'a success of another one', ofAnother, 'unknown'],
    ['push', 'INS-1', said('INS-1'), 'unknown'],
    ['push', 'no code', said(''), 'unknown'],
    ['push?', 'too little money', described('The balance is INSUFFICIENT'), 'failed insufficient_funds R1'],
    ['push?', 'no reason', described('Request processed successfully'), 'failed network_error R1'],
  ]);

  it('finds a name only where the market has names', async () => {
    const [who, call] = [order.party, { timeoutMs: 2_000 }];
    assert.equal(network.channelOf({ beneficiaryName: false }).lookupName, undefined);
    const channel = network.channelOf({ kycQueryParameter: 'input_KYCQueryType' });
    const name = { output_CustomerFirstName: 'ASHA ', output_CustomerLastName: 'JUMA' };
    network.lay('/', said('INS-0', 200, name), said('INS-2051'), said('INS-997'), { breaks: 'before' });
    assert.deepEqual(await channel.lookupName?.(who, call), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.match(network.sent('/')[0]?.path ?? '', /[?&]input_KYCQueryType=Name(&|$)/);
    const kinds = [];
    for (let i = 0; i < 3; i += 1) kinds.push((await channel.lookupName?.(who, call))?.kind);
    assert.deepEqual(kinds, ['not_found', 'unknown', 'unknown']);
  });
});

describe('callbacks of the vodacom openapi', () => {
  const channel = vodacomChannel('http://127.0.0.1:1', { mode: 'asynchronous' });
  const account = vodacomChannel('http://127.0.0.1:1', { mode: 'asynchronous', callback: { token: SECRET } });
  const told = {
    input_OriginalConversationID: 'C1',
    input_TransactionID: 'R1',
    input_ResultCode: 'INS-0',
    input_ResultDesc: 'done',
    input_ThirdPartyConversationID: CONVERSATION,
  };

  it('are hints: they name the transaction, prove nothing and say nothing that is believed', () => {
    assert.deepEqual(channel.hintOf?.(raw(told)), { transactionId: order.transactionId });
    assert.equal(channel.verifyNotification(raw(told)), false);
    assert.equal(account.hintOf, undefined, 'what is not proven is not read where a proof was agreed on');
    for (const token of [null, `${SECRET.slice(0, -1)}!`, SECRET])
      assert.equal(account.verifyNotification(raw(told, { token })), token === SECRET);
  });

  for (const [code, push, payout, late] of [
    ['INS-990', 'payer_limit_reached', 'recipient_limit_reached', 'payer_limit_reached'],
    ['INS-2051', 'payer_not_found', 'recipient_not_found', 'payer_not_found'],
    ['INS-2006', 'insufficient_funds', 'insufficient_float', 'insufficient_funds'],
    ['INS-0', 'ask', 'ask', 'succeeded'],
    ['INS-6', 'ask', 'ask', 'network_error'],
    ['INS-9', 'ask', 'ask', 'ask'],
    ['INS-13', 'ask', 'ask', 'ask'],
    ['unheard-of', 'ask', 'ask', 'ask'],
  ])
    it(`mean by ${code} of a push: ${push}; of a payout: ${payout}; of a push that has ended: ${late}`, () => {
      const said = account.translateNotification(raw({ ...told, input_ResultCode: code }));
      const { amount, currency } = order;
      const meant = (direction: Direction, isFinal: boolean) => {
        const content = said?.contentFor?.({ direction, amount, currency, isFinal });
        return content?.kind === 'failed' ? content.code : content?.kind;
      };
      const all = [meant('collection', false), meant('payout', false), meant('collection', true)];
      assert.deepEqual(all, [push, payout, late]);
    });

  it('are acknowledged as the network expects; what is none is not', () => {
    const [door] = notificationDoors;
    for (const outcome of ['noted', 'unknown'] as const) {
      const answer = door?.answer(outcome, raw(told));
      assert.equal(answer?.status, 200);
      assert.deepEqual(JSON.parse(answer?.body ?? ''), {
        output_OriginalConversationID: 'C1',
        output_ResponseCode: '0',
        output_ResponseDesc: 'Received',
        output_ThirdPartyConversationID: CONVERSATION,
      });
    }
    for (const body of [
      '',
      '{',
      '[]',
      '{"input_ResultCode":0}',
      JSON.stringify({ ...told, x: 'x'.repeat(40_000) }),
    ]) {
      assert.equal(channel.hintOf?.(raw(body)), null);
      assert.equal(door?.answer('unreadable', raw(body)).status, 400);
    }
    assert.equal(channel.hintOf?.(raw({ ...told, input_ThirdPartyConversationID: 'theirs' })), null);
  });
});

describe('the key and settings of the vodacom openapi', () => {
  it('encrypts as the known vector has it, byte for byte', () => {
    const key = readPublicKey(
      'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCqFU7xmlMudStVMCQLdqkZT0aB2egh4ea9E1xcq+fLtxphUGSj86DT7HtuEhelIE00IUabEtSWKSP5T5AdgGdDOvzGvInjpYdrxj0Yi+wAnbNtJ7FGjPUCrsgWKosxnD8qowCvnxfYGxxtKFpvMx3ap9pHsJX5mVf0vh29poI4PQIDAQAB',
    );
    assert.equal(
      encryptPkcs1(key, 'demo-api-key-0001', () => 0x55),
      'i6rt+v0IquyeUmWApvyYd/9iU/VRymJnA1unc79PqH23aF/w+gJzgiF9p1saqg1WzwLQ7rpMRwlsTYk4BNWaseIB8vmRQxr3UYx7y632X7INAOiUMrQEYpfEEHrrQDWah6jD4AIKJGj3A58LznE43uMWcGsw/AdqPJygi7RBMeE=',
    );
    assert.notEqual(encryptPkcs1(key, API_KEY), encryptPkcs1(key, API_KEY), 'the padding is random');
    assert.throws(() => encryptPkcs1(key, 'x'.repeat(118)), RangeError);
  });

  it('has no default for the mode, and refuses what cannot work', () => {
    const good = { ...settingsOf('https://openapi.m-pesa.com/', { mode: 'synchronous' }) };
    assert.equal(vodacomOpenapiSettings.parse(good).address, 'https://openapi.m-pesa.com');
    const { mode: _mode, ...withoutMode } = good;
    assert.equal(vodacomOpenapiSettings.safeParse(withoutMode).success, false);
    for (const wrong of [
      { publicKey: 'no key' },
      { publicKey: PUBLIC_KEY.slice(10) },
      { serviceProviderCode: '0' },
      { address: 'ftp://x' },
      { sessionLifetimeMs: 60_000, sessionSettleMs: 30_000 },
      { typo: 1 },
    ])
      assert.equal(
        vodacomOpenapiSettings.safeParse({ ...good, ...wrong }).success,
        false,
        JSON.stringify(wrong),
      );
  });
});
