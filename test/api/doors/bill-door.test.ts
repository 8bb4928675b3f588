import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { billJsonAnswerSchema } from '../../../src/channels/bill-json/wire.ts';
import { pick } from '../../support/pick.ts';
import type { Database } from '../../support/queryable.ts';
import { listAttention } from '../../support/unexplained.ts';
import { until } from '../../support/wait.ts';
import { startTestApi, type TestFlows } from '../support/api.ts';
import { makeBill, mistyped, moneyOf, statusOf, tell } from '../support/bills.ts';
import { useTestApi } from '../support/use-api.ts';

type Step = 'lookup' | 'validation' | 'notification';

describe('the bill door in plain JSON', () => {
  const { api, test } = useTestApi({ poolMax: 10 });

  /** One step of a payment of 25,000 TZS, as Tigo Pesa sends it. The answer is held against the wire format. */
  async function step(
    name: Step,
    number: string,
    changes: Record<string, unknown> = {},
    network = 'tigo-pesa',
  ) {
    const body = {
      operator: 'TIGO-PESA',
      transid: randomUUID(),
      reference: 'OP-1',
      utilityref: number,
      amount: '25000',
      msisdn: '255654123456',
      ...changes,
    };
    const answer = await tell(api, { path: `bill/${name}`, network, body });
    billJsonAnswerSchema.parse(answer.body);
    return answer;
  }
  const codesOf = ({ status, body }: { status: number; body: { resultcode: string; result: string } }) => [
    status,
    body.resultcode,
    body.result,
  ];
  const OK = [200, '000', 'SUCCESS'];
  const UNKNOWN = [200, '010', 'FAIL'];
  const NO_AMOUNT = [200, '012', 'FAIL'];
  const TOO_HIGH = [200, '014', 'FAIL'];
  const TOO_LOW = [200, '015', 'FAIL'];
  const TRY_AGAIN = [503, '503', 'TRY_AGAIN'];

  it('says whom a control number pays and how much, and answers a payment with its own ids', async () => {
    const { id, number } = await makeBill(api);
    const looked = await step('lookup', number, { transid: undefined, amount: undefined });
    assert.deepEqual(looked.body, {
      reference: 'OP-1',
      transid: null,
      resultcode: '000',
      result: 'SUCCESS',
      message: 'Accepted',
      name: 'Test shop',
      amount: 25_000,
    });
    const paid = await step('notification', number, { transid: 'R-1' });
    assert.deepEqual([...codesOf(paid), paid.body.transid, paid.body.reference], [...OK, 'R-1', 'OP-1']);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(payment.customer, { full_name: null, phone_number: '0654123456' });
  });

  it('takes money for a top-up as the merchant’s own where the network names an account of its payers, in any spelling', async () => {
    const body = { customer_reference: 'OWN', purpose: 'top_up', payers: ['0150123456789', '0754123456'] };
    const { number } = (await api.call('POST', 'payments/numbers', { body })).body;
    const paidBy = async (msisdn: string) => {
      const before = await moneyOf(api);
      for (const name of ['validation', 'notification'] as const)
        assert.deepEqual(
          codesOf(await step(name, number.reference, { transid: `OWN ${msisdn}`, msisdn })),
          OK,
        );
      return (await moneyOf(api)) - before;
    };
    assert.equal(await paidBy('0150-123456 789'), 25_000);
    assert.equal(await paidBy('0150123456788'), 24_625, 'of another account');
    const { data } = (await api.call('GET', `transactions?reference=${number.reference}`)).body;
    for (const { customer } of data) assert.equal(customer.phone_number, null, 'an account is no phone');
  });

  it('reads an amount in every form that networks write', async () => {
    const forms = ['1000', '1000.0', '1000.00', 1000, '1000.50', 1000.5, 0.01, '1'];
    const { id, number } = await makeBill(api, { amount: 10_000, mode: 'flexible' });
    for (const amount of forms) assert.deepEqual(codesOf(await step('notification', number, { amount })), OK);
    const { payment } = (await api.call('GET', `payments/${id}`)).body;
    assert.deepEqual(
      payment.payments.map((one: { amount: { value: string } }) => one.amount.value),
      ['1,000.00', '1,000.00', '1,000.00', '1,000.00', '1,000.50', '1,000.50', '0.01', '1.00'],
    );
  });

  it('refuses what is no amount in JSON either', async () => {
    const { number } = await makeBill(api);
    for (const [amount, answer] of [
      [24_999, TOO_LOW],
      [25_001, TOO_HIGH],
      [0, NO_AMOUNT],
      [null, NO_AMOUNT],
      [true, [400, '400', 'FAIL']],
    ])
      for (const name of ['validation', 'notification'] as const)
        assert.deepEqual(codesOf(await step(name, number, { amount })), answer, `${name} ${amount}`);
    assert.deepEqual(codesOf(await step('validation', number)), OK);
  });

  it('reads the control number with the spaces and dashes a customer types, or as a number', async () => {
    const { number } = await makeBill(api);
    const typed = `${number.slice(0, 4)} ${number.slice(4, 8)}-${number.slice(8)}`;
    assert.deepEqual(codesOf(await step('lookup', typed)), OK);
    assert.deepEqual(codesOf(await step('lookup', number, { utilityref: Number(number) })), OK);
  });

  it('keeps the money that cannot go back: suspense, and a person is notified', async () => {
    const { id, number } = await makeBill(api);
    assert.deepEqual(codesOf(await step('notification', number)), OK);
    const before = await moneyOf(api);
    assert.deepEqual(codesOf(await step('notification', number, { transid: 'T-1' })), UNKNOWN);
    assert.deepEqual(codesOf(await step('notification', number, { transid: 'T-1' }, 't-pesa')), OK);
    assert.deepEqual(codesOf(await step('notification', mistyped(number), { transid: 'T-2' }, 't-pesa')), OK);
    assert.deepEqual(
      codesOf(await step('notification', number, { transid: 'T-3', amount: 'x' }, 't-pesa')),
      OK,
    );
    assert.equal(await moneyOf(api), before);
    const entries = (await api.call('GET', `transactions/${id}/entries`)).body.entries;
    const suspense = entries.filter((entry: { account: string }) => entry.account === 'suspense');
    assert.deepEqual(pick(suspense, 'amount'), ['25,000.00']);
    const told = (await listAttention(test.database)).map(({ subject, reason }) => `${subject} ${reason}`);
    assert.ok(told.includes(`${id} unexpected_payment`), told.join());
    assert.ok(told.includes('t-pesa-bills:T-2 unexpected_payment'), told.join());
  });

  it('refuses a form, and a payment without a receipt', async () => {
    const { number } = await makeBill(api);
    const form = await tell(api, { path: 'bill/lookup', raw: 'a=b' }, { 'content-type': 'text/xml' });
    assert.equal(form.status, 415);
    for (const body of [{ utilityref: number }, { utilityref: number, transid: ' ' }])
      assert.equal((await tell(api, { path: 'bill/notification', body })).status, 400);
    assert.deepEqual(codesOf(await step('notification', number, { transid: 'é漢🙂'.repeat(30) })), OK);
  });

  it('asks the database nothing about a number whose check digit is wrong', async () => {
    const unused = { query: () => assert.fail('asked'), connect: () => assert.fail('asked') };
    const blind = await startTestApi({
      database: test.database,
      billDatabase: unused as unknown as Database,
    });
    try {
      for (const name of ['lookup', 'validation']) {
        const body = { transid: 'R-1', utilityref: '770000000018', amount: 1_000 };
        const answer = await tell(blind, { path: `bill/${name}`, body });
        assert.deepEqual(codesOf(answer), UNKNOWN, name);
      }
    } finally {
      await blind.stop();
    }
  });

  it('says try again while the database is too slow, and what was committed meanwhile is kept', async () => {
    const { id, number } = await makeBill(api);
    const slow = await startTestApi({ database: test.database, billAnswerMsMax: 300 });
    const body = { transid: 'R-7', utilityref: number, amount: 25_000 };
    try {
      const holder = await test.database.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM transactions WHERE id = $1 FOR UPDATE', [id]);
      const late = await tell(slow, { path: 'bill/notification', body });
      assert.deepEqual(codesOf(late), TRY_AGAIN);
      await holder.query('ROLLBACK');
      holder.release();
      await until(async () => (await statusOf(api, id)) === 'completed', 'it is paid');
      assert.deepEqual(codesOf(await tell(slow, { path: 'bill/notification', body })), OK);
    } finally {
      await slow.stop();
    }
  });

  it('takes a payment while Temporal is down', async () => {
    const { id, number } = await makeBill(api);
    const flows = { ...(api.flows as TestFlows), signal: () => new Promise<boolean>(() => {}) };
    const alone = await startTestApi({ database: test.database, flows });
    try {
      const body = { transid: 'R-8', utilityref: number, amount: 25_000 };
      assert.deepEqual(codesOf(await tell(alone, { path: 'bill/notification', body })), OK);
      assert.equal(await statusOf(api, id), 'completed');
    } finally {
      await alone.stop();
    }
  });
});
