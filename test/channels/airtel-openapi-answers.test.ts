import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import table from '../../src/channels/airtel-openapi/codes.json' with { type: 'json' };
import {
  type AirtelRig,
  nonsense,
  openAirtelRig,
  PAYOUT_REFERENCE,
  REFERENCE,
  type Scripted,
} from './airtel-openapi-rig.ts';

const COLLECT = '/merchant/v1/payments/';
const PAYOUT = '/standard/v1/disbursements/';
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const KEY = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

describe('what the Airtel channel makes of the answer to a payment', () => {
  let rig: AirtelRig;
  before(async () => {
    rig = await openAirtelRig();
  });
  after(() => rig.close());

  const pushed = async (answer: Scripted) => {
    rig.begin({ [COLLECT]: answer });
    return rig.push();
  };
  const paidOut = async (answer: Scripted, more: object = {}) => {
    rig.begin({ [PAYOUT]: answer });
    return rig.payOut(rig.channelOf({ publicKey: KEY, ...more }));
  };
  const coded = (code: string, more: object = {}) => ({
    body: { status: { code: '200', result_code: 'ESB000010', response_code: code, ...more } },
  });

  it('sends what the document shows, and the number without its country code', async () => {
    await pushed(coded('DP00800001006'));
    const sent = rig.seen.at(-1);
    assert.deepEqual(JSON.parse(sent?.body ?? ''), {
      reference: 'Payment',
      subscriber: { country: 'TZ', currency: 'TZS', msisdn: '784000001' },
      transaction: { amount: 15000, country: 'TZ', currency: 'TZS', id: REFERENCE },
    });
    const { 'x-country': country, 'x-currency': currency, authorization, accept } = sent?.headers ?? {};
    assert.deepEqual([country, currency, accept], ['TZ', 'TZS', '*/*']);
    assert.match(authorization ?? '', /^Bearer token-\d+$/);
    await paidOut(coded('DP00900001006'));
    const { pin, ...payout } = JSON.parse(rig.seen.at(-1)?.body ?? '');
    assert.match(pin, /^[A-Za-z0-9+/]{171}=$/);
    assert.deepEqual(payout, {
      payee: { msisdn: '784000001', currency: 'TZS' },
      reference: 'Payment',
      transaction: { amount: 15000, id: PAYOUT_REFERENCE, type: 'B2C' },
    });
  });

  it('calls everything that says nothing unknown, and sends once', async () => {
    for (const answer of nonsense) {
      const result = await pushed(answer);
      assert.equal(result?.kind, 'unknown', JSON.stringify([answer, result]));
      assert.equal(rig.paths().filter((path) => path === COLLECT).length, 1);
      assert.equal((await paidOut(answer))?.kind, 'unknown', JSON.stringify(answer));
    }
  });

  it('calls an answer that comes too late unknown', async () => {
    rig.begin({ [COLLECT]: { ...coded('DP00800001006'), waits: new Promise(() => {}) } });
    const result = await rig.push(rig.channelOf(), 150);
    assert.equal(result?.kind, 'unknown');
  });

  it('never takes the answer to a push for a payment', async () => {
    for (const code of ['DP00800001006', 'DP00800001001'])
      for (const status of ['SUCCESS', 'TS', 'Success.'])
        for (const id of [REFERENCE, false, 17]) {
          const body = { data: { transaction: { id, status } }, ...coded(code, { success: true }).body };
          assert.deepEqual(await pushed({ body }), { kind: 'accepted', channelReference: null });
        }
    const older = { status: { code: '200', result_code: 'ESB000010', success: true } };
    assert.deepEqual(await pushed({ body: older }), { kind: 'accepted', channelReference: null });
  });

  it('takes a payout for paid only where code and state both say so', async () => {
    const answer = (code: string, transaction: object) =>
      paidOut({ body: { data: { transaction }, ...coded(code).body } });
    assert.deepEqual(
      await answer('DP00900001001', { id: PAYOUT_REFERENCE, status: 'TS', airtel_money_id: 'MP1' }),
      {
        kind: 'succeeded',
        amount: 1_500_000,
        currency: 'TZS',
        channelReference: 'MP1',
        fullName: null,
      },
    );
    const other = {
      id: PAYOUT_REFERENCE,
      status: 'TS',
      airtel_money_id: 'MP1',
      message: 'Paid TZS 15,100 to',
    };
    assert.equal(((await answer('DP00900001001', other)) as { amount?: number }).amount, 1_510_000);
    const accepted = { kind: 'accepted', channelReference: null };
    for (const [code, status] of [
      ['DP00900001001', 'TIP'],
      ['DP00900001001', 'SUCCESS'],
      ['DP00900001006', 'TS'],
      ['DP00900001006', 'TIP'],
    ] as const)
      assert.deepEqual(await answer(code, { id: PAYOUT_REFERENCE, status }), accepted, `${code} ${status}`);
    const contradiction = await answer('DP00900001001', { status: 'TF' });
    assert.equal(contradiction?.kind, 'unknown');
    const other2 = await answer('DP00900001005', { status: 'TS' });
    assert.deepEqual([other2?.kind, other2 && 'seen' in other2 && other2.seen], ['unknown', true]);
  });

  it('decides every code of the table, in both directions', async () => {
    const kinds: Record<string, string> = {
      success: 'accepted',
      pending: 'accepted',
      final: 'failed',
      setup: 'not_sent',
      ambiguous: 'unknown',
      duplicate: 'unknown',
    };
    assert.ok(table.codes.length > 60);
    for (const { code, outcome, ...row } of table.codes) {
      const [wire = '', variant] = code.split('/');
      const more = {
        payoutBarred: variant ? 'recipient' : 'sender',
        fieldErrorIsFinal: variant === undefined,
      };
      for (const direction of ['collection', 'payout'] as const) {
        rig.begin({ [COLLECT]: coded(wire), [PAYOUT]: coded(wire) });
        const channel = rig.channelOf({ publicKey: KEY, ...more });
        const result = await (direction === 'collection' ? rig.push(channel) : rig.payOut(channel));
        if (wire.startsWith('DP') && !wire.startsWith(direction === 'collection' ? 'DP008' : 'DP009')) {
          assert.deepEqual(
            [result?.kind, result && 'seen' in result],
            ['unknown', false],
            `${code} ${direction}`,
          );
          continue;
        }
        assert.equal(result?.kind, kinds[outcome], `${code} ${direction}`);
        if (result?.kind === 'unknown') assert.equal(result.seen === true, outcome === 'duplicate', code);
        if (result?.kind !== 'failed') continue;
        const expected =
          ('failure_code' in row && row.failure_code) || (row as Record<string, string>)[direction];
        assert.equal(result.code, expected, `${code} ${direction}`);
      }
    }
  });

  it('reads the codes of the router in front, and trusts two codes only when they agree', async () => {
    const router = {
      status: 400,
      body: { status_code: 'ROUTER116', status_message: 'Incorrect Encrypted Pin' },
    };
    assert.equal((await paidOut(router))?.kind, 'not_sent');
    const both = (result_code: string, response_code: string) =>
      pushed({ status: 400, body: { status: { result_code, response_code, success: false } } });
    assert.equal((await both('ESB000011', 'DP00800001007'))?.kind, 'failed');
    assert.equal((await both('ESB000041', 'DP00800001009'))?.kind, 'unknown', 'a duplicate is no failure');
    assert.equal((await both('ESB000011', 'DP00800001006'))?.kind, 'unknown');
    assert.equal((await both('ESB000011', 'DP00800009999'))?.kind, 'unknown');
  });

  it('calls a refused token and a refused rate not sent', async () => {
    for (const status of [401, 429]) {
      assert.equal((await pushed({ status, body: '' }))?.kind, 'not_sent', String(status));
      assert.equal((await pushed({ status, body: { error: 'x' } }))?.kind, 'not_sent', String(status));
    }
    const processed = { status: 401, ...coded('DP00800001002') };
    assert.equal((await pushed(processed))?.kind, 'failed', 'a code of the application is its answer');
  });

  it('sends nothing that the network cannot carry', async () => {
    rig.begin({});
    const { order } = rig;
    const channel = rig.channelOf({ publicKey: KEY });
    const push = (changes: object) =>
      channel.requestPush?.({ ...order, reference: REFERENCE, ...changes }, { timeoutMs: 1_000 });
    assert.equal((await push({ amount: 1_500_050 }))?.kind, 'failed');
    assert.equal((await push({ currency: 'USD' }))?.kind, 'failed');
    const withoutPin = rig.channelOf({ pin: undefined, publicKey: KEY });
    assert.equal((await rig.payOut(withoutPin))?.kind, 'not_sent');
    const bank = { kind: 'bank', bic: 'NMIBTZTZ', accountNumber: '1', fullName: 'A' } as const;
    const toBank = { ...order, reference: PAYOUT_REFERENCE, party: bank, sendNumber: 1 };
    assert.equal((await channel.requestPayout?.(toBank, { timeoutMs: 1_000 }))?.kind, 'not_sent');
    assert.deepEqual(rig.seen, []);
  });
});
