import assert from 'node:assert/strict';
import { bankPayoutBody, type Json, mobilePayoutBody } from '../support/gateway.ts';
import { assertShape, isNumber, money, type Shape, sentence, timestamp, uuid } from '../support/shape.ts';
import {
  assertAnswer,
  cancelledOrder,
  lookupShape,
  openShop,
  payoutShape,
  type Shop,
  textOrNull,
} from './shop.ts';

const mobileTo = (ending: string): Shape => ({
  phone_number: `0754123${ending}`,
  phone_network: 'm-pesa',
  full_name: textOrNull,
});
const bankTo = (ending: string): Shape => ({
  bank_account: `0150123456${ending}`,
  bank_name: 'CRDB BANK',
  bank_bic: 'CORUTZTZ',
});

const kinds = [
  {
    path: 'payouts/mobile',
    ending: '456',
    bodyOf: mobilePayoutBody,
    metadata: { order_id: 'WD-1' },
    created: { amount: { value: 50_000, currency: 'TZS', fee: 1_000 } },
    value: '50,000.00',
    detailOf: (ending: string) => ({
      transaction_method: 'mobile',
      amount: { value: '50,000.00', fee: '1,000.00' },
      mobile: { phone_number: `0754123${ending}`, network: 'm-pesa' },
    }),
    beneficiaryOf: mobileTo,
    channel: 'm-pesa',
    failure: { failure_code: 'recipient_not_found', failure_reason: 'Recipient phone number is invalid' },
  },
  {
    path: 'payouts/bank',
    ending: '789',
    bodyOf: bankPayoutBody,
    metadata: { order_id: 4001 },
    created: {
      amount: { value: 400_000, currency: 'TZS', fee: 2_360 },
      bank: { account_number: '0150123456789', bic: 'CORUTZTZ' },
    },
    value: '400,000.00',
    detailOf: (ending: string) => ({
      transaction_method: 'ach',
      amount: { value: '400,000.00', fee: '2,360.00' },
      bank: { account_number: `0150123456${ending}`, name: 'CRDB BANK', bic: 'CORUTZTZ' },
    }),
    beneficiaryOf: bankTo,
    channel: 'crdb_bank',
    failure: { failure_code: 'invalid_account', failure_reason: 'Bank account not found' },
  },
];

