import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { createSettlements } from '../../src/app/settlements.ts';
import { dayOf } from '../../src/domain/day.ts';
import { minor } from '../../src/domain/money.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { topUp } from '../../src/ledger/transfer.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { dailyKeyOf, transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { closeFence, FenceClosed } from '../../src/transactions/care/fence.ts';
import { taskQueues, workflowTypes } from '../../src/workflows/messages.ts';
import { asRole } from '../support/database.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createMerchant, type Merchant } from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { forgeRule, routeWith, setRule, settlementFor } from '../support/settlement.ts';
import { attentionOf } from '../support/unexplained.ts';

/** A merchant has 500,000 and keeps 100,000; 150,000 go at once. */
describe('the flows of settlements (skipped time)', () => {
  const server = useFlowServer('skipped');
  const { test } = server;
  let script: ScriptedChannel;
  let flows: Flows;
  let merchant: Merchant;
  /** the worker dies after it accepted, before it has begun the other parts */
  let isKilled = false;
  let isCarried = true;
  let isBroken = false;
  let tries = 0;
  const delivery = { attempt: async () => ({ kind: 'delivered' as const }) };

  const liftFence = () => test.sql`UPDATE fence SET closed_at = NULL, reason = NULL, epoch = epoch + 1`;

  function settlements(client: Client) {
    const made = createSettlements({
      database: asRole(test.database, 'worker'),
      client,
      timing: 'normal',
      submissionKeys,
      routeOf: () => (isCarried ? routeWith(150_000) : undefined),
    });
    return {
      ...made,
      settle: async (day: string, isAgain?: boolean) => {
        tries += 1;
        if (isBroken) throw new Error('Postgres is away');
        return made.settle(day, isAgain).catch(async (error) => {
          await liftFence();
          throw error;
        });
      },
      beginParts: async (ids: readonly string[]) => (isKilled ? undefined : made.beginParts(ids)),
    };
  }

  beforeEach(async () => {
    [isKilled, isCarried, isBroken, tries] = [false, true, false, 0];
    script = createScriptedChannel();
    flows = await startFlows(server.environment, { database: test.database, script, delivery, settlements });
    // Those of other tests settle nothing in this one.
    if (merchant) await setRule(test.database, merchant, { keep: 9_000_000 });
    merchant = await createMerchant(test.database, { balance: 500_000 });
    await setRule(test.database, merchant);
  });
  afterEach(async () => {
    await flows.stop();
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  /** The three parts are paid, each once. */
  async function paid(ids: string[]): Promise<void> {
    for (const id of ids) assert.equal(await flows.ended(id), 'paid');
    assert.deepEqual(script.sent.map(({ amount }) => amount / 100).sort(), [150_000, 150_000, 92_920]);
    assert.equal(new Set(script.sent.map(({ reference }) => reference)).size, 3);
    const left = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual(left, { current: 100_000_00, reserved: 0 });
  }
  const partsOf = async () => {
    const rows = await test.sql`SELECT id FROM transactions
        WHERE account_id = ${merchant.accountId} AND mode = 'settlement'`;
    return rows.map((row) => row.id as string);
  };
  /** The channel takes each part at once, with a receipt of its own. */
  const answersEach = () => {
    script.sends = [async ({ amount, transactionId }) => succeeded(amount / 100, transactionId)];
  };

  const run = (workflowId: string) =>
    server.environment.client.workflow.execute(workflowTypes.settleDaily, {
      workflowId,
      taskQueue: taskQueues.money,
    });
  const today = async () => dayOf(new Date(await server.environment.currentTimeMs()));

  it('begin together, and each part is an ordinary payout', async () => {
    answersEach();
    const submission = await settlementFor(test.database, merchant, { partMax: 150_000 });
    const { answer } = await flows.submit(submission);
    await paid(JSON.parse(answer.body).settlement.payouts);
  });

  it('whose worker dies between the parts are begun by the sweep, and paid once', async () => {
    answersEach();
    isKilled = true;
    const submission = await settlementFor(test.database, merchant, { partMax: 150_000 });
    const { answer } = await flows.submit(submission);
    const ids: string[] = JSON.parse(answer.body).settlement.payouts;
    assert.equal(await flows.ended(submission.transactionId), 'paid');
    script.enquiries = Array.from({ length: 20 }, () => ({ kind: 'not_found' as const }));
    await test.sql`UPDATE transactions SET due_at = now() - interval '1 hour' WHERE status = 'pending'`;
    await flows.sweep.sweep();
    await paid(ids);
  });

  it('of a day are begun once, however often the schedule runs', async () => {
    answersEach();
    const day = await today();
    assert.deepEqual(await run('settlements-1'), { started: 1 });
    const id = transactionIdOf(merchant.accountId, dailyKeyOf(day));
    await flows.handle(id).result();
    await paid(await partsOf());
    assert.deepEqual(await run('settlements-2'), { started: 0 });
    const other = settlements(server.environment.client);
    await topUp(test.database, {
      accountId: merchant.accountId,
      amount: minor(200_000_00),
      actor: 'test',
      dedupeKey: 'more',
    });
    assert.deepEqual(await other.settle(day), { started: 0 }, 'what came in since is for the next day');
    assert.equal(script.sent.length, 3);
  });

  it('of a day that was refused are tried again each hour, and no others', async () => {
    answersEach();
    const day = await today();
    const { accountId } = merchant;
    const { settle } = settlements(server.environment.client);
    assert.deepEqual(await settle(day, true), { started: 0 }, 'nothing was refused yet');
    await test.sql`INSERT INTO freezes (account_id, frozen_by, reason)
      VALUES (${accountId}, 'asha', 'theft')`;
    const flow = flows.handle(transactionIdOf(accountId, dailyKeyOf(day)));
    for (const isAgain of [false, true]) {
      assert.deepEqual(await settle(day, isAgain), { started: 1 });
      assert.equal((await flow.result()).status, 'refused');
    }
    const [entry] = await attentionOf(test.database, `settlement of ${accountId}`);
    assert.match(entry?.detail ?? '', /This account is frozen/);
    await test.sql`DELETE FROM freezes`;
    const both = await Promise.all([settle(day, true), settle(day, true)]);
    assert.deepEqual(both.map(({ started }) => started).sort(), [0, 1], 'two schedules at once begin one');
    await flow.result();
    await paid(await partsOf());
    assert.deepEqual(await settle(day, true), { started: 0 });
  });

  it('of a day that meets the fence are made once it is lifted, and a person is told of a day that is given up', async () => {
    answersEach();
    const day = await today();
    await closeFence(test.database, 'a test');
    assert.deepEqual(await run('settlements-fenced'), { started: 1 });
    assert.equal(tries, 2);
    await flows.handle(transactionIdOf(merchant.accountId, dailyKeyOf(day))).result();
    await paid(await partsOf());
    assert.deepEqual(await attentionOf(test.database, 'settlements'), []);
    isBroken = true;
    await assert.rejects(run('settlements-broken'));
    assert.equal(tries, 22);
    const [entry] = await attentionOf(test.database, 'settlements');
    assert.equal(entry?.reason, 'settlement_failed');
  });

  it('that nothing carries are told to a person, and behind the fence nothing is settled', async () => {
    isCarried = false;
    const { settle } = settlements(server.environment.client);
    assert.deepEqual(await settle('2031-01-01'), { started: 0 });
    const [entry] = await attentionOf(test.database, `settlement of ${merchant.accountId}`);
    assert.equal(entry?.reason, 'settlement_failed');
    assert.deepEqual(await settle('2031-01-01'), { started: 0 });
    await closeFence(test.database, 'a test');
    await assert.rejects(settle('2031-01-02'), FenceClosed);
    assert.deepEqual(await partsOf(), []);
  });

  it('are not made by a rule that nobody can prove: a person is told, and the other accounts go on', async () => {
    await forgeRule(test.database, merchant);
    const { settle } = settlements(server.environment.client);
    await settle('2031-01-03');
    const [entry] = await attentionOf(test.database, `settlement of ${merchant.accountId}`);
    assert.match(entry?.detail ?? '', /2031-01-03 was not made: no process of ours wrote its rule/);
    assert.deepEqual(await partsOf(), []);
  });
});
