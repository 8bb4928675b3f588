import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createRun } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { raiseAttention } from '../../src/transactions/attention.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Flows, openFlowEnvironment, startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const secret = () => randomBytes(32).toString('base64');

describe("a person's decision on the command line", () => {
  let environment: TestWorkflowEnvironment;
  let test: TestDatabase;
  let flows: Flows;
  let merchant: Merchant;
  let script: ScriptedChannel;
  before(async function () {
    this.timeout(60_000);
    environment = await openFlowEnvironment();
    test = await createTestDatabase({ poolMax: 10 });
    script = createScriptedChannel();
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }];
    flows = await startFlows(environment, {
      database: test.database,
      script,
      delivery: { attempt: async () => ({ kind: 'delivered' as const }) },
    });
  });
  after(async () => {
    await flows.stop();
    await environment.teardown();
    await test.drop();
  });
  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 100_000 });
  });

  async function run(...args: string[]): Promise<string[]> {
    const lines: string[] = [];
    const config = loadConfig({
      MALIPO_ENV: 'development',
      DATABASE_URL: test.urlOf('api'),
      TEMPORAL_ADDRESS: environment.address,
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      SUBMISSION_KEY: secret(),
    });
    const program = createProgram(
      createRun({ config: async () => config, print: (line) => lines.push(line) }),
    );
    await program.parseAsync(['attention', ...args], { from: 'user' });
    return lines;
  }

  /** A payout that was handed over and whose channel does not answer. */
  async function unknownPayout(): Promise<string> {
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    const id = submission.transactionId;
    await flows.submit(submission);
    await until(() => script.sent.some((order) => order.transactionId === id), {
      deadlineMs: 10_000,
      what: 'the send',
    });
    await raiseAttention(test.database, { transactionId: id, reason: 'unknown_outcome', detail: 'a day' });
    return id;
  }
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');

  it('takes the hold when the person says paid, and takes the payout off the list', async () => {
    const id = await unknownPayout();
    assert.ok((await run('list')).some((line) => line.startsWith(id) && line.includes('unknown_outcome')));
    assert.deepEqual(await run('decide', id, 'paid', '--note', 'statement line 12'), [`${id} is paid`]);
    assert.deepEqual(await balance(), { current: 4_900_000, reserved: 0 });
    assert.ok(!(await run('list')).some((line) => line.startsWith(id)));
    const { rows } = await test.database.query(
      "SELECT actor, detail FROM audit_log WHERE action = 'attention.decide' AND subject = $1",
      [id],
    );
    assert.equal(rows.length, 1);
    assert.match(rows[0].actor, /^cli:/);
    assert.equal(rows[0].detail.note, 'statement line 12');
  });

  it('starts a workflow again that is gone, and gives the money back when the person says failed', async () => {
    const id = await unknownPayout();
    await flows.handle(id).terminate('an operator slipped');
    assert.deepEqual(await run('decide', id, 'failed', '--note', 'by mail'), [`${id} is failed`]);
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
  });

  it('refuses to decide what is decided', async () => {
    const id = await unknownPayout();
    await run('decide', id, 'failed', '--note', 'by mail');
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
      `INSERT INTO notifications (channel, event_key, transaction_id, content, raw, state)
       VALUES ('m-pesa', 'one', $1, $2, '', 'contradicting')`,
      [id, content],
    );
    const shown = await run('show', id);
    assert.match(shown[1] ?? '', /over m-pesa as PO[0-9A-Z]{16}$/);
    const said = shown
      .filter((line) => /sent|notified/.test(line))
      .map((line) => line.replace(/^.*Z {2}/, ''));
    assert.deepEqual(said, ['sent (1): unknown', 'notified succeeded 51,000.00 TZS CKL7 (contradicting)']);
    assert.ok(!shown.some((line) => line.includes('ASHA')), 'names nobody');
  });

  it('shows the money of a payout, and closes an entry only when its state is final', async () => {
    const id = await unknownPayout();
    const shown = await run('show', id);
    assert.match(shown[0] ?? '', /payout \(mobile\) {2}pending/);
    assert.ok(shown.some((line) => /hold {2}held {2}51,000\.00/.test(line)));
    await assert.rejects(run('close', id, '--note', 'looked at it'), /It is pending/);
    await run('decide', id, 'paid', '--note', 'statement');
    await raiseAttention(test.database, { transactionId: id, reason: 'late_success', detail: 'twice' });
    assert.deepEqual(await run('close', id, '--note', 'returned by hand'), ['1 closed']);
    assert.deepEqual(await run('close', id, '--note', 'again'), ['it is not on the list']);
  });
});
