// tests: slow
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { freeze } from '../../src/accounts/freeze.ts';
import type { SubmitOutcome } from '../../src/api/kit/flows.ts';
import { bankPayoutAnswer, mobilePayoutAnswer, pushAnswer } from '../../src/contract/answer-schemas.ts';
import { refusalAnswer } from '../../src/transactions/acceptance/answers.ts';
import { refundWaits } from '../../src/transactions/acceptance/refusals.ts';
import { accept } from '../support/accept.ts';
import { asRole } from '../support/database.ts';
import { assertRefused, type TestFlows } from './support/api.ts';
import * as bodies from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

const bank = { ...bodies.bank, account_number: '0150 123-456789', bic: 'corutztzxxx' };

const { mobile, push } = bodies;

describe('creating payments and payouts', () => {
  const { api, test, flows, restart } = useTestApi({ each: true });
  const create = (path: string, key: string, body: unknown) =>
    api.call('POST', path, { headers: { 'idempotency-key': key }, body });

  it('answers a USSD push as published', async () => {
    const metadata = { order_id: 'INV-1001', note: 'Two chairs' };
    const answer = await create('payments/ussd', 'order-1', { ...push, metadata });
    assert.equal(answer.status, 200, answer.text);
    pushAnswer.parse(answer.body);
    assert.equal(answer.body.transaction_channel, 'M-PESA');
    assert.deepEqual(answer.body.amount, { value: 5000, currency: 'TZS' });
    assert.deepEqual(answer.body.metadata, metadata);
    assert.equal(flows.submissions[0]?.request.amount, 500_000);
  });

  it('names the network that the merchant names for a ported number, wherever it is read', async () => {
    const ported = { ...push, transaction_channel: 'AIRTEL-MONEY' };
    const { body } = await create('payments/ussd', 'ported', ported);
    const lookup = (await api.call('GET', `payments/${body.transaction_id}`)).body.payment;
    const [item] = (await api.call('GET', 'transactions')).body.data;
    const named = [body.transaction_channel, lookup.channel.name, item.channel.name];
    assert.deepEqual(named, Array(3).fill('AIRTEL-MONEY'));
  });

  it('answers payouts as published, with the balance after the hold', async () => {
    const first = await create('payouts/mobile', 'p-1', mobile);
    mobilePayoutAnswer.parse(first.body);
    assert.deepEqual(first.body.balance, { current: 1_949_000, reserved: 51_000 });
    assert.deepEqual(first.body.amount, { value: 50000, currency: 'TZS', fee: 1000 });
    const second = await create('payouts/bank', 'p-2', bank);
    bankPayoutAnswer.parse(second.body);
    assert.deepEqual(second.body.bank, { account_number: '0150123456789', bic: 'CORUTZTZ' });
    assert.deepEqual(second.body.metadata, {});
  });

  it('echoes metadata as it was sent: number forms and the order of keys included', async () => {
    const raw =
      '{"amount":5000,"currency":"TZS","phone_number":"0754123456","metadata": {"2": 1.50, "1" : [true, "a b"]}}';
    const answer = await api.call('POST', 'payments/ussd', { headers: { 'idempotency-key': 'm' }, raw });
    assert.ok(answer.text.endsWith('"metadata":{"2":1.50,"1":[true,"a b"]}}'), answer.text);
    const lookup = await api.call('GET', `payments/${answer.body.transaction_id}`);
    assert.ok(lookup.text.includes('"metadata":{"2":1.50,"1":[true,"a b"]}'), lookup.text);
  });

  it('repeats the first answer byte for byte and says that it does', async () => {
    const first = await create('payouts/mobile', 'again', mobile);
    const second = await create('payouts/mobile', '"again"', mobile);
    assert.equal(second.text, first.text);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(flows.submissions.length, 1);
  });

  it('refuses a key that was used for another request or operation, even when this one is malformed', async () => {
    await create('payouts/mobile', 'taken', mobile);
    for (const [path, body] of [
      ['payouts/mobile', { ...mobile, amount: 50001 }],
      ['payments/ussd', push],
      ['payouts/mobile', { amount: 'x' }],
    ] as const) {
      assertRefused(await create(path, 'taken', body), 422, 'idempotency_key_reused');
    }
  });

  it('takes requests for the same when only unknown fields, nulls or the order of keys differ', async () => {
    const first = await create('payments/ussd', 'same', push);
    const second = await create('payments/ussd', 'same', {
      phone_number: '0754123456',
      currency: 'TZS',
      metadata: null,
      extra: 1,
      amount: 5000,
    });
    assert.equal(second.text, first.text);
    assert.equal(second.headers['x-ignored-fields'], 'extra');
  });

  it('keeps insufficient_balance under the key, and it is no transaction', async () => {
    await restart({ balance: 1000 });
    const first = await create('payouts/mobile', 'poor', mobile);
    assert.equal(first.status, 409);
    assert.equal(
      first.body.message,
      'The balance of 1,000.00 TZS does not cover 51,000.00 TZS (50,000.00 and the fee of 1,000.00). Top up, then send the payout with a new Idempotency-Key',
    );
    const second = await create('payouts/mobile', 'poor', mobile);
    assert.equal(second.text, first.text);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    const lookup = await api.call('GET', `payouts/${flows.submissions[0]?.transactionId}`);
    assert.equal(lookup.status, 404);
  });

  it('leaves the key free after a refusal of fields', async () => {
    const refused = await create('payments/ussd', 'free', { ...push, amount: 0 });
    assertRefused(refused, 422, 'validation_failed');
    assert.equal((await create('payments/ussd', 'free', push)).status, 200);
  });

  const unclear: [name: string, outcome: SubmitOutcome, status: number, code: string][] = [
    ['Temporal cannot be reached', { kind: 'not_sent' }, 503, 'unavailable'],
    ['no answer comes in time', { kind: 'unclear' }, 503, 'outcome_unknown'],
    ['the flow ended before it answered', { kind: 'closed' }, 503, 'outcome_unknown'],
  ];
  for (const [name, outcome, status, code] of unclear) {
    it(`answers ${code} when ${name}`, async () => {
      const submit = async () => outcome;
      await restart({ flows: { submit } });
      const answer = await create('payments/ussd', 'k', push);
      assertRefused(answer, status, code);
      assert.equal(answer.headers['retry-after'], '5');
      assert.equal('transaction_id' in answer.body, code === 'outcome_unknown');
      const { rows } = await test.database.query('SELECT transaction_id FROM abandoned_submissions');
      assert.equal(rows.length, outcome.kind === 'closed' ? 1 : 0);
      if (outcome.kind === 'closed') assert.equal(rows[0].transaction_id, answer.body.transaction_id);
    });
  }

  for (const kind of ['unclear', 'closed'] as const) {
    it(`answers from Postgres when the flow is ${kind} but the row is there`, async () => {
      const submit: TestFlows['submit'] = async (submission) => {
        await accept(test.database, submission);
        return { kind };
      };
      await restart({ flows: { submit } });
      const answer = await create('payments/ussd', 'k', push);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['idempotent-replayed'], undefined);
    });
  }

  it('refuses when the flow it attached to belongs to another request', async () => {
    const submit: TestFlows['submit'] = async (submission) => {
      const other = {
        ...submission,
        fingerprint: 'v1:other',
        submissionId: '00000000-0000-4000-8000-000000000001',
      };
      return { kind: 'answered', accepted: await accept(test.database, other) };
    };
    await restart({ flows: { submit } });
    assertRefused(await create('payments/ussd', 'k', push), 422, 'idempotency_key_reused');
  });

  for (const [what, other, refused] of [
    ['of another request', 'v1:old', 'preview_mismatch'],
    ['of what is frozen no more', null, 'forbidden'],
    ['of what waited for its line', null, 'unavailable'],
    ['of what can be settled by now', null, 'not_settleable'],
  ] as const)
    it(`starts anew when the flow under this key ended in a refusal that is not kept: ${what}`, async () => {
      const options: unknown[] = [];
      const submit: TestFlows['submit'] = async (submission, given) => {
        options.push(given);
        if (given?.again) return { kind: 'answered', accepted: await accept(test.database, submission) };
        const { transactionId } = submission;
        const fingerprint = other ?? submission.fingerprint;
        const answer = { transactionId, fingerprint, submissionId: randomUUID(), refused, body: '{}' };
        return { kind: 'answered', accepted: { answer, mine: false } };
      };
      await restart({ flows: { submit } });
      const answer = await create('payouts/mobile', 'k', mobile);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(options, [undefined, { again: true }]);
    });

  it('says when to come again where its own flow had to wait', async () => {
    const submit: TestFlows['submit'] = async (submission) => {
      const { transactionId, submissionId, fingerprint } = submission;
      const body = refusalAnswer(submission, refundWaits());
      const answer = { transactionId, fingerprint, submissionId, refused: 'unavailable' as const, body };
      return { kind: 'answered', accepted: { answer, mine: false } };
    };
    await restart({ flows: { submit } });
    const answer = await create('payouts/mobile', 'k', mobile);
    assertRefused(answer, 503, 'unavailable');
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  });

  it('says what its own flow found frozen', async () => {
    const submit: TestFlows['submit'] = async (submission) => {
      await freeze(test.database, { ...submission, actor: 'asha', reason: 'theft' });
      return { kind: 'answered', accepted: await accept(test.database, submission) };
    };
    await restart({ flows: { submit } });
    assertRefused(await create('payouts/mobile', 'k', mobile), 403, 'forbidden');
  });

  it('answers unavailable when Postgres is gone before anything was sent', async () => {
    await asRole(test.database, 'api').end();
    assertRefused(await create('payments/ussd', 'k', push), 503, 'unavailable');
    assert.equal(flows.submissions.length, 0);
  });
});
