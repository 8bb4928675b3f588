import assert from 'node:assert/strict';
import table from '../../src/channels/selcom/codes.json' with { type: 'json' };
import {
  collection,
  envelope,
  nonsense,
  openGateway,
  orderStatus,
  type ScriptedGateway,
} from './selcom/scripted-gateway.ts';

const CREATE = '/checkout/create-order-minimal';
const PAY = '/checkout/wallet-payment';
const STATUS = '/checkout/order-status';

describe('a push of the Selcom channel: an order, then its payment', () => {
  let gateway: ScriptedGateway;
  beforeEach(async () => {
    gateway = await openGateway();
    gateway.answers[CREATE] = [envelope('000', 'SUCCESS')];
    gateway.answers[PAY] = [envelope('111', 'PENDING')];
  });
  afterEach(() => gateway.close());

  it('makes the order with the page’s fields, and asks the customer with the second call', async () => {
    assert.deepEqual(await gateway.push(), { kind: 'accepted', channelReference: '0289999288' });
    const [order, payment] = gateway.seen;
    assert.deepEqual(order?.fields, {
      vendor: 'TILL1',
      order_id: collection,
      buyer_email: 'payments@malipo.invalid',
      buyer_name: 'Customer',
      buyer_phone: '255654000001',
      amount: 15_000,
      currency: 'TZS',
      webhook: Buffer.from('https://pay.example/channels/selcom').toString('base64'),
      buyer_remarks: 'Payment',
      merchant_remarks: collection,
      no_of_items: 1,
      expiry: 10,
    });
    assert.deepEqual(payment?.fields, { transid: collection, order_id: collection, msisdn: '255654000001' });
    assert.equal(payment?.headers['signed-fields'], 'transid,order_id,msisdn');
  });

  for (const [what, answer] of nonsense)
    it(`says not_sent after ${what} for the order: nobody was asked`, async () => {
      gateway.answers[CREATE] = [answer];
      assert.equal((await gateway.push()).kind, 'not_sent');
      assert.deepEqual(gateway.paths(), [CREATE]);
    });

  for (const [what, answer] of nonsense)
    it(`knows nothing after ${what} for the payment, but that Selcom has it, and does not repeat it`, async () => {
      gateway.answers[PAY] = [answer];
      const result = await gateway.push();
      assert.ok(result.kind === 'unknown' && result.seen);
      assert.deepEqual(gateway.paths(), [CREATE, PAY]);
    });

  it('goes on with the order of an earlier try whose answer was lost: the same order_id, asked for once', async () => {
    gateway.answers[CREATE] = ['break', envelope('409', 'FAIL')];
    gateway.answers[STATUS] = [orderStatus({ payment_status: 'PENDING' })];
    assert.equal((await gateway.push()).kind, 'not_sent');
    assert.equal((await gateway.push()).kind, 'accepted');
    assert.deepEqual(gateway.paths(), [CREATE, CREATE, STATUS, PAY]);
    assert.deepEqual(
      gateway.seen.map(({ fields }) => fields.order_id),
      [collection, collection, collection, collection],
    );
  });

  it('does not ask again for an order that is under way, or is another one', async () => {
    gateway.answers[CREATE] = [envelope('409', 'FAIL')];
    for (const found of [
      { payment_status: 'INPROGRESS' },
      { payment_status: 'COMPLETED' },
      { payment_status: 'REJECTED' },
      { payment_status: 'PENDING', amount: '15001' },
      { payment_status: 'PENDING', amount: null },
      { payment_status: 'PENDING', order_id: 'PYSOMEBODYELSES00' },
    ]) {
      gateway.answers[STATUS] = [orderStatus(found)];
      const result = await gateway.push();
      assert.ok(result.kind === 'unknown' && result.seen, JSON.stringify(found));
    }
    assert.equal(gateway.paths().includes(PAY), false);
  });

  it('fails when the order is refused and there is none, without asking anybody', async () => {
    gateway.answers[CREATE] = [{ status: 412, ...envelope('412', 'FAIL') }];
    for (const none of [envelope('999', 'AMBIGUOUS'), envelope('404', 'FAIL')]) {
      gateway.answers[STATUS] = [none];
      assert.deepEqual(await gateway.push(), {
        kind: 'failed',
        code: 'network_error',
        channelReference: null,
      });
    }
    gateway.answers[STATUS] = ['break'];
    assert.equal((await gateway.push()).kind, 'not_sent');
    assert.equal(gateway.paths().includes(PAY), false);
  });

  it('fails when the payment is refused, and says not_sent when it was refused at the door', async () => {
    gateway.answers[PAY] = [envelope('010', 'FAIL')];
    const refused = await gateway.push();
    assert.ok(refused.kind === 'failed' && refused.code === 'payer_not_found');
    gateway.answers[PAY] = [{ status: 401, ...envelope('401', 'FAIL') }];
    assert.equal((await gateway.push()).kind, 'not_sent');
  });

  it('never sends a bank or a fraction of a shilling', async () => {
    assert.equal((await gateway.push(gateway.channelOf({}, 'bank'))).kind, 'not_sent');
    assert.equal((await gateway.push(undefined, { amount: 1_500_001 })).kind, 'failed');
    assert.deepEqual(gateway.paths(), []);
  });

  for (const row of table.states.filter(({ code }) => code !== '*'))
    it(`reads an order in the state ${row.code} as ${row.outcome}`, async () => {
      gateway.answers[STATUS] = [orderStatus({ payment_status: row.code })];
      const result = await gateway.enquire(gateway.channelOf(), 'collection');
      const kinds: Record<string, string> = { success: 'succeeded', pending: 'accepted', final: 'failed' };
      assert.equal(result.kind, kinds[row.outcome]);
      if (result.kind === 'failed')
        assert.equal(result.code, 'failure_code' in row ? row.failure_code : null);
    });

  it('believes a completed order whose numbers are numbers', async () => {
    const numbers = { reference: 281121212, transid: 7945454515, phone: 255654000001, creation_date: 0 };
    gateway.answers[STATUS] = [orderStatus(numbers)];
    const result = await gateway.enquire(gateway.channelOf(), 'collection');
    assert.deepEqual(
      [result.kind, 'channelReference' in result && result.channelReference],
      ['succeeded', '281121212'],
    );
  });

  it('believes a completed order only with our id and an amount', async () => {
    const asked = async (more: object) => {
      gateway.answers[STATUS] = [orderStatus(more)];
      return gateway.enquire(gateway.channelOf(), 'collection');
    };
    assert.deepEqual(await asked({ amount: 15_100 }), {
      kind: 'succeeded',
      amount: 1_510_000,
      currency: 'TZS',
      channelReference: '0281121212',
      fullName: null,
    });
    for (const [more, isSeen] of [
      [{ amount: null }, true],
      [{ amount: 'all of it' }, true],
      [{ payment_status: 'PARKED' }, true],
      [{ order_id: 'PYSOMEBODYELSES00' }, false],
      [{ payment_status: 7 }, true],
      [{ payment_status: [] }, false],
    ] as const) {
      const result = await asked(more);
      assert.deepEqual([result.kind, 'seen' in result], ['unknown', isSeen], JSON.stringify(more));
    }
  });

  it('takes no refused question for the order’s end', async () => {
    for (const answer of [
      ...nonsense.map(([, each]) => each),
      envelope('404', 'FAIL'),
      envelope('000', 'SUCCESS'),
    ]) {
      gateway.answers[STATUS] = [answer];
      assert.equal((await gateway.enquire(gateway.channelOf(), 'collection')).kind, 'unknown');
    }
    gateway.answers[STATUS] = [envelope('404', 'FAIL')];
    const informed = gateway.channelOf({ notFoundCodes: ['404'] });
    assert.deepEqual(await gateway.enquire(informed, 'collection'), { kind: 'not_found' });
  });

  it('takes no word about another order for ours being nowhere', async () => {
    const informed = gateway.channelOf({ notFoundCodes: ['404'] });
    for (const named of [
      { transid: 'PY0000000000000002' },
      { data: [{ order_id: 'PY0000000000000002', payment_status: 'PENDING' }] },
    ]) {
      gateway.answers[STATUS] = [envelope('404', 'FAIL', named)];
      assert.equal((await gateway.enquire(informed, 'collection')).kind, 'unknown', JSON.stringify(named));
    }
  });

  it('gives two calls the time of one', async () => {
    gateway.answers[CREATE] = [{ ...envelope('000', 'SUCCESS'), afterMs: 600 }];
    gateway.answers[PAY] = [{ ...envelope('111', 'PENDING'), afterMs: 600 }];
    assert.notEqual((await gateway.push(undefined, {}, 1_000)).kind, 'accepted');
  });
});

