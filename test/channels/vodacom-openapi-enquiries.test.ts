import assert from 'node:assert/strict';
import { channelState } from '../../src/channels/kit/codes.ts';
import { encryptPkcs1 } from '../../src/channels/kit/pkcs1.ts';
import { readPublicKey } from '../../src/channels/vodacom-openapi/key.ts';
import { notificationDoors } from '../../src/channels/vodacom-openapi/notification.ts';
import { vodacomOpenapiSettings } from '../../src/channels/vodacom-openapi/settings.ts';
import { table } from '../../src/channels/vodacom-openapi/translate.ts';
import { rawOf as raw } from './raw.ts';
import { API_KEY, PUBLIC_KEY, settingsOf, vodacomChannel } from './vodacom-openapi/rig.ts';
import { CONVERSATION, call, order, said, scriptedVodacom } from './vodacom-openapi/scripted.ts';

const SECRET = 'a-secret-that-only-the-portal-was-given';
const ID = order.transactionId;

describe('enquiries of the vodacom openapi', () => {
  const vodacom = scriptedVodacom();

  const state = (status: string, more = {}) => ({
    json: {
      output_ResponseCode: 'INS-0',
      output_ResponseTransactionStatus: status,
      output_OriginalTransactionID: 'R1',
      ...more,
    },
  });

  it('enquires by our own 32 characters, and reads the status, never INS-0 alone', async () => {
    const channel = vodacom.channelOf('synchronous');
    assert.equal((await vodacom.enquire(channel, 'collection', state('Completed')))?.kind, 'succeeded');
    const query = new URL(vodacom.asked[0]?.url ?? '', vodacom.address).searchParams;
    assert.equal(query.get('input_QueryReference'), CONVERSATION);
    assert.match(query.get('input_ThirdPartyConversationID') ?? '', /^[0-9a-f]{32}$/);
    assert.notEqual(query.get('input_ThirdPartyConversationID'), CONVERSATION);
    for (const { code } of (table.states ?? []).filter((row) => row.outcome === 'final'))
      for (const direction of ['collection', 'payout'] as const) {
        const result = await vodacom.enquire(channel, direction, state(code));
        const expected = channelState(table, code, direction)?.failureCode;
        assert.ok(result.kind === 'failed' && result.code === expected, `${code}: ${JSON.stringify(result)}`);
      }
    assert.equal((await vodacom.enquire(channel, 'collection', state('In Progress'))).kind, 'accepted');
  });

  it('takes "N/A" for no receipt: a later callback with a real one is not another payment', async () => {
    const channel = vodacom.channelOf('asynchronous');
    for (const none of ['N/A', ' N/A ', '', null])
      for (const status of ['Completed', 'Failed', 'In Progress']) {
        const said = state(status, { output_OriginalTransactionID: none });
        const result = await vodacom.enquire(channel, 'collection', said);
        assert.equal('channelReference' in result && result.channelReference, null, `${status} ${none}`);
      }
  });

  it('takes only the codes of the setting for not found: INS-23 itself is in doubt', async () => {
    const missing = { status: 400, json: { output_ResponseCode: 'INS-23' } };
    const careful = vodacom.channelOf('synchronous', {
      notFoundCodes: vodacomOpenapiSettings.shape.notFoundCodes.parse(undefined),
    });
    assert.equal((await vodacom.enquire(careful, 'payout', missing)).kind, 'unknown');
    const informed = vodacom.channelOf('synchronous', { notFoundCodes: ['INS-24'] });
    const other = { status: 400, json: { output_ResponseCode: 'INS-24' } };
    assert.deepEqual(await vodacom.enquire(informed, 'payout', other), { kind: 'not_found' });
  });

  it('takes INS-23 alone for not found; an odd or reversed state has been seen', async () => {
    const channel = vodacom.channelOf('synchronous');
    const missing = { status: 400, json: { output_ResponseCode: 'INS-23' } };
    assert.deepEqual(await vodacom.enquire(channel, 'payout', missing), { kind: 'not_found' });
    for (const odd of [
      state('N/A'),
      state(''),
      state('Reversed'),
      state('Completed', { output_Reversed: 'True' }),
    ]) {
      const result = await vodacom.enquire(channel, 'payout', odd);
      assert.ok(result.kind === 'unknown' && result.seen, JSON.stringify(result));
    }
    for (const none of [
      { status: 404, text: '' },
      { status: 404, json: { output_error: 'Resource not found' } },
      { status: 500, json: { output_ResponseCode: 'INS-23' } },
      said('INS-1'),
      { json: { ...state('Completed').json, output_ThirdPartyConversationID: 'another' } },
    ]) {
      const result = await vodacom.enquire(channel, 'payout', none);
      assert.ok(result.kind === 'unknown' && !result.seen, JSON.stringify(result));
    }
  });

  it('names too little money by the sentence of the enquiry, where the send said INS-1 or no code', async () => {
    const channel = vodacom.channelOf('synchronous');
    for (const code of ['INS-1', ''])
      assert.equal((await vodacom.push(channel, said(code)))?.kind, 'unknown', code);
    const of = async (output_ResponseDesc: string) => {
      const result = await vodacom.enquire(channel, 'collection', state('Failed', { output_ResponseDesc }));
      return result.kind === 'failed' && result.code;
    };
    assert.equal(await of('The balance is INSUFFICIENT for the transaction'), 'insufficient_funds');
    assert.equal(await of('Request processed successfully'), 'network_error');
  });

  it('finds a name only where the market has names', async () => {
    const who = { kind: 'wallet', msisdn: '255754000001' } as const;
    assert.equal(vodacom.channelOf('synchronous', { beneficiaryName: false }).lookupName, undefined);
    const channel = vodacom.channelOf('synchronous', { kycQueryParameter: 'input_KYCQueryType' });
    const name = { output_CustomerFirstName: 'ASHA ', output_CustomerLastName: 'JUMA' };
    vodacom.replies = [said('INS-0', 200, name), said('INS-2051'), said('INS-997'), { break: true }];
    assert.deepEqual(await channel.lookupName?.(who, call), { kind: 'found', fullName: 'ASHA JUMA' });
    assert.equal(
      new URL(vodacom.asked[0]?.url ?? '', vodacom.address).searchParams.get('input_KYCQueryType'),
      'Name',
    );
    const kinds = [];
    for (let i = 0; i < 3; i += 1) kinds.push((await channel.lookupName?.(who, call))?.kind);
    assert.deepEqual(kinds, ['not_found', 'unknown', 'unknown']);
  });
});

describe('callbacks of the vodacom openapi', () => {
  const channel = vodacomChannel('http://127.0.0.1:1', { mode: 'asynchronous' });
  const told = {
    input_OriginalConversationID: 'C1',
    input_TransactionID: 'R1',
    input_ResultCode: 'INS-0',
    input_ResultDesc: 'done',
    input_ThirdPartyConversationID: CONVERSATION,
  };

  it('are hints: they name the transaction, prove nothing and say nothing that is believed', () => {
    assert.deepEqual(channel.hintOf?.(raw(told)), { transactionId: ID });
    assert.equal(channel.verifyNotification(raw(told)), false);
    const account = vodacomChannel('http://127.0.0.1:1', {
      mode: 'asynchronous',
      callback: { token: SECRET },
    });
    assert.equal(account.hintOf, undefined, 'what is not proven is not read where a proof was agreed on');
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
