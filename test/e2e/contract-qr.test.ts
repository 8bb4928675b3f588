import assert from 'node:assert/strict';
import decodeQr from 'jsqr';
import { PNG } from 'pngjs';
import { assertShape, receiptUrl, type Shape, sentence, timestamp, uuid } from '../support/shape.ts';
import {
  assertAnswer,
  billedEvent,
  lookupShape,
  nobody,
  openShop,
  paymentShape,
  type Shop,
  textOrNull,
} from './shop.ts';

describe('answers about QR codes', function () {
  this.timeout(90_000);
  let shop: Shop;

  before(async () => {
    shop = await openShop();
    await shop.listen();
  });

  it('a QR code, made, waiting, scanned from its image and paid', async () => {
    const created = await shop.post('payments/qr', {
      amount: 15000,
      currency: 'TZS',
      description: 'Order 1',
    });
    assertAnswer(created, {
      success: true,
      message: sentence,
      transaction_id: uuid,
      transaction_channel: 'DYNAMIC-QR',
      amount: { value: 15000, currency: 'TZS' },
      metadata: {},
      transaction_mode: 'qr',
      qr: {
        payload: /^000201010212.*6304[0-9A-F]{4}$/,
        image: /^data:image\/png;base64,/,
        expires_at: timestamp,
      },
      pay_url: /\/pay\/[\w-]{22}$/,
    });
    const { transaction_id: id, qr } = created.json;
    const qrLookup = (status: string, more: Record<string, Shape>) =>
      lookupShape(status, {
        payment: paymentShape({
          transaction_mode: 'qr',
          metadata: {},
          description: 'Order 1',
          pay_url: created.json.pay_url,
          amount: { value: '15,000.00' },
          ...more,
        }),
      });
    assertAnswer(
      await shop.get(`payments/${id}`),
      qrLookup('pending', {
        channel: { name: 'DYNAMIC-QR', reference: null },
        customer: nobody,
        event: 'payment.pending',
        status_reason: 'Waiting for the customer to scan and pay',
        expires_at: qr.expires_at,
      }),
    );
    const image = PNG.sync.read(Buffer.from(qr.image.split(',')[1], 'base64'));
    const scanned = decodeQr.default(new Uint8ClampedArray(image.data), image.width, image.height);
    assert.equal(scanned?.data, qr.payload);
    const paid = await shop.customer('scan-qr', { payload: scanned?.data, phone_number: '0754123456' });
    assert.equal(paid.accepted, true, JSON.stringify(paid));
    const party = {
      channel: { name: 'M-PESA', reference: paid.receipt },
      customer: { full_name: textOrNull, phone_number: '0754123456' },
    };
    assertAnswer(
      await shop.get(`payments/${id}`),
      qrLookup('completed', { ...party, event: 'payment.received', fee: '150.00', settled: '14,850.00' }),
    );
    const amount = { value: '15,000.00', fee: '150.00', settled: '14,850.00' };
    assertShape(await shop.events(id, 1), [
      billedEvent({ ...party, transaction_mode: 'qr', amount, receipt_url: receiptUrl }),
    ]);
  });
});
