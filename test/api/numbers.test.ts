import assert from 'node:assert/strict';
import decodeQr from 'jsqr';
import { PNG } from 'pngjs';
import { numberAnswer, numberList, numbersAnswer } from '../../src/contract/number-schemas.ts';
import { isDammValid } from '../../src/domain/control-number.ts';
import { parseTanqr } from '../../src/domain/tanqr.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { asRole } from '../support/database.ts';
import { pick } from '../support/pick.ts';
import { assertRefused } from './support/api.ts';
import { useTestApi } from './support/use-api.ts';

describe('standing numbers', () => {
  const { api, test, restart } = useTestApi();
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', 'payments/numbers', { body, headers });
  const pay = async (controlNumber: string, amount: number, receipt?: string) => {
    const payment = paymentOf(controlNumber, amount, receipt === undefined ? {} : { receipt });
    return receiveBillPayment(asRole(test.database, 'api'), payment);
  };

  it('are answered as published, with a control number, and the same again by the same reference', async () => {
    const body = {
      customer_reference: ' PUPIL-1 ',
      description: 'School fees',
      minimum: 1000,
      maximum: 50000,
      metadata: { class: '2 B', seat: 7 },
    };
    const first = await post(body);
    assert.equal(first.status, 200, first.text);
    const { number } = numberAnswer.parse(first.body);
    assert.ok(isDammValid(number.reference));
    assert.match(number.pay_url ?? '', /^https:.+\/pay\/[\w-]{22}$/);
    assert.deepEqual(
      { ...number, id: '', reference: '', created_at: '', pay_url: '' },
      {
        ...body,
        customer_reference: 'PUPIL-1',
        id: '',
        reference: '',
        created_at: '',
        pay_url: '',
        purpose: 'collect',
        status: 'open',
      },
    );
    assert.ok(first.text.includes('"metadata":{"class":"2 B","seat":7}'), 'metadata as it was sent');
    const reordered = { ...body, metadata: { seat: 7, class: '2 B' } };
    for (const again of [body, reordered, { ...body, purpose: 'collect' }])
      assert.deepEqual((await post(again)).body.number, number);
    assert.deepEqual((await api.call('GET', `payments/numbers/${number.id}`)).body.number, number);
  });

  it('have a static code, which a scanner reads: each payer types the amount, unless there is one', async () => {
    const read = async (body: object) => {
      const { number, qr } = numberAnswer.parse((await post(body)).body);
      const png = PNG.sync.read(Buffer.from(qr.image.split(',')[1] ?? '', 'base64'));
      const scanned = decodeQr.default(new Uint8ClampedArray(png.data), png.width, png.height);
      assert.equal(scanned?.data, qr.payload);
      const parsed = parseTanqr(qr.payload);
      assert.ok('tanqr' in parsed, JSON.stringify(parsed));
      const { tags, dynamic, amount, billNumber, merchantName } = parsed.tanqr;
      assert.deepEqual([dynamic, tags['01'], merchantName], [false, '11', 'TEST SHOP']);
      assert.equal(billNumber, number.reference);
      const again = (await api.call('GET', `payments/numbers/${number.id}`)).body;
      assert.deepEqual(again.qr, qr, 'the same each time: it is printed');
      return amount;
    };
    assert.equal(await read({ customer_reference: 'QR-1' }), null);
    assert.equal(await read({ customer_reference: 'QR-2', minimum: 1000, maximum: 5000 }), null);
    assert.equal(await read({ customer_reference: 'QR-3', minimum: 2500, maximum: 2500 }), 250_000);
    const numbers = [{ customer_reference: 'QR-3', minimum: 2500, maximum: 2500 }];
    const [one] = numbersAnswer.parse(
      (await api.call('POST', 'payments/numbers/batch', { body: { numbers } })).body,
    ).numbers;
    const single = (await post(numbers[0])).body;
    assert.ok(one && 'qr' in one);
    assert.deepEqual(one.qr, { payload: single.qr.payload });
  });

  it('say which fields of which number of a batch they do not know', async () => {
    const numbers = [{ customer_reference: 'IGN-1' }, { customer_reference: 'IGN-2', colour: 'red' }];
    const answer = await api.call('POST', 'payments/numbers/batch', { body: { numbers, shade: 1 } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['x-ignored-fields'], 'numbers.1.colour, shade');
  });

  it('have one reference: with other fields it is taken, and nothing changes', async () => {
    const { number } = (await post({ customer_reference: 'PUPIL-2', minimum: 1000 })).body;
    for (const other of [
      { minimum: 2000 },
      {},
      { minimum: 1000, purpose: 'top_up' },
      { minimum: 1000, description: 'x' },
    ]) {
      const refused = await post({ customer_reference: 'PUPIL-2', ...other });
      assertRefused(refused, 409, 'payment_number_taken', ['customer_reference']);
    }
    assert.deepEqual((await api.call('GET', `payments/numbers/${number.id}`)).body.number, number);
  });

  const wrong: [what: string, body: object, fields: string[], code?: string][] = [
    ['no reference', {}, ['customer_reference']],
    ['an empty reference', { customer_reference: ' ' }, ['customer_reference']],
    ['a reference of 65 characters', { customer_reference: 'x'.repeat(65) }, ['customer_reference']],
    ['payers of a number for customers', { customer_reference: 'W', payers: ['0754123456'] }, ['payers']],
    [
      'too many payers',
      { customer_reference: 'W', purpose: 'top_up', payers: Array(21).fill('0754123456') },
      ['payers'],
    ],
    ['no payers', { customer_reference: 'W', purpose: 'top_up', payers: [] }, ['payers']],
    [
      'payers that are no numbers',
      { customer_reference: 'W', purpose: 'top_up', payers: ['0754', 754000001] },
      ['payers.0', 'payers.1'],
    ],
    ['an unknown purpose', { customer_reference: 'W', purpose: 'gift' }, ['purpose']],
    ['cents', { customer_reference: 'W', minimum: 1.5 }, ['minimum']],
    ['bounds the wrong way round', { customer_reference: 'W', minimum: 2000, maximum: 1000 }, ['maximum']],
    [
      'more than any bill',
      { customer_reference: 'W', maximum: 10_000_001 },
      ['maximum'],
      'amount_out_of_range',
    ],
    ['two wrong fields', { customer_reference: 7, minimum: '1' }, ['customer_reference', 'minimum']],
  ];
  for (const [what, body, fields, code = 'validation_failed'] of wrong)
    it(`refuse ${what}`, async () => assertRefused(await post(body), 422, code, fields));

  it('are made a thousand at once, each answered by itself and in order', async () => {
    const numbers: object[] = Array.from({ length: 1_000 }, (_, i) => ({ customer_reference: `BULK-${i}` }));
    numbers[3] = { customer_reference: 'BULK-2' };
    numbers[4] = { customer_reference: 'BULK-2', minimum: 500 };
    numbers[5] = { customer_reference: 'BULK-5', minimum: 0 };
    numbers[6] = 'BULK-6' as unknown as object;
    numbers[7] = { customer_reference: 'BULK-7', metadata: { n: 1 }, minimum: null };
    const call = () =>
      api.call('POST', 'payments/numbers/batch', {
        raw: JSON.stringify({ numbers }).replace('"n":1', '"n":1.0'),
      });
    const answer = await call();
    assert.equal(answer.status, 200, answer.text);
    const made = numbersAnswer.parse(answer.body).numbers;
    assert.equal(made.length, 1_000);
    assert.equal(answer.body.message, '997 of 1000 numbers can be paid now');
    const shown = answer.body.numbers.map(
      (one: { number?: { customer_reference: string } }) => one.number?.customer_reference,
    );
    assert.deepEqual([shown[0], shown[3], shown[999]], ['BULK-0', 'BULK-2', 'BULK-999']);
    assert.equal(answer.body.numbers[3].number.id, answer.body.numbers[2].number.id);
    assert.equal(answer.body.numbers[4].errors[0].field, 'customer_reference');
    assert.deepEqual(
      [answer.body.numbers[5].customer_reference, answer.body.numbers[5].errors[0].field],
      ['BULK-5', 'minimum'],
    );
    assert.equal(answer.body.numbers[6].errors[0].field, 'numbers.6');
    assert.ok(answer.text.includes('{"n":1.0}'), 'metadata as it was sent');
    assert.deepEqual((await call()).body.numbers, answer.body.numbers, 'the same again');
    assert.equal(
      new Set(answer.body.numbers.map((one: { number?: { reference: string } }) => one.number?.reference))
        .size,
      997,
    );
  }).timeout(30_000);

  it('refuse a batch that is empty, too long or too large', async () => {
    const batch = (body: unknown) => api.call('POST', 'payments/numbers/batch', { body });
    assertRefused(await batch({ numbers: [] }), 422, 'validation_failed');
    assertRefused(await batch({}), 422, 'validation_failed');
    const many = Array.from({ length: 1_001 }, () => ({}));
    assertRefused(await batch({ numbers: many }), 422, 'validation_failed');
    assertRefused(await batch({ numbers: [], filler: 'x'.repeat(513 * 1024) }), 413, 'payload_too_large');
    const long = { customer_reference: 'x', filler: 'x'.repeat(65 * 1024) };
    assertRefused(await post(long), 413, 'payload_too_large');
  });

  it('are listed newest first, and found by their references and status', async () => {
    const list = async (query = '') =>
      numberList.parse((await api.call('GET', `payments/numbers${query}`)).body);
    const { number } = (await post({ customer_reference: 'LIST-1' })).body;
    assert.equal((await list()).data[0]?.id, number.id);
    assert.deepEqual((await list('?customer_reference=LIST-1')).data, [number]);
    assert.deepEqual((await list(`?reference=${number.reference}&status=open`)).data, [number]);
    assert.deepEqual((await list(`?reference=${number.reference}&status=closed`)).data, []);
    assert.equal((await list('?customer_reference=NOBODY')).pagination.total_items, 0);
    assertRefused(await api.call('GET', 'payments/numbers?statuses=open'), 422, 'validation_failed');
  });

  it('are closed and opened again, as often as one likes', async () => {
    const { number } = (await post({ customer_reference: 'CLOSE-1' })).body;
    const set = (to: string) => api.call('POST', `payments/numbers/${number.id}/${to}`);
    for (const _ of [1, 2]) assert.equal((await set('close')).body.number.status, 'closed');
    const again = (await post({ customer_reference: 'CLOSE-1' })).body;
    assert.deepEqual(
      [again.number.status, again.message],
      ['closed', 'The number is closed: nothing more is taken'],
    );
    assert.deepEqual(await pay(number.reference, 1_000), { outcome: 'refused', reason: 'bill_closed' });
    for (const _ of [1, 2]) assert.equal((await set('open')).body.number.status, 'open');
    assert.equal((await pay(number.reference, 1_000)).outcome, 'accepted');
  });

  it('have payments with lookup, list item, filters, statement and entries like any other', async () => {
    const { number } = (await post({ customer_reference: 'PAID-1', metadata: { pupil: 'P-1' } })).body;
    await pay(number.reference, 10_000, 'RCPT-N-1');
    const paid = await pay(number.reference, 2_000.5, 'RCPT-N-2');
    const id = 'transactionId' in paid ? paid.transactionId : '';
    const lookup = await api.call('GET', `payments/${id}`);
    const shown = { id: number.id, reference: number.reference, customer_reference: 'PAID-1' };
    assert.equal(lookup.body.status, 'completed', lookup.text);
    const { payment } = lookup.body;
    assert.deepEqual(
      [
        payment.transaction_mode,
        payment.number,
        payment.fee,
        payment.settled,
        payment.metadata,
        payment.channel,
      ],
      ['number', shown, '30.00', '1,970.50', { pupil: 'P-1' }, { name: 'M-PESA', reference: 'RCPT-N-2' }],
    );
    for (const query of [
      'mode=number',
      `reference=${number.reference}`,
      'reference=PAID-1',
      'metadata[pupil]=P-1&type=payment',
    ]) {
      const listed = (await api.call('GET', `transactions?${query}`)).body;
      assert.deepEqual([listed.data[0].transaction_id, listed.data[0].number], [id, shown], query);
      if (query !== 'mode=number') assert.equal(listed.pagination.total_items, 2, query);
    }
    assert.equal((await api.call('GET', 'transactions?reference=RCPT-N-2')).body.pagination.total_items, 1);
    const entries = (await api.call('GET', `transactions/${id}/entries`)).body.entries;
    assert.equal(entries.length, 3);
    const statement = (await api.call('GET', 'statements')).body.data;
    const lines = statement.filter((line: { transaction_id?: string }) => line.transaction_id === id);
    assert.deepEqual(pick(lines, 'type', 'amount', 'description'), [
      ['payment', '2,000.50', 'Payment of a number'],
      ['fee', '-30.00', 'Fee: Payment of a number'],
    ]);
    assertRefused(await api.call('POST', `payments/${id}/cancel`), 409, 'not_cancellable');
  });

  it('of purpose top_up are top-ups on the statement, without a fee, and their payments are not refunded', async () => {
    const asked = {
      customer_reference: 'TOP-UP',
      purpose: 'top_up',
      payers: ['0754 123 456', '0150123456789'],
    };
    const { number } = (await post(asked)).body;
    assert.deepEqual(number.payers, ['0150123456789', '0754123456']);
    for (const payers of [undefined, ['0754123456'], ['0754123457', '0150123456789']])
      assertRefused(await post({ ...asked, payers }), 409, 'payment_number_taken');
    assert.deepEqual((await post({ ...asked, payers: asked.payers.toReversed() })).body.number, number);
    const paid = await pay(number.reference, 50_000);
    const id = 'transactionId' in paid ? paid.transactionId : '';
    const statement = (await api.call('GET', 'statements')).body.data;
    const lines = statement.filter((line: { transaction_id?: string }) => line.transaction_id === id);
    assert.deepEqual(pick(lines, 'type', 'amount'), [['top_up', '50,000.00']]);
    const refused = await api.call('POST', `payments/${id}/refunds`, {
      body: {},
      headers: { 'Idempotency-Key': 'refund-of-a-top-up' },
    });
    assertRefused(refused, 409, 'not_refundable');
  });

  it('say that nothing was started, or that nobody knows, where Temporal does not answer', async () => {
    for (const [outcome, code] of [
      ['not_sent', 'unavailable'],
      ['unclear', 'outcome_unknown'],
    ] as const) {
      await restart({ flows: { makeNumbers: async () => outcome } });
      assertRefused(await post({ customer_reference: `T-${outcome}` }), 503, code);
    }
  });
});
