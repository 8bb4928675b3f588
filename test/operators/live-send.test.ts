import assert from 'node:assert/strict';
import type { Submission } from '../../src/domain/operation.ts';
import type { Submitted } from '../../src/operators/api/call.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { CONNECTION, createMerchant, type Merchant } from '../support/merchant.ts';
import { useOperatorDesk } from '../support/operator-desk.ts';
import { pick } from '../support/pick.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';
import { writeApproval } from '../support/signed-rows.ts';

/** What Temporal does with a submission: the next one, and every later one. */
type Fate = 'accepts' | 'loses the answer' | 'is down';

describe('a live test of a connection', () => {
  const submissions: Submission[] = [];
  let fate: Fate;
  const { test, desk } = useOperatorDesk({
    each: true,
    async submit(submission): Promise<Submitted> {
      submissions.push(submission);
      if (fate === 'is down') return { kind: 'not_sent' };
      const accepted = await accept(test.database, submission);
      return fate === 'accepts' ? { kind: 'answered', accepted } : { kind: 'unclear' };
    },
  });
  let own: Merchant;
  beforeEach(async () => {
    submissions.length = 0;
    fate = 'accepts';
    own = await createMerchant(test.database, { balance: 5_000 });
  });

  const propose = (payload: object = {}) =>
    desk.propose('asha', 'channels.live-send', {
      account_id: own.accountId,
      number: '0754 000 001',
      ...payload,
    });
  const approve = (proposal: { id: string; payload_hash: string }) => desk.consent('juma', proposal);
  const agreed = async (): Promise<string> => {
    const { body } = await propose();
    assert.equal((await approve(body.proposal)).body.proposal.state, 'executed');
    return body.proposal.id;
  };
  const goOn = async (id: string) => (await desk.call('asha', 'POST', `channels/live-sends/${id}`)).body;
  const transactions = async () =>
    await test.sql`SELECT id, mode, amount::int AS amount, status, connection, idempotency_key
      FROM transactions t LEFT JOIN LATERAL (SELECT key AS idempotency_key FROM idempotency_keys k
      WHERE k.transaction_id = t.id) k ON true ORDER BY created_at`;
  const pays = (id: string, amount = 1_000) =>
    tryToEnd(test.database, id, { kind: 'answer', result: succeeded(amount, `R-${id}`) });
  const sends = (id: string, outcome: string) =>
    test.database.query('INSERT INTO sends (transaction_id, number, outcome) VALUES ($1, 1, $2)', [
      id,
      outcome,
    ]);
  const handsOver = (id: string) => test.sql`UPDATE transactions SET handed_over_at = now() WHERE id = ${id}`;

  it('asks for the least amount, gives it back, and says what to compare', async () => {
    const { body } = await propose();
    assert.match(
      body.proposal.summary,
      /Ask 0754000001 for 1,000\.00 TZS over .* \(connection .*\) for Test shop .*, and refund it/,
    );
    assert.deepEqual(submissions, [], 'a proposal asks nobody');
    const done = await approve(body.proposal);
    assert.match(done.body.proposal.outcome, /1,000\.00 TZS is requested/);
    const { id } = body.proposal;
    const [push] = await transactions();
    assert.deepEqual(
      [push?.mode, push?.amount, push?.connection, push?.idempotency_key],
      ['ussd', 100_000, CONNECTION, `live-send/${id}/ussd`],
    );
    const waiting = await goOn(id);
    assert.deepEqual([waiting.done, waiting.parts.length], [false, 1]);
    assert.match(waiting.state, /waits for the phone/);

    await pays(push?.id);
    const refunding = await goOn(id);
    assert.deepEqual(pick(refunding.parts, 'what', 'status'), [
      ['payment', 'completed'],
      ['refund', 'pending'],
    ]);
    const [, refund] = await transactions();
    assert.deepEqual([refund?.mode, refund?.amount], ['refund', 100_000]);
    await handsOver(refund?.id);
    await pays(refund?.id);
    const ended = await goOn(id);
    assert.equal(ended.done, true);
    assert.match(ended.state, /Check the network’s portal: it must show one payment and one payout/);
    assert.equal(ended.parts[0].channel_reference, `R-${push?.id}`);
    assert.equal((await transactions()).length, 2);
    const lines = await desk.cli('asha', 'channels', 'check', '--live-result', id);
    assert.match(lines.join('\n'), /^payment: completed, 1,000\.00 TZS, 0754000001[\s\S]*^refund: paid/m);
    const rows = await test.sql`SELECT actor FROM audit_log WHERE action = 'channels.live-send'`;
    assert.deepEqual(rows, [{ actor: 'operator:juma' }]);
  });

  it('starts one payment and one refund, whoever asks how often, and whatever answers are lost', async () => {
    fate = 'loses the answer';
    const id = await agreed();
    const again = await approve((await desk.call('juma', 'GET', `proposals/${id}`)).body.proposal);
    assert.equal(again.status, 409);
    await Promise.all([goOn(id), goOn(id), goOn(id)]);
    const [push, ...others] = await transactions();
    assert.deepEqual(others, []);
    await pays(push?.id);
    await Promise.all([goOn(id), goOn(id), goOn(id)]);
    await goOn(id);
    assert.deepEqual(pick(await transactions(), 'mode'), ['ussd', 'refund']);
    assert.equal(new Set(submissions.map(({ transactionId }) => transactionId)).size, 2);
  });

  it('is started by the next who asks, where the process died after the approval', async () => {
    fate = 'is down';
    const id = await agreed();
    assert.deepEqual(await transactions(), []);
    assert.match((await goOn(id)).state, /may have been started: ask again/);
    fate = 'accepts';
    assert.equal((await goOn(id)).parts[0].status, 'pending');
    assert.equal((await transactions()).length, 1);
  });

  it('asks no phone by surprise: what was approved long ago is refused, for ever', async () => {
    fate = 'is down';
    const id = await agreed();
    await test.database.query('ALTER TABLE approvals DISABLE TRIGGER USER');
    const { rows } = await test.database.query('DELETE FROM approvals RETURNING payload_hash');
    await writeApproval(test.database, id, rows[0].payload_hash, new Date(Date.now() - 3_600_000));
    await test.database.query('ALTER TABLE approvals ENABLE TRIGGER USER');
    fate = 'accepts';
    for (const _ of [1, 2]) {
      const late = await goOn(id);
      assert.deepEqual([late.done, late.parts], [true, []]);
      assert.match(late.state, /was refused, and nothing was sent/);
    }
    assert.deepEqual(await transactions(), []);
  });

  it('gives nothing back that was not paid', async () => {
    const id = await agreed();
    const [push] = await transactions();
    await sends(push?.id, 'failed');
    await tryToEnd(test.database, push?.id, { kind: 'answer', result: failure('customer_declined') });
    const ended = await goOn(id);
    assert.deepEqual([ended.done, ended.parts.length], [true, 1]);
    assert.match(ended.state, /has ended as failed: check on the network’s portal/);
    assert.equal((await transactions()).length, 1);
  });

  it('sends nobody to the portal where nothing has left: the network is down, or turned every send away', async () => {
    for (const outcome of [null, 'not_sent']) {
      const id = await agreed();
      const push = (await transactions()).at(-1);
      if (outcome !== null) await sends(push?.id, outcome);
      await tryToEnd(test.database, push?.id, { kind: 'answer', result: failure('network_unavailable') });
      const { done, state } = await goOn(id);
      assert.equal(done, true);
      assert.match(state, /has ended as failed, and nothing was sent: malipo channels check/);
      assert.doesNotMatch(state, /portal/);
    }
  });

  it('is refused where it could not be sent, nor given back, and to whom it is not for', async () => {
    assert.match((await propose({ number: '0620000001' })).body.message, /No connection carries payments/);
    assert.equal((await propose({ number: '12' })).status, 422);
    assert.match(
      (await propose({ amount: 5_000_000 })).body.message,
      /changed since you looked at it \(amount\)/,
    );
    await test.sql`UPDATE api_keys SET scopes = '{payments:write}' WHERE id = ${own.apiKeyId}`;
    assert.match((await propose()).body.message, /no key with payments:write and payouts:write/);
    assert.equal((await desk.call('only-support', 'POST', 'channels/live-sends/pr_x')).status, 403);
    assert.equal((await desk.call('asha', 'POST', 'channels/live-sends/pr_x')).status, 409);
  });
});
