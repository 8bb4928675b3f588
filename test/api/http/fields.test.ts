import assert from 'node:assert/strict';
import { assertRefused, freshKey } from '../support/api.ts';
import { bank, push } from '../support/bodies.ts';
import { useTestApi } from '../support/use-api.ts';

describe('fields', () => {
  const { api } = useTestApi();

  const create = (path: string, body: unknown) => api.call('POST', path, { headers: freshKey(), body });

  const wrong: [name: string, path: string, body: object, code: string, fields: string[]][] = [
    ['no fields', 'payments/ussd', {}, 'validation_failed', ['amount', 'currency', 'phone_number']],
    ['an amount as text', 'payments/ussd', { ...push, amount: '5000' }, 'validation_failed', ['amount']],
    ['a negative amount', 'payments/ussd', { ...push, amount: -1 }, 'validation_failed', ['amount']],
    ['half a shilling', 'payments/ussd', { ...push, amount: 1000.5 }, 'validation_failed', ['amount']],
    ['999 shillings', 'payments/ussd', { ...push, amount: 999 }, 'amount_out_of_range', ['amount']],
    [
      '10,000,001 shillings',
      'payments/ussd',
      { ...push, amount: 10_000_001 },
      'amount_out_of_range',
      ['amount'],
    ],
    ['1e21 shillings', 'payments/ussd', { ...push, amount: 1e21 }, 'amount_out_of_range', ['amount']],
    ['dollars', 'payments/ussd', { ...push, currency: 'USD' }, 'unsupported_currency', ['currency']],
    [
      'a landline',
      'payments/ussd',
      { ...push, phone_number: '0222123456' },
      'validation_failed',
      ['phone_number'],
    ],
    [
      'a number as a number',
      'payments/ussd',
      { ...push, phone_number: 754123456 },
      'validation_failed',
      ['phone_number'],
    ],
    [
      'a prefix nobody uses',
      'payments/ussd',
      { ...push, phone_number: '0600000000' },
      'unsupported_network',
      ['phone_number'],
    ],
    [
      'a network nobody knows',
      'payments/ussd',
      { ...push, transaction_channel: 'NOKIA' },
      'unsupported_network',
      ['transaction_channel'],
    ],
    [
      'four items',
      'payments/ussd',
      { ...push, metadata: { a: 1, b: 2, c: 3, d: 4 } },
      'validation_failed',
      ['metadata'],
    ],
    [
      'a long item',
      'payments/ussd',
      { ...push, metadata: { a: 'x'.repeat(100) } },
      'validation_failed',
      ['metadata.a'],
    ],
    ['a list as metadata', 'payments/ussd', { ...push, metadata: [] }, 'validation_failed', ['metadata']],
    ['300,001 out', 'payouts/mobile', { ...push, amount: 300_001 }, 'amount_out_of_range', ['amount']],
    [
      '1,000,001 to a bank',
      'payouts/bank',
      { ...bank, amount: 1_000_001 },
      'amount_out_of_range',
      ['amount'],
    ],
    ['a bank nobody knows', 'payouts/bank', { ...bank, bic: 'SBICTZTZ' }, 'unknown_bank', ['bic']],
    ['no name', 'payouts/bank', { ...bank, beneficiary: {} }, 'validation_failed', ['beneficiary.full_name']],
    ['no beneficiary', 'payouts/bank', { ...bank, beneficiary: null }, 'validation_failed', ['beneficiary']],
    [
      'a name as beneficiary',
      'payouts/bank',
      { ...bank, beneficiary: 'A' },
      'validation_failed',
      ['beneficiary'],
    ],
    [
      'an account of 4',
      'payouts/bank',
      { ...bank, account_number: '1234' },
      'validation_failed',
      ['account_number'],
    ],
    [
      'several kinds of wrong at once',
      'payouts/bank/preview',
      { ...bank, amount: 2_000_000, bic: 'NLCBTZTZ', beneficiary: { full_name: ' ' } },
      'validation_failed',
      ['bic', 'beneficiary.full_name', 'amount'],
    ],
  ];
  for (const [name, path, body, code, fields] of wrong) {
    it(`answers 422 to ${name} at ${path}`, async () =>
      assertRefused(await create(path, body), 422, code, fields));
  }

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

  it('takes the limits themselves', async () => {
    assert.equal((await create('payments/ussd', { ...push, amount: 1000 })).status, 200);
    assert.equal(
      (await create('payments/ussd', { ...push, amount: 500, phone_number: '0684123456' })).status,
      200,
    );
    assert.equal((await create('payouts/mobile/preview', { ...push, amount: 300_000 })).status, 200);
    assert.equal((await create('payouts/mobile/preview', { ...push, amount: 1 })).status, 200);
    assert.equal((await create('payouts/bank/preview', { ...bank, amount: 1_000_000 })).status, 200);
  });

  it('names ignored fields at every level, safely', async () => {
    const body = {
      ...bank,
      'naïve\r\nX: y': 1,
      beneficiary: { full_name: 'A', nick: 1 },
      metadata: { anything: 1 },
    };
    const answer = await create('payouts/bank/preview', body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-ignored-fields'], 'beneficiary.nick, na%C3%AFve%0D%0AX%3A%20y');
  });
});
