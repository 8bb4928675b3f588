import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import table from '../../src/channels/selcom/codes.json' with { type: 'json' };
import { heard, itHears, itKnowsNothing, itReadsCodes, PUSH, say } from './scripted.ts';
import { CREATE, envelope, fieldsOf, nonsense, orderStatus, useSelcom } from './selcom/scripted-gateway.ts';

const REFUSED = envelope('404', 'FAIL');
const informed = { notFoundCodes: ['404'] };

describe('a push of the Selcom channel: an order, then its payment', () => {
  const gateway = useSelcom();
  const steps = () => gateway.asked.map(({ path }) => path.split(/[?/]/).at(path.includes('?') ? -2 : -1));
  beforeEach(() => {
    gateway.lay(CREATE, envelope('000', 'SUCCESS'));
    gateway.lay('push', envelope('111', 'PENDING'));
  });

  it('makes the order with the page’s fields, and asks the customer with the second call', async () => {
    assert.equal(await gateway.hear('push'), 'accepted 0289999288');
    const [created, payment] = gateway.asked;
    assert.deepEqual(created && fieldsOf(created), {
      vendor: 'TILL1',
      order_id: PUSH,
      buyer_email: 'payments@malipo.invalid',
      buyer_name: 'Customer',
      buyer_phone: '255754000001',
      amount: 15_000,
      currency: 'TZS',
      webhook: Buffer.from('https://pay.example/channels/selcom').toString('base64'),
      buyer_remarks: 'Payment',
      merchant_remarks: PUSH,
      no_of_items: 1,
      expiry: 10,
    });
    assert.deepEqual(payment && fieldsOf(payment), { transid: PUSH, order_id: PUSH, msisdn: '255754000001' });
    assert.equal(payment?.headers['signed-fields'], 'transid,order_id,msisdn');
  });

  for (const [what, answer] of nonsense) {
    it(`says not_sent after ${what} for the order: nobody was asked`, async () => {
      gateway.lay(CREATE, answer);
      assert.match(await gateway.hear('push'), /^not_sent/);
      assert.deepEqual(steps(), ['create-order-minimal']);
    });

    it(`knows nothing after ${what} for the payment, but that Selcom has it, and does not repeat it`, async () => {
      gateway.lay('push', answer);
      assert.equal(await gateway.hear('push'), 'unknown seen');
      assert.deepEqual(steps(), ['create-order-minimal', 'wallet-payment']);
    });
  }

  it('goes on with the order of an earlier try whose answer was lost: the same order_id, asked for once', async () => {
    gateway.lay(CREATE, { breaks: 'before' }, envelope('409', 'FAIL'));
    gateway.lay('push?', orderStatus({ payment_status: 'PENDING' }));
    assert.equal(await gateway.hear('push'), 'not_sent');
    assert.equal(await gateway.hear('push'), 'accepted 0289999288');
    assert.deepEqual(steps(), [
      'create-order-minimal',
      'create-order-minimal',
      'order-status',
      'wallet-payment',
    ]);
    for (const asked of gateway.asked) assert.equal(fieldsOf(asked).order_id, PUSH);
  });

  for (const found of [
    { payment_status: 'INPROGRESS' },
    { payment_status: 'COMPLETED' },
    { payment_status: 'REJECTED' },
    { payment_status: 'PENDING', amount: '15001' },
    { payment_status: 'PENDING', amount: null },
    { payment_status: 'PENDING', order_id: 'PYSOMEBODYELSES00' },
  ])
    it(`does not ask again for an order that is under way, or is another one: ${Object.values(found)}`, async () => {
      gateway.lay(CREATE, envelope('409', 'FAIL'));
      gateway.lay('push?', orderStatus(found));
      assert.equal(await gateway.hear('push'), 'unknown seen');
      assert.equal(gateway.sent('push').length, 0);
    });

  for (const [what, status, expected] of [
    ['999', envelope('999', 'AMBIGUOUS'), 'failed network_error -'],
    ['404', REFUSED, 'failed network_error -'],
    ['nothing', { breaks: 'before' }, 'not_sent'],
  ] as const)
    it(`asks nobody when the order is refused, and a question for it is answered by ${what}: ${expected}`, async () => {
      gateway.lay(CREATE, { status: 412, ...envelope('412', 'FAIL') });
      gateway.lay('push?', status);
      assert.equal(await gateway.hear('push'), expected);
      assert.equal(gateway.sent('push').length, 0);
    });

  it('never sends a bank or a fraction of a shilling', async () => {
    assert.equal(await gateway.hear('push', { network: 'bank' }), 'not_sent');
    assert.equal(await gateway.hear('push', {}, { amount: 1_500_001 }), 'failed amount_out_of_range -');
    assert.deepEqual(gateway.asked, []);
  });

  const states = table.states.filter(({ code }) => code !== '*');
  itReadsCodes(gateway, 'push?', states, {
    answerOf: (payment_status) => orderStatus({ payment_status }),
    but: { success: 'succeeded TZS 15000 0281121212', pending: 'accepted 0281121212', final: '0281121212' },
  });

  itKnowsNothing(
    gateway,
    ['push?'],
    [...nonsense, ['a refusal', REFUSED], ['no order', envelope('000', 'SUCCESS')]],
  );

  const numbers = { reference: 281121212, transid: 7945454515, phone: 255654000001, creation_date: 0 };
  const another = 'PY0000000000000002';
  itHears(gateway, [
    ['push', 'a refusal', envelope('010', 'FAIL'), 'failed payer_not_found 0289999288'],
    ['push', 'a refusal at the door', { status: 401, ...envelope('401', 'FAIL') }, 'not_sent login'],
    ['push?', 'numbers', orderStatus(numbers), 'succeeded TZS 15000 281121212 7945454515'],
    ['push?', 'another amount', orderStatus({ amount: 15_100 }), 'succeeded TZS 15100 0281121212'],
    ['push?', 'no amount', orderStatus({ amount: null }), 'unknown seen'],
    ['push?', 'an amount in words', orderStatus({ amount: 'all of it' }), 'unknown seen'],
    ['push?', 'a state that nobody knows', orderStatus({ payment_status: 'PARKED' }), 'unknown seen'],
    ['push?', 'a success of another one', orderStatus({ order_id: 'PYSOMEBODYELSES00' }), 'unknown'],
    ['push?', 'a state that is a number', orderStatus({ payment_status: 7 }), 'unknown seen'],
    ['push?', 'a state that is a list', orderStatus({ payment_status: [] }), 'unknown'],
    ['push?', 'the code for not found', REFUSED, 'not_found', informed],
    ['push?', 'that code of another', envelope('404', 'FAIL', { transid: another }), 'unknown', informed],
    [
      'push?',
      'that code beside another one',
      envelope('404', 'FAIL', { data: [{ order_id: another, payment_status: 'PENDING' }] }),
      'unknown',
      informed,
    ],
  ]);

  it('gives two calls the time of one', async () => {
    // Time itself is what this test is about: two slow answers share the time of one.
    gateway.lay(CREATE, () => ({ ...envelope('000', 'SUCCESS'), waits: sleep(600) }));
    gateway.lay('push', () => ({ ...envelope('111', 'PENDING'), waits: sleep(600) }));
    assert.notEqual((await say(gateway.channelOf(), 'push', {}, { timeoutMs: 1_000 })).kind, 'accepted');
  });
});

