// tests: hard
import assert from 'node:assert/strict';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { pick } from '../support/pick.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';

describe('a step that needs a column which is not there yet', function () {
  this.timeout(60_000);
  const server = useFlowServer('real');
  let flows: Flows;
  let script: ScriptedChannel;
  let merchant: Merchant;
  beforeEach(async () => {
    const { database } = server.test;
    await database.query('DELETE FROM attention');
    merchant = await createMerchant(database);
    script = createScriptedChannel();
    flows = await startFlows(server.environment, { database, script });
  });
  afterEach(() => flows.stop());

  /** What a worker finds that is newer than its database. */
  async function without(table: string, column: string, work: () => Promise<unknown>): Promise<void> {
    const rename = (from: string, to: string) =>
      server.test.database.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
    await rename(column, 'later');
    try {
      await work();
      const entries = await until(async () => {
        const all = await listAttention(server.test.database);
        return all.length > 0 ? all : null;
      }, 'a person is notified');
      assert.deepEqual(pick(entries, 'subject', 'reason'), [['schema', 'schema']]);
    } finally {
      await rename('later', column);
    }
  }

  it('is tried again when it accepts: the merchant gets its answer', async () => {
    script.sends = [succeeded(5_000)];
    const submission = submissionFor(merchant, pushRequest(5_000));
    let answer: Promise<unknown> | undefined;
    await without('transactions', 'timing', async () => {
      answer = flows.submit(submission);
    });
    await answer;
    assert.equal(await flows.ended(submission.transactionId), 'completed');
  });

  it('is tried again when it settles, by the flow and by the send that learnt of a success', async () => {
    const { transactionId: notified, ...rest } = submissionFor(merchant, pushRequest(5_000));
    await flows.submit({ transactionId: notified, ...rest });
    await until(() => script.sent.length > 0, 'the send');
    const answered = submissionFor(merchant, pushRequest(5_000));
    script.sends.push(succeeded(5_000));
    script.enquiries = [succeeded(5_000)];
    await without('callback_events', 'sequence', async () => {
      await flows.notify(notified, succeeded(5_000), `done-${notified}`);
      await flows.submit(answered);
      await until(() => script.sent.length > 1, 'the second send');
    });
    for (const id of [notified, answered.transactionId]) assert.equal(await flows.ended(id), 'completed');
  });
});
