import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { balanceOf } from '../../../src/ledger/accounts.ts';
import { raiseAttention } from '../../../src/transactions/care/attention.ts';
import { getTransaction } from '../../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { type Flows, openFlowEnvironment, startFlows } from '../../support/flows.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../../support/merchant.ts';
import { type OperatorDesk, openOperatorDesk } from '../../support/operator-desk.ts';
import { createScriptedChannel, type ScriptedChannel } from '../../support/scripted-channel.ts';
import { until } from '../../support/wait.ts';

describe('a decision on the command line', () => {
  let environment: TestWorkflowEnvironment;
  const test = useTestDatabase({ poolMax: 10 });
  let flows: Flows;
  let merchant: Merchant;
  let script: ScriptedChannel;
  let desk: OperatorDesk;
  before(async function () {
    this.timeout(60_000);
    environment = await openFlowEnvironment();
    script = createScriptedChannel();
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }];
    flows = await startFlows(environment, {
      database: test.database,
      script,
    });
    const tell = (id: string) => flows.handle(id).signal('channelResult', 'stored');
    desk = await openOperatorDesk(test.database, { wake: (id) => tell(id).catch(() => {}) });
  });
  after(async () => {
    await desk.stop();
    await flows.stop();
    await environment.teardown();
  });
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 100_000 });
  });

  const run = (...args: string[]) => desk.cli('asha', 'attention', ...args);
  /** Two people decide; what the transaction is once its workflow has looked. */
  async function decide(id: string, outcome: string, note: string): Promise<string> {
    await desk.approve('juma', await run('decide', id, outcome, '--note', note));
    return untilFinal(id);
  }
  function untilFinal(id: string): Promise<string> {
    return until(async () => {
      const status = (await getTransaction(test.database, id))?.status;
      return status === 'pending' ? undefined : status;
    }, 'it is final');
  }

  /** A payout that was handed over and whose channel does not answer. */
  async function unknownPayout(): Promise<string> {
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    const id = submission.transactionId;
    await flows.submit(submission);
    await until(() => script.sent.some((order) => order.transactionId === id), 'the send');
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: 'a day' });
    return id;
  }
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');

  it('takes the hold when the person says paid, and takes the payout off the list', async () => {
    const id = await unknownPayout();
    assert.ok((await run('list')).some((line) => line.startsWith(id) && line.includes('unknown_outcome')));
    assert.equal(await decide(id, 'paid', 'statement line 12'), 'paid');
    assert.deepEqual(await balance(), { current: 4_900_000, reserved: 0 });
    assert.ok(!(await run('list')).some((line) => line.startsWith(id)));
    const { rows } = await test.database.query(
      "SELECT actor, detail FROM audit_log WHERE action = 'attention.decide' AND subject = $1",
      [id],
    );
    assert.equal(rows.length, 1);
    assert.equal(rows[0].actor, 'operator:juma');
    assert.equal(rows[0].detail.note, 'statement line 12');
  });

  it('starts a workflow again that is gone, and gives the money back when the person says failed', async () => {
    const id = await unknownPayout();
    await flows.handle(id).terminate('an operator slipped');
    const proposed = await run('decide', id, 'failed', '--note', 'by mail');
    await desk.approve('juma', proposed);
    await flows.sweep.sweep();
    assert.equal(await untilFinal(id), 'failed');
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('refuses to decide what is decided', async () => {
    const id = await unknownPayout();
    await decide(id, 'failed', 'by mail');
    await assert.rejects(run('decide', id, 'paid', '--note', 'no'), /It is failed already/);
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('shows what was said to the channel and by it, in order, with the reference to ask for', async () => {
    const id = await unknownPayout();
    const content = {
      kind: 'succeeded',
      amount: 5_100_000,
      currency: 'TZS',
      channelReference: 'CKL7',
      fullName: 'ASHA JUMA',
    };
    await test.database.query(
      `INSERT INTO notifications (channel, event_key, transaction_id, content, state)
       VALUES ('m-pesa', 'one', $1, $2, 'contradicting')`,
      [id, content],
    );
    const shown = await run('show', id);
    assert.ok(shown.some((line) => /channel {3}m-pesa as PO[0-9A-Z]{16}, created/.test(line)));
    const said = shown
      .filter((line) => /^ {4}\S+[+]03:00 {2}/.test(line))
      .map((line) => line.replace(/^.*[+]03:00 {2}/, ''));
    assert.deepEqual(said, ['sent (1): unknown', 'notified succeeded 51,000.00 TZS CKL7 (contradicting)']);
    assert.ok(!shown.some((line) => line.includes('ASHA')), 'names nobody');
    assert.ok(
      shown.some(
        (line) => line.startsWith('  todo ') && line.endsWith('(docs/operations/unknown-outcome.md)'),
      ),
    );
  });

  it('lists a line each, all or those of a reason, and tells the story of one', async () => {
    const id = await unknownPayout();
    const proposed = await run('decide', id, 'paid', '--note', 'ticket 7');
    const [head, ...lines] = await run('list');
    assert.match(head ?? '', /^Id +Reason +Amount +Merchant +Party +Since +Age +Detail/);
    const line = lines.find((one) => one.startsWith(id)) ?? '';
    assert.match(
      line,
      /^\S+ +unknown_outcome +50,000\.00 TZS +Test shop +0754123456 +20\S+[+]03:00 +0 days +a day /,
    );
    assert.deepEqual(await run('list', '--reason', 'late_success'), [
      'The list is empty: no person is needed.',
    ]);
    const answered = (await run('list', '--json')).map((page) => JSON.parse(page));
    assert.ok(answered[0].data.some(({ subject }: { subject: string }) => subject === id));
    const story = (await run('show', id)).join('\n');
    for (const part of [
      '(docs/operations/unknown-outcome.md)',
      'Held: 51,000.00 TZS',
      '0754123456, 50,000.00 TZS, fee 1,000.00',
      'sent (1): unknown',
      'attention.decide',
      'by asha: ticket 7',
    ])
      assert.ok(story.includes(part), `${part} in\n${story}`);
    await desk.approve('juma', proposed);
    await untilFinal(id);
    const shown = (await run('show', id)).join('\n');
    assert.match(shown, /decided {3}paid by asha and juma at \S+: ticket 7/);
  });

  it('shows the money of a payout, and closes an entry only when its state is final', async () => {
    const id = await unknownPayout();
    const shown = await run('show', id);
    assert.match(shown[0] ?? '', /payout \(mobile\) {2}pending/);
    assert.ok(shown.some((line) => /hold {2}held {2}51,000\.00/.test(line)));
    await assert.rejects(run('close', id, '--note', 'looked at it'), /The transaction is pending/);
    await decide(id, 'paid', 'statement');
    await raiseAttention(test.database, { transactionId: id, reason: 'late_success', detail: 'twice' });
    assert.deepEqual(await run('close', id, '--note', 'returned by hand'), ['closed entries: 1']);
    assert.deepEqual(await run('close', id, '--note', 'again'), ['there is no attention entry about it']);
  });
});
