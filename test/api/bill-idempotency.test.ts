// tests: slow
import assert from 'node:assert/strict';
import type { SubmitOutcome } from '../../src/api/kit/flows.ts';
import { accept } from '../support/accept.ts';
import { assertRefused, startTestApi, type TestFlows } from './support/api.ts';
import { push } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

const bill = {
  amount: 25000,
  payment_number: 'INV-1',
  description: 'School fees',
  metadata: { order_id: 7 },
};

describe('the identity of a bill', () => {
  const { api, test, flows, restart } = useTestApi({ each: true, poolMax: 10 });
  const post = (body: unknown, key?: string) =>
    api.call('POST', 'payments/billpay', {
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const countBills = async () => (await test.database.query('SELECT count(*) FROM bills')).rows[0].count;

  it('is its payment number: the same bill again is answered byte for byte and says so', async () => {
    const first = await post(bill);
    const second = await post({ extra: 1, ...bill, payment_mode: null });
    assert.equal(first.status, 200, first.text);
    assert.equal(second.text, first.text);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(flows.submissions.length, 1);
  });

  it('belongs to no other bill, in whatever field that one differs', async () => {
    const first = await post(bill);
    const others = [
      { amount: 25000.01 },
      { description: 'Other fees' },
      { payment_mode: 'flexible' },
      { metadata: { order_id: 8 } },
      { expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    ];
    for (const [index, change] of others.entries()) {
      for (const key of [undefined, `other-${index}`]) {
        const answer = await post({ ...bill, ...change }, key);
        assertRefused(answer, 409, 'payment_number_taken', ['payment_number']);
        assert.equal(answer.body.message, 'The payment number INV-1 already belongs to another bill');
      }
    }
    assert.equal((await post(bill)).text, first.text);
    assert.equal(await countBills(), 1);
  });

  it('is told after wrong fields, which are told even when the number is taken', async () => {
    await post(bill);
    const answer = await post({ ...bill, amount: -1, description: '' });
    assertRefused(answer, 422, 'validation_failed', ['amount', 'description']);
  });

  it('tells case and inner space apart; space around it does not count', async () => {
    const answers = await Promise.all(
      ['INV 1', 'inv 1', 'INV  1', ' INV 1', 'INV 1 '].map((payment_number) =>
        post({ ...bill, payment_number }),
      ),
    );
    assert.equal(new Set(answers.map(({ body }) => body.transaction_id)).size, 3);
    assert.deepEqual(new Set([answers[0], answers[3], answers[4]].map((answer) => answer?.text)).size, 1);
  });

  for (const [status, word] of [
    ['cancelled', /was cancelled/],
    ['failed', /has expired/],
  ] as const) {
    it(`is taken for ever once the bill is ${status}, but its own key still means that bill`, async () => {
      const first = await post(bill, 'k');
      await test.sql`UPDATE transactions SET status = ${status}, event = 'payment.failed',
        failure_code = CASE WHEN ${status} = 'failed' THEN 'expired' END`;
      for (const key of [undefined, 'another']) {
        const answer = await post(bill, key);
        assertRefused(answer, 409, 'payment_number_taken', ['payment_number']);
        assert.match(answer.body.message, word);
      }
      assert.equal((await post(bill, 'k')).text, first.text);
      assert.equal(await countBills(), 1);
    });
  }

  it('is the account’s own: two accounts may use one number, with the same key too', async () => {
    const first = await post(bill, 'k');
    const neighbour = await startTestApi({ database: test.database, flows });
    const sent = { body: { ...bill, amount: 1 }, headers: { 'idempotency-key': 'k' } };
    const second = await neighbour.call('POST', 'payments/billpay', sent);
    await neighbour.stop();
    assert.equal(second.status, 200, second.text);
    assert.notEqual(second.body.transaction_id, first.body.transaction_id);
    assert.notEqual(second.body.bill.reference, first.body.bill.reference);
  });

  it('gives 20 different bills at once under one number one bill, and 19 refusals', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ ...bill, amount: 100 + index })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 409, 'payment_number_taken', ['payment_number']);
    assert.equal(await countBills(), 1);
  });

  it('has the header as a second key, which means this bill from then on', async () => {
    const first = await post(bill, 'order-1');
    assert.equal((await post(bill, '"order-1"')).text, first.text);
    assert.equal((await post(bill)).text, first.text, 'the number alone finds it too');
    const other = await post({ ...bill, payment_number: 'INV-2' }, 'order-1');
    assertRefused(other, 422, 'idempotency_key_reused');
    const changed = await post({ ...bill, amount: 1 }, 'order-1');
    assertRefused(changed, 422, 'idempotency_key_reused');
    assert.equal(await countBills(), 1);
  });

  it('has every key it was sent with, also one that came later, and none of them means another bill', async () => {
    const first = await post(bill);
    for (const key of ['one', 'two', 'three']) assert.equal((await post(bill, key)).text, first.text);
    for (const key of ['one', 'two', 'three']) {
      assertRefused(await post({ ...bill, payment_number: 'INV-2' }, key), 422, 'idempotency_key_reused');
      assert.equal((await post(bill, key)).text, first.text);
    }
    assert.equal(await countBills(), 1);
  });

  it('gives 20 requests at once one bill and one answer, and binds each of their keys', async () => {
    const keys = Array.from({ length: 19 }, (_, i) => `at-once-${i}`);
    const answers = await Promise.all([undefined, ...keys].map((key) => post(bill, key)));
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => !answer.headers['idempotent-replayed']).length, 1);
    for (const key of keys)
      assertRefused(await post({ ...bill, payment_number: key }, key), 422, 'idempotency_key_reused');
    assert.equal(await countBills(), 1);
  });

  it('leaves the key free when the fields or the number were refused', async () => {
    await post(bill);
    assert.equal((await post({ ...bill, amount: 0 }, 'free')).status, 422);
    assert.equal((await post({ ...bill, amount: 1 }, 'free')).status, 409);
    assert.equal((await post({ ...bill, payment_number: 'INV-2' }, 'free')).status, 200);
  });

  it('shares its keys with every other operation', async () => {
    const headers = { 'idempotency-key': 'shared' };
    assert.equal((await api.call('POST', 'payments/ussd', { body: push, headers })).status, 200);
    assertRefused(await post(bill, 'shared'), 422, 'idempotency_key_reused');
    assert.equal((await post(bill, 'of-the-bill')).status, 200, 'the number stayed free');
    const reused = await api.call('POST', 'payments/ussd', {
      body: push,
      headers: { 'idempotency-key': 'of-the-bill' },
    });
    assertRefused(reused, 422, 'idempotency_key_reused');
  });

  it('repeats its answer although the time that the request names has passed since', async () => {
    let clock = new Date();
    await restart({ now: () => clock });
    const expires_at = new Date(clock.getTime() + 3_600_000).toISOString();
    const first = await post({ ...bill, expires_at });
    assert.equal(first.status, 200, first.text);
    clock = new Date(clock.getTime() + 3_600_001);
    assert.equal((await post({ ...bill, expires_at })).text, first.text);
    const late = await post({ ...bill, payment_number: 'late', expires_at });
    assertRefused(late, 422, 'validation_failed', ['expires_at']);
  });

  const unclear: [name: string, outcome: SubmitOutcome, code: string][] = [
    ['no answer comes in time', { kind: 'unclear' }, 'outcome_unknown'],
    ['Temporal cannot be reached', { kind: 'not_sent' }, 'unavailable'],
  ];
  for (const [name, outcome, code] of unclear) {
    it(`answers ${code} when ${name}, and the same request makes it later`, async () => {
      let isAway = true;
      const submit: TestFlows['submit'] = async (submission) =>
        isAway ? outcome : { kind: 'answered', accepted: await accept(test.database, submission) };
      await restart({ flows: { submit } });
      const refused = await post(bill);
      assertRefused(refused, 503, code);
      isAway = false;
      const made = await post(bill);
      assert.equal(made.status, 200, made.text);
      if (code === 'outcome_unknown') assert.equal(refused.body.transaction_id, made.body.transaction_id);
    });
  }

  it('is made now when its flow ended before it answered: a number is never burnt', async () => {
    const submit: TestFlows['submit'] = async (submission, options) =>
      options?.again
        ? { kind: 'answered', accepted: await accept(test.database, submission) }
        : { kind: 'closed' };
    await restart({ flows: { submit } });
    assert.equal((await post(bill)).status, 200);
  });
});