describe('a push of the Selcom channel in one call', () => {
  const PUSH = '/wallet/pushussd';
  const PUSH_STATUS = '/c2b/query-status';
  const paid =
    ' | COMPLETE | CONFIRMED | Payment successful\nUtility PY\nAmt TZS 15,000\nTransID X\nReference 0406';
  let gateway: ScriptedGateway;
  const channelOf = (changes: object = {}) => gateway.channelOf({ collect: 'push-ussd', ...changes });
  beforeEach(async () => {
    gateway = await openGateway();
  });
  afterEach(() => gateway.close());

  it('asks the customer, and takes a success for no more than that', async () => {
    gateway.answers[PUSH] = [envelope('000', 'SUCCESS')];
    assert.equal((await gateway.push(channelOf())).kind, 'accepted');
    assert.deepEqual(gateway.seen[0]?.fields, {
      transid: collection,
      utilityref: collection,
      amount: 15_000,
      vendor: 'TILL1',
      msisdn: '255654000001',
    });
  });

  for (const [what, answer] of nonsense)
    it(`does not know what to make of ${what}, sent or asked`, async () => {
      gateway.answers[PUSH] = [answer];
      gateway.answers[PUSH_STATUS] = [answer];
      assert.equal((await gateway.push(channelOf())).kind, 'unknown');
      assert.equal((await gateway.enquire(channelOf(), 'collection')).kind, 'unknown');
    });

  it('reads the money that moved from the sentence, and believes no success without it', async () => {
    const asked = (message: string) => {
      gateway.answers[PUSH_STATUS] = [envelope('000', 'SUCCESS', { message })];
      return gateway.enquire(channelOf(), 'collection');
    };
    assert.deepEqual(await asked(paid), {
      kind: 'succeeded',
      amount: 1_500_000,
      currency: 'TZS',
      channelReference: '0289999288',
      fullName: null,
    });
    for (const message of [
      'Request in progress',
      '',
      paid.replace('TZS', 'USD'),
      paid.replace('15,000', '-1'),
    ])
      assert.equal((await asked(message)).kind, 'unknown', message);
  });

  it('takes a refused question for no refused push: only a refusal that names its transid is one', async () => {
    const asked = async (answer: object) => {
      gateway.answers[PUSH_STATUS] = [answer];
      return (await gateway.enquire(channelOf(), 'collection')).kind;
    };
    assert.equal(await asked(envelope('738', 'FAIL', { transid: collection })), 'failed');
    assert.equal(await asked(envelope('738', 'FAIL')), 'unknown');
    assert.equal(await asked(envelope('412', 'FAIL', { transid: collection })), 'unknown');
  });

  it('names no receipt where the answer names none: the number of the acceptance is another one', async () => {
    for (const message of [paid, 'Request in progress']) {
      const code = message === paid ? '000' : '111';
      gateway.answers[PUSH_STATUS] = [envelope(code, 'SUCCESS', { message, reference: null })];
      const asked = await gateway.enquire(channelOf(), 'collection', { channelReference: '0289' });
      assert.equal('channelReference' in asked ? asked.channelReference : asked.kind, null, message);
    }
  });

  it('asks by our transid or by Selcom’s reference, never by both', async () => {
    gateway.answers[PUSH_STATUS] = [envelope('111', 'INPROGRESS')];
    await gateway.enquire(channelOf(), 'collection', { channelReference: '0289' });
    await gateway.enquire(channelOf({ pushStatusBy: 'reference' }), 'collection', {
      channelReference: '0289',
    });
    await gateway.enquire(channelOf({ pushStatusBy: 'reference' }), 'collection');
    assert.deepEqual(
      gateway.seen.map(({ fields }) => fields),
      [{ transid: collection }, { reference: '0289' }, { transid: collection }],
    );
  });
});
