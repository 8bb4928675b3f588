import assert from 'node:assert/strict';
import decodeQr from 'jsqr';
import { PNG } from 'pngjs';
import { qrAnswer } from '../../src/contract/answer-schemas.ts';
import { parseControlNumber } from '../../src/domain/control-number.ts';
import { parseTanqr } from '../../src/domain/tanqr.ts';
import { payBill, paymentOf } from '../support/bill-customer.ts';
import { assertRefused, freshKey } from './support/api.ts';
import { assertShape, type Shape, sentence, timestamp, uuid } from './support/shape.ts';
import { useTestApi } from './support/use-api.ts';

const code = { amount: 15000, currency: 'TZS', description: 'Order INV1001', metadata: {} };

describe('making a QR code', () => {
  const { api, test, flows } = useTestApi();
  const post = (body: unknown, headers: Record<string, string> = freshKey()) =>
    api.call('POST', 'payments/qr', { body, headers });

  it('answers as published', async () => {
    const answer = await post(code);
    assert.equal(answer.status, 200, answer.text);
    qrAnswer.parse(answer.body);
    const shape: Shape = {
      success: true,
      message: sentence,
      transaction_id: uuid,
      transaction_channel: 'DYNAMIC-QR',
      amount: { value: 15000, currency: 'TZS' },
      metadata: {},
      transaction_mode: 'qr',
      qr: { payload: /^000201010212/, image: /^data:image\/png;base64,/, expires_at: timestamp },
      pay_url: /\/pay\/[\w-]{22}$/,
    };
    assertShape(answer.body, shape);
    assert.deepEqual(Object.keys(answer.body), Object.keys(shape), 'the order of the published example');
    const livesMs =
      Date.parse(answer.body.qr.expires_at) - Date.parse(flows.submissions[0]?.receivedAt ?? '');
    assert.equal(livesMs, 15 * 60_000);
  });

  it('draws a PNG that a scanner reads as exactly the payload', async () => {
    for (const amount of [1, 15000, 10_000_000]) {
      const { qr } = (await post({ ...code, amount })).body;
      const png = PNG.sync.read(Buffer.from(qr.image.split(',')[1], 'base64'));
      const scanned = decodeQr.default(new Uint8ClampedArray(png.data), png.width, png.height);
      assert.equal(scanned?.data, qr.payload);
    }
  });

  it('puts amount, merchant and a control number of its own into the payload', async () => {
    const { body } = await post({ ...code, amount: 12_345 });
    const parsed = parseTanqr(body.qr.payload);
    assert.ok('tanqr' in parsed, JSON.stringify(parsed));
    const { tags, dynamic, amount, merchantName, billNumber } = parsed.tanqr;
    assert.deepEqual([dynamic, amount, merchantName], [true, 1_234_500, 'TEST SHOP']);
    assert.deepEqual(tags['26'], { '00': 'tz.go.bot.tips', '01': '02001', '02': '44719038' });
    assert.deepEqual([tags['52'], tags['60'], tags['61']], ['5999', 'DAR ES SALAAM', '11101']);
    assert.ok(billNumber?.startsWith('77') && parseControlNumber(billNumber) === billNumber, `${billNumber}`);
    const other = parseTanqr((await post({ ...code, amount: 12_345 })).body.qr.payload);
    assert.ok('tanqr' in other && other.tanqr.billNumber !== billNumber);
  });

  it('prints a name with a curly apostrophe as every wallet shows it', async () => {
    await test.database.query('UPDATE accounts SET name = $1', ['Duka la Ng\u2019ombe']);
    const parsed = parseTanqr((await post(code)).body.qr.payload);
    await test.database.query('UPDATE accounts SET name = $1', ['Test shop']);
    assert.ok('tanqr' in parsed && parsed.tanqr.merchantName === "DUKA LA NG'OMBE", JSON.stringify(parsed));
  });

  it('needs neither a description nor metadata', async () => {
    const answer = await post({ amount: 500, currency: 'TZS', description: null });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.metadata, {});
  });

  const wrong: [field: string, values: unknown[], code?: string][] = [
    ['amount', [undefined, 0, -1, 1.5, '15000', true, 0.01]],
    ['amount', [10_000_001, 1e21], 'amount_out_of_range'],
    ['currency', [undefined, 1]],
    ['currency', ['USD', 'TZ'], 'unsupported_currency'],
    ['description', ['', ' ', 5, 'x'.repeat(256)]],
    ['metadata', [1, 'x', { a: 1, b: 2, c: 3, d: 4 }]],
  ];
  for (const [field, values, refusal = 'validation_failed'] of wrong) {
    it(`refuses a wrong ${field} as ${refusal}`, async () => {
      for (const value of values)
        assertRefused(await post({ ...code, [field]: value }), 422, refusal, [field]);
    });
  }

  it('needs an Idempotency-Key', async () => {
    assertRefused(await post(code, {}), 400, 'idempotency_key_missing');
  });

  it('is looked up like a push: waiting for a scan, then completed', async () => {
    const { body } = await post(code);
    const at = `payments/${body.transaction_id}`;
    const pending = (await api.call('GET', at)).body;
    assert.equal(pending.status, 'pending');
    assert.equal(pending.payment.expires_at, body.qr.expires_at);
    const parsed = parseTanqr(body.qr.payload);
    assert.ok('tanqr' in parsed);
    const paid = paymentOf(parsed.tanqr.billNumber ?? '', 15_000, { receipt: 'CKL5T8Q9ZZ' });
    assert.equal((await payBill(test.database, paid)).outcome, 'accepted');
    const { status, payment } = (await api.call('GET', at)).body;
    assert.equal(status, 'completed');
    assert.deepEqual([payment.transaction_mode, payment.description], ['qr', 'Order INV1001']);
    assert.match(payment.pay_url, /\/pay\/[\w-]{22}$/);
  });
});
