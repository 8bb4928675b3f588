import assert from 'node:assert/strict';
import { billAnswer } from '../../src/contract/answer-schemas.ts';
import { isDammValid } from '../../src/domain/control-number.ts';
import { assertRefused } from './support/api.ts';
import { assertShape, type Shape, sentence, timestamp, uuid } from './support/shape.ts';
import { useTestApi } from './support/use-api.ts';

const bill = { amount: 25000, payment_number: 'INV-1', description: 'School fees, term 1' };
const DAY_MS = 86_400_000;
const controlNumber = (value: unknown) => typeof value === 'string' && /^77\d{10}$/.test(value);

describe('making a bill', () => {
  const { api, flows } = useTestApi();
  let made = 0;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', 'payments/billpay', { body, headers });
  const postNew = (changes: Record<string, unknown>) => {
    made += 1;
    return post({ ...bill, payment_number: `NEW-${made}`, ...changes });
  };

  it('answers as published, without an Idempotency-Key', async () => {
    const metadata = { order_id: 'INV-1', customer_note: 'School fees, term 1' };
    const answer = await post({ ...bill, payment_mode: 'exact', metadata });
    assert.equal(answer.status, 200, answer.text);
    billAnswer.parse(answer.body);
    const shape: Shape = {
      success: true,
      message: sentence,
      transaction_id: uuid,
      bill: { amount: '25,000.00', reference: controlNumber, mode: 'exact' },
      pay_url: /\/pay\/[\w-]{22}$/,
      metadata,
      expires_at: timestamp,
    };
    assertShape(answer.body, shape);
    assert.deepEqual(Object.keys(answer.body), Object.keys(shape), 'the order of the published example');
    assert.ok(isDammValid(answer.body.bill.reference));
    const days =
      (Date.parse(answer.body.expires_at) - Date.parse(flows.submissions[0]?.receivedAt ?? '')) / DAY_MS;
    assert.equal(days, 90);
  });

  it('is exact and in TZS unless its request says otherwise, and has no metadata unless some were sent', async () => {
    const plain = (await postNew({})).body;
    assert.equal(plain.bill.mode, 'exact');
    assert.deepEqual(plain.metadata, {});
    assert.equal((await postNew({ payment_mode: 'flexible', currency: 'TZS' })).body.bill.mode, 'flexible');
    assert.deepEqual([...new Set(flows.submissions.map(({ request }) => request.currency))], ['TZS']);
  });

  const amounts: [sent: string, shown: string][] = [
    ['1', '1.00'],
    ['12500.5', '12,500.50'],
    ['25000.10', '25,000.10'],
    ['1.29e3', '1,290.00'],
    ['8.03', '8.03'],
    ['9999999.99', '9,999,999.99'],
    ['10000000', '10,000,000.00'],
  ];
  for (const [sent, shown] of amounts) {
    it(`takes the amount ${sent}, to the cent`, async () => {
      made += 1;
      const raw = `{"amount":${sent},"payment_number":"A-${made}","description":"Fees"}`;
      const answer = await api.call('POST', 'payments/billpay', { raw });
      assert.equal(answer.body.bill?.amount, shown, answer.text);
      const lookup = await api.call('GET', `payments/${answer.body.transaction_id}`);
      assert.equal(lookup.body.payment.amount.value, shown);
    });
  }

  const refusedAmounts: [sent: string, code: string][] = [
    ['12500.505', 'validation_failed'],
    ['0.001', 'validation_failed'],
    ['0', 'validation_failed'],
    ['-0', 'validation_failed'],
    ['-5', 'validation_failed'],
    ['"25000"', 'validation_failed'],
    ['null', 'validation_failed'],
    ['true', 'validation_failed'],
    ['0.01', 'amount_out_of_range'],
    ['0.99', 'amount_out_of_range'],
    ['10000000.01', 'amount_out_of_range'],
    ['99999999999999', 'amount_out_of_range'],
    ['1e21', 'amount_out_of_range'],
    ['1e300', 'amount_out_of_range'],
  ];
  for (const [sent, code] of refusedAmounts) {
    it(`refuses the amount ${sent} as ${code}`, async () => {
      const raw = `{"amount":${sent},"payment_number":"never","description":"Fees"}`;
      assertRefused(await api.call('POST', 'payments/billpay', { raw }), 422, code, ['amount']);
    });
  }

  it('keeps its payment number, in 1 to 64 printable characters, without the space around it', async () => {
    const numbers = ['x', ' padded ', 'İnv/Ñ°7 – 2001', '😀'.repeat(64), 'a"b\\c', "'; DROP TABLE bills; --"];
    for (const payment_number of numbers) {
      const { body, text } = await post({ ...bill, payment_number });
      assert.ok(body.transaction_id, text);
      const lookup = await api.call('GET', `payments/${body.transaction_id}`);
      assert.equal(lookup.body.payment.bill.payment_number, payment_number.trim());
    }
  });

  const wrong: [field: string, values: unknown[]][] = [
    [
      'payment_number',
      [undefined, '', ' ', 7, 'x'.repeat(65), 'a\nb', 'a\u0007', 'soft\u00adhyphen', 'a\u2028b', {}],
    ],
    ['payment_mode', ['partial', 'EXACT', '', 1]],
    ['description', [undefined, '', '  ', 5, 'x'.repeat(256)]],
    ['metadata', ['x', [1], { a: 1, b: 2, c: 3, d: 4 }]],
    [
      'expires_at',
      [
        'tomorrow',
        '2036-01-01',
        '2036-01-01T00:00:00',
        '2036-02-30T00:00:00Z',
        1_900_000_000,
        '2020-01-01T00:00:00Z',
        new Date(Date.now() - 1000).toISOString(),
        // A day too many: what is made when the file is loaded is sent minutes later.
        new Date(Date.now() + 367 * DAY_MS).toISOString(),
        '9999-12-31T23:59:59Z',
      ],
    ],
  ];
  for (const [field, values] of wrong) {
    it(`refuses a wrong ${field}`, async () => {
      for (const value of values) {
        const answer = await postNew({ [field]: value });
        assertRefused(answer, 422, 'validation_failed', [field]);
      }
    });
  }

  it('refuses another currency, and tells every wrong field at once', async () => {
    for (const currency of ['USD', 'TZ\u017f'])
      assertRefused(await postNew({ currency }), 422, 'unsupported_currency', ['currency']);
    const all = { amount: 'x', currency: 1, payment_mode: 'x', expires_at: 'x', metadata: 1 };
    const names = 'amount currency payment_number payment_mode description expires_at metadata'.split(' ');
    const refused = await post(all);
    assertRefused(refused, 422, 'validation_failed', names);
    assert.equal(
      (await postNew({ payment_mode: 'x' })).body.message,
      'payment_mode must be exact or flexible',
    );
  });

  it('ends when its request says, shown in UTC with six decimals', async () => {
    const inADay = new Date(Date.now() + DAY_MS);
    const east = `${new Date(inADay.getTime() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;
    const answer = await postNew({ expires_at: east });
    assert.equal(answer.body.expires_at, `${inADay.toISOString().slice(0, 19)}.000000Z`);
    const far = new Date(Date.now() + 366 * DAY_MS - 1000).toISOString();
    assert.equal((await postNew({ expires_at: far })).body.expires_at, far.replace('Z', '000Z'));
    const precise = `${inADay.toISOString().slice(0, 19)}.484604Z`;
    assert.equal((await postNew({ expires_at: precise })).body.expires_at, precise);
  });

  it('takes 255 characters of description, counted as people count', async () => {
    assert.equal((await postNew({ description: '😀'.repeat(255) })).status, 200);
  });

  it('refuses an Idempotency-Key that is none, though none is needed', async () => {
    for (const key of ['', 'a b']) {
      const refused = await post({ ...bill, payment_number: 'never' }, { 'idempotency-key': key });
      assertRefused(refused, 400, 'idempotency_key_invalid');
    }
  });

  it('gives 200 bills made at once 200 control numbers, each with its check digit', async () => {
    const numbers = Array.from({ length: 200 }, (_, index) => `AT-ONCE-${index}`);
    const answers = await Promise.all(numbers.map((payment_number) => post({ ...bill, payment_number })));
    const references = answers.map(({ body }) => body.bill.reference);
    assert.equal(new Set(references).size, 200);
    assert.ok(references.every((reference) => controlNumber(reference) && isDammValid(reference)));
  });
});
