import assert from 'node:assert/strict';
import {
  type AirtelRig,
  nonsense,
  openAirtelRig,
  PAYOUT_REFERENCE,
  REFERENCE,
  type Scripted,
} from './airtel-openapi-rig.ts';

describe('what the Airtel channel makes of the answer to an enquiry', () => {
  let rig: AirtelRig;
  before(async () => {
    rig = await openAirtelRig();
  });
  after(() => rig.close());

  const asked = async (
    answer: Scripted,
    direction: 'collection' | 'payout' = 'collection',
    more?: object,
  ) => {
    const path = direction === 'collection' ? '/standard/v1/payments/' : '/standard/v1/disbursements/';
    const reference = direction === 'collection' ? REFERENCE : PAYOUT_REFERENCE;
    rig.begin({ [`${path}${reference}`]: answer });
    return rig.enquire(direction, rig.channelOf(), more);
  };
  const state = (status: unknown, response_code = 'DP00800001006', transaction: object = {}) => ({
    body: {
      data: { transaction: { status, ...transaction } },
      status: { code: '200', result_code: 'ESB000010', response_code, success: true },
    },
  });

  it('calls everything that says nothing unknown, and 401 and 429 as well', async () => {
    for (const answer of [...nonsense, { status: 401, body: '' }, { status: 429, body: '' }]) {
      const result = await asked(answer);
      assert.equal(result.kind, 'unknown', JSON.stringify([answer, result]));
      assert.ok(!('seen' in result), JSON.stringify(answer));
    }
  });

  it('finds a success, with the amount that is told or, where none is, the one that was ordered', async () => {
    const paid = { id: REFERENCE, airtel_money_id: 'MP1', message: 'success' };
    const success = { kind: 'succeeded', currency: 'TZS', channelReference: 'MP1', fullName: null };
    assert.deepEqual(await asked(state('TS', 'DP00800001006', paid)), { ...success, amount: 1_500_000 });
    const told = { ...paid, message: 'Paid TZS 15,100.50 to MALIPO Charge TZS 5' };
    assert.deepEqual(await asked(state('TS', 'DP00800001001', told)), { ...success, amount: 1_510_050 });
    const unordered = await asked(state('TS', 'DP00800001001', paid), 'collection', {});
    assert.deepEqual(unordered, { kind: 'unknown', detail: 'paid, but how much is not said', seen: true });
  });

  it('reads the state before the code: a failure, an expiry, a wait', async () => {
    const failure = (code: string) => ({ kind: 'failed', code, channelReference: null });
    assert.deepEqual(await asked(state('TF', 'DP00800001007')), failure('insufficient_funds'));
    assert.deepEqual(await asked(state('TF', 'DP00800001006')), failure('network_error'));
    assert.deepEqual(await asked(state('TF', 'DP00800009999')), failure('network_error'));
    assert.deepEqual(await asked(state('TF', 'DP00800001024')), failure('customer_timeout'));
    assert.deepEqual(await asked(state('TE', 'ESB000011')), failure('customer_timeout'));
    assert.deepEqual(await asked(state('TE', 'DP00900001005'), 'payout'), failure('network_error'));
    assert.deepEqual(await asked(state('TR')), failure('reversed'));
    assert.deepEqual(await asked(state('TIP')), { kind: 'accepted', channelReference: null });
    for (const status of ['TA', 'SUCCESS', 'Transaction Success']) {
      const result = await asked(state(status, 'DP00800001001'));
      assert.deepEqual([result.kind, 'seen' in result && result.seen], ['unknown', true], status);
    }
  });

  it('lets no failed state stand beside a code that says that a payout may have been done', async () => {
    for (const code of ['DP00900001000', 'DP00900001014']) {
      const result = await asked(state('TF', code), 'payout');
      assert.deepEqual([result.kind, 'seen' in result && result.seen], ['unknown', true], code);
    }
  });

  it('believes no answer about another transaction, and lets the id be missing or false', async () => {
    assert.equal((await asked(state('TS', '', { id: 'PY0000000000000002' }))).kind, 'unknown');
    assert.equal((await asked(state('TF', '', { id: 'PY0000000000000002' }))).kind, 'unknown');
    for (const id of [false, null, '', 17, REFERENCE])
      assert.equal((await asked(state('TS', '', { id }))).kind, 'succeeded', String(id));
  });

  it('says not found only in the network’s own words', async () => {
    const code = (status: object, http = 404) => asked({ status: http, body: { status } });
    assert.deepEqual(await code({ result_code: 'ESB000045' }), { kind: 'not_found' });
    assert.deepEqual(await code({ result_code: 'ESB000011', response_code: 'DP00800001025' }, 200), {
      kind: 'not_found',
    });
    assert.deepEqual(await code({ result_code: 'ESB000045', response_code: 'DP00900001015' }), {
      kind: 'not_found',
    });
    assert.equal((await code({ result_code: 'ESB000045', response_code: 'DP00800001000' })).kind, 'unknown');
    assert.equal((await code({ result_code: 'ESB000011' })).kind, 'unknown');
    assert.equal(
      (await code({ response_code: 'DP00800001005' })).kind,
      'unknown',
      '"Transaction ID is invalid"',
    );
    assert.equal((await code({ result_code: 'ESB000045' }, 502)).kind, 'unknown');
    assert.equal((await asked(state('TIP', 'ESB000045'))).kind, 'accepted', 'it has a state');
  });
});