describe('answers about payouts', function () {
  this.timeout(90_000);
  let shop: Shop;

  before(async () => {
    shop = await openShop({ balance: 10_000_000 });
  });

  for (const { path, ending, bodyOf, metadata, created, ...kind } of kinds) {
    const payoutOf = (more: Record<string, Shape>) =>
      payoutShape({ channel: { name: kind.channel, reference: textOrNull }, metadata, ...more });
    const openShape = (to: string, more: Record<string, Shape>) =>
      payoutOf({ ...kind.detailOf(to), beneficiary: kind.beneficiaryOf(to), ...more });

    it(`POST ${path}: accepted and paid`, async () => {
      const answer = await shop.post(path, bodyOf(ending));
      assertAnswer(answer, {
        success: true,
        message: sentence,
        balance: { current: isNumber, reserved: isNumber },
        transaction_id: uuid,
        status: 'initiated',
        ...created,
        metadata,
      });
      const paid = await shop.final(`payouts/${answer.json.transaction_id}`);
      const payout = openShape(ending, { event: 'payout.completed', paid_at: timestamp });
      assertAnswer(paid, lookupShape('paid', { payout }));
      assert.equal((await shop.get(`payouts/check/${answer.json.transaction_id}`)).text, paid.text);
    });

    it(`POST ${path}: pending`, async () => {
      const { json } = await shop.post(path, bodyOf('129'));
      const payout = openShape('129', { event: 'payout.pending', status_reason: sentence });
      assertAnswer(await shop.get(`payouts/${json.transaction_id}`), lookupShape('pending', { payout }));
    });

    it(`POST ${path}: failed`, async () => {
      const { json } = await shop.post(path, bodyOf('029'));
      const payout = payoutOf({
        event: 'payout.failed',
        amount: { value: kind.value },
        ...kind.failure,
        beneficiary: kind.beneficiaryOf('029'),
      });
      assertAnswer(await shop.final(`payouts/${json.transaction_id}`), lookupShape('failed', { payout }));
    });

    it(`POST ${path}: cancelled, told by the cancellation, again, and by the lookup`, async () => {
      const cancelled = await cancelledOrder(shop, path, bodyOf(ending));
      const where = `payouts/${cancelled.json.payout.transaction_id}`;
      const payout = payoutOf({
        event: 'payout.failed',
        amount: { value: kind.value },
        status_reason: /returned to the balance/,
        beneficiary: kind.beneficiaryOf(ending),
      });
      for (const answer of [cancelled, await shop.send('POST', `${where}/cancel`), await shop.get(where)])
        assertAnswer(answer, lookupShape('cancelled', { payout }));
    });
  }

  const previewShape = (more: Record<string, Shape>) => ({
    success: true,
    message: sentence,
    preview_id: sentence,
    expires_at: timestamp,
    ...more,
  });

  it('the preview of a mobile payout, with the name the network knows', async () => {
    assertAnswer(
      await shop.send('POST', 'payouts/mobile/preview', mobilePayoutBody()),
      previewShape({
        amount: { value: 50_000, currency: 'TZS', fee: 1_000, total: 51_000 },
        balance: { current: isNumber, reserved: isNumber, sufficient: true },
        channel: { name: 'm-pesa' },
        beneficiary: { full_name: 'ASHA JUMA', name_match: null, phone_number: '0754123456' },
        limits: { minimum: 1, maximum: 300_000 },
        metadata: { order_id: 'WD-1' },
      }),
    );
  });

  it('the preview of a bank payout, of an account that misses one shilling', async () => {
    const poor = await openShop({ balance: 402_359 });
    const body = { ...bankPayoutBody(), beneficiary: { full_name: 'juma  ASHA' } };
    const answer = await poor.send('POST', 'payouts/bank/preview', body);
    assertAnswer(
      answer,
      previewShape({
        amount: { value: 400_000, currency: 'TZS', fee: 2_360, total: 402_360 },
        balance: { current: 402_359, reserved: 0, sufficient: false },
        channel: { name: 'crdb_bank' },
        beneficiary: {
          full_name: 'ASHA JUMA',
          name_match: true,
          account_number: '0150123456789',
          bank_name: 'CRDB BANK',
          bic: 'CORUTZTZ',
        },
        limits: { minimum: 1, maximum: 1_000_000 },
        metadata: { order_id: 4001 },
      }),
    );
    const validForMs = Date.parse(answer.json.expires_at) - Date.parse(answer.headers.get('date') ?? '');
    assert.ok(Math.abs(validForMs - 15 * 60_000) < 10_000, `${validForMs}`);
  });

  it('a preview tells a name that differs, an account that is missing, and bears a silent channel', async () => {
    const preview = (path: string, body: unknown) => shop.send('POST', `${path}/preview`, body);
    const other = await preview('payouts/bank', bankPayoutBody('301'));
    assert.equal(other.status, 200, other.text);
    assert.equal(other.json.beneficiary.name_match, false);
    for (const { path, bodyOf } of kinds) {
      const missing = await preview(path, bodyOf('029'));
      assert.equal(missing.status, 422, missing.text);
      assert.equal(missing.json.code, 'recipient_not_found');
      const silent = await preview(path, bodyOf('219'));
      assert.equal(silent.status, 200, silent.text);
      assert.deepEqual([silent.json.beneficiary.full_name, silent.json.beneficiary.name_match], [null, null]);
    }
  });

  it('the bank list, with the past bank payouts beside it', async () => {
    const answer = await shop.get('payouts/bank/list?per_page=2');
    assertAnswer(answer, {
      success: true,
      message: sentence,
      banks: Array.isArray,
      payouts: [isBankPayout, isBankPayout],
      pagination: { current_page: 1, last_page: isNumber, per_page: 2, total_items: isNumber },
    });
    const { banks, pagination } = answer.json;
    assert.equal(pagination.last_page, Math.ceil(pagination.total_items / 2));
    assert.equal(banks.length, 41);
    for (const bank of banks)
      assertShape(bank, { name: /^[A-Z ]+$/, value: /^[a-z_]+$/, bic: /^[A-Z]{4}TZ[A-Z0-9]{2}$/ });
    const names = banks.map((bank: Json) => bank.name);
    assert.deepEqual(names, [...names].sort());
    const beyond = await shop.get('payouts/bank/list?page=999&per_page=2');
    assert.deepEqual(beyond.json.payouts, []);
    assert.deepEqual(beyond.json.banks, banks);
    assert.deepEqual(beyond.json.pagination, { ...pagination, current_page: 999 });
  });

  function isBankPayout(item: unknown): boolean {
    const { status } = item as Json;
    assertShape(item, {
      transaction_id: uuid,
      type: 'payout',
      transaction_mode: 'bank',
      transaction_currency: 'TZS',
      status: /^(pending|paid|failed|cancelled)$/,
      event: /^payout\./,
      channel: { name: 'crdb_bank', reference: textOrNull },
      amount: {
        value: money,
        ...(['failed', 'cancelled'].includes(status) ? {} : { fee: money }),
      },
      beneficiary: { bank_account: /^\d{13}$/, bank_name: 'CRDB BANK', bank_bic: 'CORUTZTZ' },
      reference: /^PO/,
      ...(status === 'paid' ? { paid_at: timestamp } : {}),
      ...(status === 'failed' ? { failure_reason: sentence, failure_code: sentence } : {}),
      metadata: { order_id: 4001 },
      created_at: timestamp,
      updated_at: timestamp,
    });
    return true;
  }
});
