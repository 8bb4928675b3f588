import assert from 'node:assert/strict';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { getDecision, plantDecision } from '../support/decision.ts';
import { type OwnFlows, useFlowServer } from '../support/flow-server.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';
import { until } from '../support/wait.ts';

describe('a flow that two people decide (skipped time, real durations)', function () {
  this.timeout(120_000);
  const server = useFlowServer('skipped');
  const { test, statusOf } = server;
  let { merchant, script, flows } = {} as OwnFlows;
  let delivered: string[];

  beforeEach(async () => {
    delivered = [];
    const attempt = async (eventId: string) => {
      delivered.push(eventId);
      await test.sql`UPDATE callback_events SET state = 'delivered' WHERE id = ${eventId}`;
      return { kind: 'delivered' as const };
    };
    ({ merchant, script, flows } = await server.open({ balance: 100_000, delivery: { attempt } }));
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }];
  });

  /** A payout whose channel has not answered for a day: a person is called. */
  async function overdue(): Promise<string> {
    const id = await flows.start(merchant, mobilePayoutRequest(50_000));
    await server.environment.sleep('26h');
    assert.deepEqual(await reasonsOf(id), ['unknown_outcome']);
    return id;
  }
  const reasonsOf = async (id: string) =>
    (await listAttention(test.database)).filter(({ subject }) => subject === id).map(({ reason }) => reason);
  const balance = () => balanceOf(test.database, merchant.accountId, 'TZS');
  const tell = (id: string) => flows.handle(id).signal('channelResult', 'stored');
  const untilStatus = (id: string, status: string) =>
    until(async () => (await statusOf(id)) === status, `it is ${status}`);
  const answerOf = async (id: string) => (await getDecision(test.database, id))?.answer;

  it('ends as they decided, tells the merchant, and goes on asking until its week is over', async () => {
    const id = await overdue();
    await plantDecision(test.database, id, 'failed');
    await tell(id);
    await untilStatus(id, 'failed');
    assert.deepEqual(await balance(), { current: 10_000_000, reserved: 0 });
    await until(async () => delivered.length === 1, 'the callback');
    const enquiries = script.enquired;
    await server.environment.sleep('24h');
    assert.ok(script.enquired >= enquiries + 20, 'once an hour');
    assert.equal(await answerOf(id), null);
    assert.equal(await flows.ended(id), 'failed');
    assert.equal(await answerOf(id), 'none');
    assert.deepEqual(await reasonsOf(id), []);
    assert.equal(delivered.length, 1);
  });

  it('asks once an hour while nobody decides', async () => {
    const id = await overdue();
    const asked = script.enquired;
    await server.environment.sleep('10h');
    assert.ok(script.enquired - asked <= 11, `${script.enquired - asked} enquiries in 10 hours`);
    script.enquiries = [succeeded(50_000)];
    assert.equal(await flows.ended(id), 'paid');
  });

  it('is not answered by a success with another amount', async () => {
    const id = await overdue();
    await plantDecision(test.database, id, 'paid');
    await tell(id);
    await untilStatus(id, 'paid');
    script.enquiries = [succeeded(49_000)];
    const enquiries = script.enquired;
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(await answerOf(id), 'none');
    assert.ok(script.enquired > enquiries + 20, 'asked on');
    assert.deepEqual(await reasonsOf(id), ['wrong_amount']);
  });

  it('is not contradicted by a "not found" that does not hold', async () => {
    const id = await overdue();
    await plantDecision(test.database, id, 'paid');
    await tell(id);
    await untilStatus(id, 'paid');
    script.enquiries = [{ kind: 'not_found' }, succeeded(50_000)];
    script.enquired = 0;
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(await answerOf(id), 'confirmed');
  });

  it('is contradicted by "not found" that holds: the payout was never made', async () => {
    const id = await overdue();
    await plantDecision(test.database, id, 'paid');
    await tell(id);
    await untilStatus(id, 'paid');
    script.enquiries = [{ kind: 'not_found' }];
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(await answerOf(id), 'contradicted');
    assert.deepEqual(await reasonsOf(id), ['conflicting_failure']);
  });

  it('is asked about by another workflow when its own is lost, before and after the decision', async () => {
    const id = await overdue();
    await flows.handle(id).terminate('an operator slipped');
    await plantDecision(test.database, id, 'paid');
    const asked = script.enquired;
    await flows.sweep.sweep();
    await untilStatus(id, 'paid');
    await until(async () => delivered.length === 1, 'the callback');
    // An enquiry under way when its workflow ends would take the answer that is meant for the next one.
    await until(() => script.enquired > asked, 'the second one has asked');
    await flows.handle(id).terminate('and again');
    script.enquiries = [succeeded(50_000)];
    await until(async () => {
      // The server's clock is ahead of Postgres's, and with it the next enquiry, which one that still runs may note again.
      await test.sql`UPDATE transactions SET due_at = now() - interval '1 second' WHERE id = ${id}`;
      await flows.sweep.sweep();
      return (await flows.handle(id).describe()).status.name !== 'TERMINATED';
    }, 'another workflow asks');
    assert.equal(await flows.ended(id), 'paid');
    assert.equal(await answerOf(id), 'confirmed');
    assert.equal(script.sent.length, 1, 'nothing is sent again');
  }).timeout(150_000);

  it('leaves the books right', async () => assert.deepEqual(await checkInvariants(test.database), []));
});
