import assert from 'node:assert/strict';
import { billPaymentSchema, billsSchema } from '../../../src/channels/gsma/bill-wire.ts';
import { errorSchema } from '../../../src/channels/gsma/wire.ts';
import type { Answer } from '../support/api.ts';
import { billTokenOf } from '../support/bill-networks.ts';
import { makeBill, mistyped, moneyOf, statusOf, tell } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

let receipts = 0;

describe('the bill door in the GSMA form', () => {
  const { api, test } = useTestApi({ poolMax: 10 });

  const billsOf = (number: string) => `gsma/accounts/accountid/${encodeURIComponent(number)}/bills`;
  const paymentsOf = (number: string) => `${billsOf(number)}/${encodeURIComponent(number)}/payments`;
  const look = (number: string, query = '', network = 'm-pesa') =>
    tell(api, { method: 'GET', path: `${billsOf(number)}${query}`, network });
  const list = (number: string, query = '', network = 'm-pesa') =>
    tell(api, { method: 'GET', path: `${paymentsOf(number)}${query}`, network });
  const receiptOf = () => {
    receipts += 1;
    return `CKL6A1B2C${receipts}`;
  };
  function pay(number: string, changes: Record<string, unknown> = {}, path = paymentsOf(number)) {
    const body = {
      currency: 'TZS',
      amountPaid: '25000',
      requestingOrganisationTransactionReference: receiptOf(),
      metadata: [
        { key: 'msisdn', value: '255754123456' },
        { key: 'fullName', value: 'ASHA JUMA' },
      ],
      ...changes,
    };
    return tell(api, { path, network: 'm-pesa', body });
  }
  function assertError(answer: Answer, status: number, code: string): void {
    assert.equal(answer.status, status, answer.text);
    assert.equal(errorSchema.parse(answer.body).errorCode, code, answer.text);
    assert.ok(!Number.isNaN(Date.parse(String(answer.headers['x-date']))));
  }

  it('takes the account that pays a number for top-ups for one of its payers', async () => {
    const body = { customer_reference: 'OWN', purpose: 'top_up', payers: ['0150123456789'] };
    const { number } = (await api.call('POST', 'payments/numbers', { body })).body;
    const before = await moneyOf(api);
    const metadata = [{ key: 'msisdn', value: '0150 123456789' }];
    assert.equal((await pay(number.reference, { metadata })).status, 201);
    assert.equal(await moneyOf(api), before + 25_000);
  });

  it('shows the bill of a control number, and answers its payment with what it was sent', async () => {
    const { id, number } = await makeBill(api);
    const looked = await look(number);
    assert.deepEqual(
      [looked.headers['x-records-available-count'], looked.headers['x-records-returned-count']],
      ['1', '1'],
    );
    const [bill] = billsSchema.parse(looked.body);
    const { dueDate, creationDate, modificationDate, ...rest } = bill ?? {};
    assert.deepEqual(rest, {
      billReference: number,
      billStatus: 'unpaid',
      amountDue: '25000',
      minimumAmountDue: '25000',
      currency: 'TZS',
      billdescription: 'Test shop: School fees, term 1',
    });
    assert.match(String(dueDate), /^\d{4}-\d\d-\d\d$/);
    assert.equal(creationDate, modificationDate);
    const paid = await pay(number, {
      requestingOrganisationTransactionReference: 'CKL1',
      customerReference: 'Juma, class 4',
      paymentType: 'fullpayment',
    });
    assert.equal(paid.status, 201);
    assert.deepEqual(billPaymentSchema.parse(paid.body), {
      currency: 'TZS',
      amountPaid: '25000',
      billPaymentStatus: 'completed',
      serviceProviderPaymentReference: id,
      requestingOrganisationTransactionReference: 'CKL1',
      customerReference: 'Juma, class 4',
      paymentType: 'fullpayment',
    });
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.customer, { full_name: 'ASHA JUMA', phone_number: '0754123456' });
    assert.equal(billsSchema.parse((await look(number)).body)[0]?.billStatus, 'paid');
  });

  it('takes the shorter address, the deprecated name of the amount, cents, and null for what is missing', async () => {
    const { number } = await makeBill(api, { amount: 12_500.5, mode: 'flexible' });
    const nothing = { amountPaid: null, customerReference: null, paymentType: null, metadata: null };
    const body = { ...nothing, paidAmount: '2500.50' };
    const paid = await pay(number, body, `gsma/bills/${number}/payments`);
    assert.deepEqual([paid.status, paid.body.amountPaid], [201, '2500.50']);
    const [bill] = (await look(number)).body;
    assert.deepEqual(
      [bill.billStatus, bill.amountDue, bill.minimumAmountDue],
      ['partialpaid', '10000', '0.01'],
    );
  });

  it('answers a repeated payment as the first time and posts it once, also known by its correlation id', async () => {
    const before = await moneyOf(api);
    const { number } = await makeBill(api);
    const headers = { 'x-correlationid': 'b3f1c1de-2b52-4cf5-9a0b-0d8f6a0f3a11' };
    const body = { currency: 'TZS', amountPaid: '25000' };
    const answers = [];
    for (let i = 0; i < 3; i += 1)
      answers.push(await tell(api, { path: paymentsOf(number), network: 'm-pesa', body }, headers));
    for (const { status, text } of answers) assert.deepEqual([status, text], [201, answers[0]?.text]);
    assert.equal(await moneyOf(api), before + 24_625);
    const nameless = await tell(api, { path: paymentsOf(number), network: 'm-pesa', body });
    assertError(nameless, 400, 'mandatoryValueNotSupplied');
  });

  it('refuses with the code of the standard what only it has', async () => {
    const { id, number } = await makeBill(api);
    assertError(await pay(number, { amountPaid: 'x'.repeat(200) }), 400, 'formatError');
    assertError(await pay(number, { currency: 'KES' }), 400, 'currencyNotSupported');
    assertError(await pay(number, { currency: 'shillings' }), 400, 'formatError');
    assertError(await pay(number, { currency: undefined }), 400, 'mandatoryValueNotSupplied');
    assertError(await pay(number, { amountPaid: 25_000 }), 400, 'formatError');
    for (const wrong of ['779999999994', mistyped(number), 'x', '7'.repeat(200)])
      assertError(await list(wrong), 404, 'identifierError');
    const other = await makeBill(api);
    const crossed = `${billsOf(number)}/${other.number}/payments`;
    assertError(await pay(number, {}, crossed), 404, 'identifierError');
    assert.equal(await statusOf(api, id), 'pending');
  });

  const closed: [how: string, sql: string][] = [
    ['cancelled', "UPDATE transactions SET status = 'cancelled' WHERE id = $1"],
    [
      'that has taken its 500 payments',
      'UPDATE bills SET payments = 500, paid = 500 WHERE transaction_id = $1',
    ],
  ];
  for (const [how, sql] of closed)
    it(`does not show a bill ${how}, and refuses its payment`, async () => {
      const { id, number } = await makeBill(api, { mode: 'flexible' });
      await test.database.query(sql, [id]);
      const looked = await look(number);
      assert.deepEqual(
        [looked.status, looked.body, looked.headers['x-records-available-count']],
        [200, [], '0'],
      );
      assertError(await pay(number), 400, 'incorrectState');
    });

  it('lists to a network the payments that came over it, in pages', async () => {
    const { number } = await makeBill(api, { mode: 'flexible' });
    for (const amountPaid of ['1000', '2000', '3000']) await pay(number, { amountPaid });
    const amounts = (answer: Answer) => answer.body.map((one: { amountPaid: string }) => one.amountPaid);
    const all = await list(number);
    for (const payment of all.body) billPaymentSchema.parse(payment);
    assert.deepEqual(amounts(all), ['1000', '2000', '3000']);
    const page = await list(number, '?limit=1&offset=1');
    assert.deepEqual(amounts(page), ['2000']);
    assert.deepEqual(
      [page.headers['x-records-available-count'], page.headers['x-records-returned-count']],
      ['3', '1'],
    );
    assert.deepEqual(amounts(await list(number, '?toDateTime=2020-01-01T00:00:00Z')), []);
    assert.deepEqual(amounts(await list(number, '?fromDateTime=2020-01-01T00:00:00Z')), amounts(all));
    assert.deepEqual(amounts(await list(number, '', 'halopesa')), []);
    for (const query of ['?limit=x', '?offset=-1', '?fromDateTime=now', '?limit=99999999999'])
      for (const asked of [list, look]) assertError(await asked(number, query), 400, 'formatError');
    assert.deepEqual((await look(number, '?offset=1')).body, []);
  });

  it('shows nobody the payments of a bill without a token of its own', async () => {
    const { number } = await makeBill(api);
    for (const token of ['', 'x', api.apiKey, billTokenOf('m-pesa').slice(0, -1)]) {
      const listed = await tell(api, { method: 'GET', path: paymentsOf(number), token });
      assertError(listed, 401, 'clientAuthorisationError');
    }
    assert.equal((await tell(api, { method: 'DELETE', path: paymentsOf(number) })).status, 405);
  });

  it('refuses hostile addresses as such, never as an error of ours', async () => {
    const { number } = await makeBill(api);
    for (const path of ['%00', '%E0%A4%A', '%F0%9F%99%82', '..%2f..', `${number}%00`, "' OR 1=1"]) {
      const address = `gsma/accounts/accountid/${path.replaceAll(' ', '%20')}/bills`;
      const answer = await tell(api, { method: 'GET', path: address });
      assert.ok([400, 404].includes(answer.status), `${path} ${answer.text}`);
    }
    // This network's money cannot go back, so that even such a number would be written down.
    const body = { currency: 'TZS', amountPaid: '1', requestingOrganisationTransactionReference: 'NUL' };
    const nul = await tell(api, { path: 'gsma/bills/7%00/payments', network: 't-pesa', body });
    assertError(nul, 400, 'formatError');
    const metadata = [{ key: 'msisdn', value: 'nobody' }];
    assert.equal((await pay(number, { metadata, paymentType: 'other' })).status, 400);
    assert.equal((await pay(number, { metadata })).status, 201);
  });
});
