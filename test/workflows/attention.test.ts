import assert from 'node:assert/strict';
import { TypedSearchAttributes } from '@temporalio/common';
import { attentionWorkflowIdOf } from '../../src/domain/ids.ts';
import { entriesToShow, raiseAttention, resolveAttention } from '../../src/transactions/care/attention.ts';
import { entryClosed, searchAttributes, taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { accepted } from '../support/handed-over.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

describe('`Attention = true` in Temporal (real server)', () => {
  let flows: Flows;
  // Before the server's own hook, which closes the connection that the flows hold.
  after(() => flows.stop());
  const server = useFlowServer('real');
  const { test } = server;
  before(async () => {
    flows = await startFlows(server.environment, {
      database: test.database,
      script: createScriptedChannel(),
      links: {
        runbooksUrl: 'https://docs.example/operations',
        workflowUrl: (workflowId) => `https://temporal.example/${encodeURIComponent(workflowId)}`,
      },
    });
  });

  const workflows = () => server.environment.client.workflow;
  async function flagged(query = 'Attention = true'): Promise<string[]> {
    const ids: string[] = [];
    for await (const { workflowId } of workflows().list({ query })) ids.push(workflowId);
    return ids.sort();
  }
  const wanted = async () =>
    (await entriesToShow(test.database, 100)).map((entry) => attentionWorkflowIdOf(entry)).sort();

  /** Sweeps until Temporal shows the list and nothing else: what was just started or ended is listed a moment later. */
  async function agrees(): Promise<string[]> {
    let shown: string[] = [];
    const isSame = async () => {
      const { flagged: raised } = await flows.sweep.sweep();
      assert.equal(raised, 0);
      shown = await flagged();
      return shown.join() === (await wanted()).join();
    };
    await until(isSame, 'Temporal shows the attention list');
    return shown;
  }

  /** A payout that is on the list and has no workflow at all. */
  async function listed() {
    const { id, merchant } = await accepted(test.database, mobilePayoutRequest(50_000));
    // No other duty looks at it.
    await test.sql`UPDATE transactions SET due_at = 'infinity' WHERE id = ${id}`;
    await raiseAttention(test.database, {
      transactionId: id,
      reason: 'returned',
      detail: 'The bank returned the payout of 255754123456',
    });
    return { id, accountId: merchant.accountId };
  }

  it('is what is on the attention list, with and without a transaction, while it is on it', async () => {
    const [one, other] = [await listed(), await listed()];
    await raiseAttention(test.database, { transactionId: one.id, reason: 'overdue', detail: 'x' });
    const subject = 'm-pesa:SECRET 255754123456';
    await raiseAttention(test.database, { subject, reason: 'unexpected_payment', detail: subject });
    const shown = await agrees();
    assert.equal(shown.length, 4);
    for (const id of [one.id, other.id]) assert.ok(shown.includes(`attention/${id}/returned`));
    const ofOne = `Attention = true AND AccountId = '${one.accountId}' AND Channel = 'm-pesa'`;
    assert.equal((await flagged(ofOne)).length, 2);

    await resolveAttention(test.database, one.id, ['returned']);
    const rest = await agrees();
    assert.equal(rest.length, 3);
    // It is back under the same id.
    await raiseAttention(test.database, { transactionId: one.id, reason: 'returned', detail: 'again' });
    assert.deepEqual(await agrees(), shown);
  }).timeout(30_000);

  it('is shown once whoever sweeps at the same time, and says what to do with no word of the entry', async () => {
    const { id } = await listed();
    await Promise.all([flows.sweep.sweep(), flows.sweep.sweep(), flows.sweep.sweep()]);
    await agrees();
    const runs = await flagged(`WorkflowId = 'attention/${id}/returned'`);
    assert.equal(runs.length, 1);
    const description = await workflows().getHandle(`attention/${id}/returned`).describe();
    assert.equal(await description.staticSummary(), 'A person is needed: returned');
    const details = await description.staticDetails();
    assert.match(details ?? '', /A person tells the merchant/);
    assert.ok(details?.includes('(https://docs.example/operations/returned.md)'), details);
    const link = ` · [transaction/${id}](https://temporal.example/transaction%2F${id}) · `;
    const [first = ''] = details?.split('\n') ?? [];
    assert.ok(first.startsWith('**') && first.includes(` TZS**${link}`), first);
    assert.match(details ?? '', /Times on this page are UTC/);
    assert.ok(!details?.includes('255754123456'));
  });

  it('outlives whoever cancels, ends or terminates one that is on the list', async () => {
    const { id } = await listed();
    await agrees();
    const handle = workflows().getHandle(`attention/${id}/returned`);
    await handle.cancel();
    await agrees();
    await handle.signal(entryClosed);
    const { runId } = await handle.describe();
    await until(async () => (await flagged()).length === (await wanted()).length - 1, 'it ends');
    await agrees();
    assert.notEqual((await handle.describe()).runId, runId);

    await handle.terminate('by a stranger');
    const running = `WorkflowId = 'attention/${id}/returned' AND ExecutionStatus = 'Running'`;
    const isBack = async () => {
      await flows.sweep.sweep();
      return (await flagged(running)).length === 1;
    };
    await until(isBack, 'the sweep starts it again');
    // The one that was terminated keeps what it carried.
    await test.sql`UPDATE attention SET resolved_at = now() WHERE resolved_at IS NULL`;
    await until(async () => {
      await flows.sweep.sweep();
      return (await flagged("Attention = true AND ExecutionStatus = 'Running'")).length === 0;
    }, 'all of them end');
  }).timeout(40_000);

  it('is not for others to say: one that a stranger started is ended, and changes nothing', async () => {
    const { id } = await accepted(test.database, mobilePayoutRequest(50_000));
    await test.sql`UPDATE transactions SET due_at = 'infinity' WHERE id = ${id}`;
    const state = () =>
      test.sql`SELECT (SELECT count(*) FROM attention) a, (SELECT count(*) FROM entries) e, status
        FROM transactions WHERE id = ${id}`;
    const before = await state();
    const forged = [`attention/${id}/late_success`, `attention/${id}`, 'attention/schema'];
    for (const workflowId of forged)
      await workflows().start(workflowTypes.attention, {
        workflowId,
        taskQueue: taskQueues.money,
        typedSearchAttributes: new TypedSearchAttributes([{ key: searchAttributes.attention, value: true }]),
        args: [{ transactionId: id, status: 'paid' }],
      });
    for (const workflowId of forged)
      await until(async () => {
        await flows.sweep.sweep();
        return (await workflows().getHandle(workflowId).describe()).status.name === 'COMPLETED';
      }, `${workflowId} is ended`);
    assert.deepEqual(await state(), before);
  }).timeout(40_000);

  it('is told nothing where nobody works on it: one that a stranger started on another queue', async () => {
    const workflowId = 'attention/nobody';
    await workflows().start(workflowTypes.attention, { workflowId, taskQueue: 'nobody' });
    const isListed = async () => (await flagged(`WorkflowId = '${workflowId}'`)).length === 1;
    await until(isListed, 'it is listed');
    await flows.sweep.sweep();
    const { events } = await workflows().getHandle(workflowId).fetchHistory();
    assert.ok(
      !events?.some(
        ({ workflowExecutionSignaledEventAttributes }) => workflowExecutionSignaledEventAttributes,
      ),
    );
    await workflows().getHandle(workflowId).terminate('the end of the test');
  });
});