describe('a push of the Selcom channel in one call', () => {
  const gateway = useSelcom({ push: '/v1/wallet/pushussd', 'push?': '/v1/c2b/query-status' });
  const own = { collect: 'push-ussd' };
  const byReference = { ...own, pushStatusBy: 'reference' };
  const paid =
    ' | COMPLETE | CONFIRMED | Payment successful\nUtility PY\nAmt TZS 15,000\nTransID X\nReference 0406';
  const saying = (message: string, code = '000', more = {}) =>
    envelope(code, 'SUCCESS', { message, ...more });
  const ofPush = { transid: PUSH };

  it('asks the customer, and takes a success for no more than that', async () => {
    gateway.lay('push', envelope('000', 'SUCCESS'));
    assert.equal(await gateway.hear('push', own), 'accepted 0289999288');
    assert.deepEqual(gateway.asked[0] && fieldsOf(gateway.asked[0]), {
      transid: PUSH,
      utilityref: PUSH,
      amount: 15_000,
      vendor: 'TILL1',
      msisdn: '255754000001',
    });
  });

  itKnowsNothing(gateway, ['push', 'push?'], nonsense, own);
  itHears(gateway, [
    ['push?', 'the sentence of a success', saying(paid), 'succeeded TZS 15000 0289999288', own],
    ['push?', 'a success in progress', saying('Request in progress'), 'unknown seen', own],
    ['push?', 'a success without a word', saying(''), 'unknown seen', own],
    ['push?', 'a success in dollars', saying(paid.replace('TZS', 'USD')), 'unknown seen', own],
    ['push?', 'a success below zero', saying(paid.replace('15,000', '-1')), 'unknown seen', own],
    ['push?', 'a named refusal', envelope('738', 'FAIL', ofPush), 'failed network_error 0289999288', own],
    ['push?', 'a refused question', envelope('738', 'FAIL'), 'unknown', own],
    ['push?', 'a wrong question', envelope('412', 'FAIL', ofPush), 'unknown', own],
  ]);

  it('names no receipt where the answer names none: the number of the acceptance is another one', async () => {
    for (const [answer, expected] of [
      [saying(paid, '000', { reference: null }), 'succeeded TZS 15000 -'],
      [saying('Request in progress', '111', { reference: null }), 'accepted -'],
    ] as const) {
      gateway.lay('push?', answer);
      const asked = await say(gateway.channelOf(own), 'push?', { channelReference: '0289' });
      assert.equal(heard(asked), expected);
    }
  });

  it('asks by our transid or by Selcom’s reference, never by both', async () => {
    gateway.lay('push?', envelope('111', 'INPROGRESS'));
    await gateway.hear('push?', own, { channelReference: '0289' });
    await gateway.hear('push?', byReference, { channelReference: '0289' });
    await gateway.hear('push?', byReference);
    assert.deepEqual(gateway.asked.map(fieldsOf), [ofPush, { reference: '0289' }, ofPush]);
  });
});
