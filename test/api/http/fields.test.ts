import assert from 'node:assert/strict';
import { assertRefused, freshKey } from '../support/api.ts';
import { bank, push } from '../support/bodies.ts';
import { useTestApi } from '../support/use-api.ts';

describe('fields', () => {
  const { api } = useTestApi();

  const create = (path: string, body: unknown) => api.call('POST', path, { headers: freshKey(), body });

  type Wrong = [name: string, changes: object, fields: string[], code?: string];
  const RANGE = 'amount_out_of_range';
  const NETWORK = 'unsupported_network';
  const nothing = { amount: undefined, currency: undefined, phone_number: undefined };
  const ofPush: Wrong[] = [
    ['no fields', nothing, Object.keys(nothing)],
    ['an amount as text', { amount: '5000' }, ['amount']],
    ['a negative amount', { amount: -1 }, ['amount']],
    ['half a shilling', { amount: 1000.5 }, ['amount']],
    ['999 shillings', { amount: 999 }, ['amount'], RANGE],
    ['10,000,001 shillings', { amount: 10_000_001 }, ['amount'], RANGE],
    ['1e21 shillings', { amount: 1e21 }, ['amount'], RANGE],
    ['no shilling', { amount: 0 }, ['amount']],
    ['dollars', { currency: 'USD' }, ['currency'], 'unsupported_currency'],
    ['half a currency', { currency: 'TZ' }, ['currency'], 'unsupported_currency'],
    ['a number of another country', { phone_number: '+254754123456' }, ['phone_number']],
    ['SQL', { phone_number: "0754123456'; --" }, ['phone_number']],
    ['a landline', { phone_number: '0222123456' }, ['phone_number']],
    ['a number as a number', { phone_number: 754123456 }, ['phone_number']],
    ['a prefix nobody uses', { phone_number: '0600000000' }, ['phone_number'], NETWORK],
    ['a network nobody knows', { transaction_channel: 'NOKIA' }, ['transaction_channel'], NETWORK],
    ['four items', { metadata: { a: 1, b: 2, c: 3, d: 4 } }, ['metadata']],
    ['a long item', { metadata: { a: 'x'.repeat(100) } }, ['metadata.a']],
    ['a list that is a long item', { metadata: { a: ['x'.repeat(96)] } }, ['metadata.a']],
    ['a list as metadata', { metadata: [] }, ['metadata']],
    ['text as metadata', { metadata: 'x' }, ['metadata']],
  ];
  const ofBank: Wrong[] = [
    ['1,000,001 to a bank', { amount: 1_000_001 }, ['amount'], RANGE],
    ['a bank nobody knows', { bic: 'SBICTZTZ' }, ['bic'], 'unknown_bank'],
    ['a bank that is gone', { bic: 'CNRBTZTZ' }, ['bic'], 'unknown_bank'],
    ['a BIC of seven characters', { bic: 'CORUTZT' }, ['bic'], 'unknown_bank'],
    ['a BIC of nine characters', { bic: 'CORUTZTZX' }, ['bic'], 'unknown_bank'],
    ['an account of 35', { account_number: '1'.repeat(35) }, ['account_number']],
    ['an account with a slash', { account_number: '0150/23456' }, ['account_number']],
    ['a name of 141', { beneficiary: { full_name: 'x'.repeat(141) } }, ['beneficiary.full_name']],
    [
      'a telephone of six digits',
      { beneficiary: { full_name: 'Asha', phone_number: '123456' } },
      ['beneficiary.phone_number'],
    ],
    ['no name', { beneficiary: {} }, ['beneficiary.full_name']],
    ['no beneficiary', { beneficiary: null }, ['beneficiary']],
    ['a name as beneficiary', { beneficiary: 'A' }, ['beneficiary']],
    ['an account of 4', { account_number: '1234' }, ['account_number']],
    [
      'several kinds of wrong at once',
      { amount: 2_000_000, bic: 'NLCBTZTZ', beneficiary: { full_name: ' ' } },
      ['bic', 'beneficiary.full_name', 'amount'],
    ],
  ];
  const ofMobile: Wrong[] = [
    ['300,001 out', { amount: 300_001 }, ['amount'], RANGE],
    ['a preview that is a number', { preview_id: 5 }, ['preview_id']],
    ['a preview that is very long', { preview_id: 'p'.repeat(5_000) }, ['preview_id']],
  ];
  for (const [path, body, all] of [
    ['payments/ussd', push, ofPush],
    ['payouts/mobile', push, ofMobile],
    ['payouts/bank', bank, ofBank],
    ['payouts/bank/preview', bank, ofBank],
  ] as [string, object, Wrong[]][])
    for (const [name, changes, fields, code = 'validation_failed'] of all)
      it(`answers 422 to ${name} at ${path}`, async () =>
        assertRefused(await create(path, { ...body, ...changes }), 422, code, fields));

  it('says what to do in the published words', async () => {
    const message = async (path: string, body: object) => (await create(path, body)).body.message;
    assert.equal(
      await message('payouts/mobile', { ...push, amount: 300_001 }),
      'A mobile payout is at most 300,000 TZS',
    );
    assert.equal(
      await message('payments/ussd', { ...push, metadata: { a: 1, b: 2, c: 3, d: 4 } }),
      'metadata has 4 items; at most 3 are allowed',
    );
    assert.equal(
      await message('payouts/bank', { ...bank, amount: 0, beneficiary: {} }),
      '2 fields need correcting: amount, beneficiary.full_name',
    );
  });

  it('takes the limits themselves, and nothing else has happened', async () => {
    const long = { account_number: '0150-1234 56911', bic: 'corutztzxxx' };
    const named = { full_name: '\u00c5'.repeat(140), phone_number: '1234567' };
    const widest: [string, object][] = [
      ['payments/ussd', { ...push, amount: 1_000, metadata: { ['k'.repeat(99)]: 'v'.repeat(99) } }],
      ['payments/ussd', { ...push, amount: 500, phone_number: '0684123456' }],
      ['payments/ussd', { ...push, amount: 10_000_000, metadata: { a: '\u{1f600}'.repeat(99) } }],
      ['payouts/mobile', { ...push, amount: 300_000 }],
      ['payouts/mobile', { ...push, amount: 1 }],
      ['payouts/bank', { ...bank, amount: 1_000_000, ...long, beneficiary: named }],
    ];
    for (const [path, body] of widest) {
      const answer = await create(path, body);
      assert.equal(answer.status, 200, answer.text);
    }
    const { pagination } = (await api.call('GET', 'transactions')).body;
    assert.equal(pagination.total_items, widest.length);
  });
});
