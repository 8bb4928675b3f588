// tests: hard
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { kinds } from '../../src/domain/kinds.ts';
import { FENCE, fenceOf, liftFence } from '../../src/transactions/care/fence.ts';
import { sendActivityId, taskQueues } from '../../src/workflows/messages.ts';
import { type Json, mobilePayoutBody } from '../support/gateway.ts';
import { movementsOf } from '../support/shared-gateway.ts';
import { until } from '../support/wait.ts';
import { openVictim, operate, reasonsOf, useTarget, type Victim } from './target.ts';

/** As somebody who may write to Temporal, and has read in it; without any key of Malipo. */
describe('attack: Temporal', function () {
  this.timeout(60_000);
  const target = useTarget();
  let connection: Connection;
  let stranger: Client;
  let victim: Victim;
  before(async () => {
    connection = await Connection.connect({ address: target.local.temporal_address });
    stranger = new Client({ connection });
  });
  after(() => connection?.close());
  beforeEach(async () => {
    victim = await openVictim(target);
  });

  /** A payout that its network leaves pending, and the input of its workflow as anybody at Temporal reads it. */
  async function pendingPayout(): Promise<{ id: string; input: Json; held: number }> {
    const { json, text } = await victim.post('payouts/mobile', mobilePayoutBody('129'));
    const id: string = json.transaction_id;
    assert.ok(id, text);
    // Before that a cancel wins, which is right.
    const handedOver = 'SELECT FROM transactions WHERE id = $1 AND handed_over_at IS NOT NULL';
    await until(
      async () => (await target.database.query(handedOver, [id])).rowCount === 1,
      'its channel has it',
    );
    const { events } = await stranger.workflow.getHandle(workflowIdOf(id)).fetchHistory();
    const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    const input = JSON.parse(Buffer.from(payload?.data ?? '').toString('utf8'));
    assert.equal(input.transactionId, id);
    return { id, input, held: (await victim.money()).reserved };
  }

  /** Starts it by hand and waits until it is over; its workflow id. */
  async function startByHand(input: Json, workflowId = workflowIdOf(input.transactionId)): Promise<string> {
    const handle = await stranger.workflow.start(kinds.mobile.flow, {
      workflowId,
      taskQueue: taskQueues.money,
      args: [input],
    });
    await assert.rejects(handle.result());
    return workflowId;
  }

  const forgeries: Record<string, (genuine: Json) => Json> = {
    'another amount': ({ submission, ...input }) => ({
      ...input,
      submission: { ...submission, request: { ...submission.request, amount: 99_999_900 } },
    }),
    'another recipient': ({ submission, ...input }) => ({
      ...input,
      submission: { ...submission, request: { ...submission.request, msisdn: '255754999456' } },
    }),
    'no proof': ({ submission: { mac: _, ...submission }, ...input }) => ({ ...input, submission }),
    'the account of somebody else': ({ submission, ...input }) => ({
      ...input,
      submission: { ...submission, accountId: target.local.account_id },
    }),
    'nothing changed but its id': (input) => input,
  };
  for (const [what, forge] of Object.entries(forgeries))
    it(`a workflow started by hand, a copy with ${what}, books and pays nothing`, async () => {
      const { input, held } = await pendingPayout();
      const transactionId = randomUUID();
      const workflowId = await startByHand({ ...forge(input), transactionId });
      assert.deepEqual(await reasonsOf(target, workflowId), ['untrusted_submission']);
      assert.equal(await victim.transactions(), 1);
      assert.equal((await victim.money()).reserved, held);
      const { rowCount } = await target.database.query('SELECT FROM transactions WHERE id = $1', [
        transactionId,
      ]);
      assert.equal(rowCount, 0);
    });

  it('the very input of a payout under another workflow id pays nothing', async () => {
    const { input, held } = await pendingPayout();
    await startByHand(input, workflowIdOf(randomUUID()));
    assert.equal(await victim.transactions(), 1);
    assert.equal((await victim.money()).reserved, held);
  });

  it('a flow that is resumed by hand with shorter times fails no payout whose money may have moved', async () => {
    const { id, input, held } = await pendingPayout();
    await stranger.workflow.getHandle(workflowIdOf(id)).terminate('by a stranger');
    const timing = Object.fromEntries(
      Object.entries(input.timing).map(([name, value]) => [name, Array.isArray(value) ? [1] : 1]),
    );
    await startByHand({ ...input, timing, submission: null });
    assert.equal((await victim.send('GET', `payouts/${id}`)).json.status, 'pending');
    assert.equal((await victim.money()).reserved, held);
  });

  it('no signal, no update and no completion of its send decides a payout', async () => {
    const { id, held } = await pendingPayout();
    const handle = stranger.workflow.getHandle(workflowIdOf(id));
    const verdict = { outcome: 'succeeded', status: 'paid', actor: 'operator:asha', reference: 'R1' };
    await handle.signal('decide', verdict);
    await handle.signal('decide', { outcome: 'failed', actor: 'operator:asha' });
    await handle.signal('channelResult', 'stored', verdict);
    await handle.signal('channelResult', verdict);
    const send = { workflowId: workflowIdOf(id), activityId: sendActivityId(1) };
    await stranger.activity.complete(send, { kind: 'failed', ...verdict }).catch(() => {});
    await assert.rejects(handle.executeUpdate('decide', { args: [verdict] }));
    const cancelled = await handle.executeUpdate('cancel').catch(() => ({ cancelled: false }));
    assert.deepEqual(cancelled, { cancelled: false });
    const { json } = await victim.send('GET', `payouts/${id}`);
    assert.equal(json.status, 'pending');
    assert.equal((await victim.money()).reserved, held);
    assert.equal((await handle.describe()).status.name, 'RUNNING');
    const reference = json.payout_reference;
    assert.ok((await movementsOf(target, reference)).length <= 1, 'the network pays it once at most');
  });

  // Where payloads are encrypted, as in production, such an input is not even read. The last one: it stops everything.
  it('a flow that is resumed by hand of a transaction that there is not stops us, but pays nothing', async () => {
    const { input, held } = await pendingPayout();
    const transactionId = randomUUID();
    const handle = await stranger.workflow.start(kinds.mobile.flow, {
      workflowId: workflowIdOf(transactionId),
      taskQueue: taskQueues.money,
      args: [{ ...input, transactionId, submission: null }],
    });
    await until(
      async () => (await fenceOf(target.database)) !== null,
      'Postgres is taken for one that forgot a transaction',
    );
    assert.ok((await reasonsOf(target, FENCE)).includes('restored'));
    assert.equal(await victim.transactions(), 1);
    assert.equal((await victim.money()).reserved, held);
    const refused = await victim.post('payouts/mobile', mobilePayoutBody());
    assert.equal(refused.status, 503, refused.text);
    assert.equal(await victim.transactions(), 1);
    // One operator does not lift it, and two only say that `recover` may.
    const [{ closed_at }] = (await target.database.query('SELECT closed_at FROM fence')).rows;
    const lift = { action: 'fence.lift', payload: { closed_at, missing: 1 }, reason: 'x' };
    const { proposal } = (await operate(target, 'asha', 'POST', 'proposals', lift)).json;
    const approve = (as: string) =>
      operate(target, as, 'POST', `proposals/${proposal.id}/approve`, {
        payload_hash: proposal.payload_hash,
      });
    assert.equal((await approve('asha')).status, 403);
    assert.equal((await approve('juma')).json.proposal.state, 'executed');
    assert.notEqual(await fenceOf(target.database), null);
    await handle.terminate('by an operator');
    await liftFence(target.database, null);
  });
});
