import assert from 'node:assert/strict';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { recover as factsOf } from '../../src/activities/lost-workflow.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { prepareTemporal, SWEEP_SCHEDULE_ID } from '../../src/temporal/schedule.ts';
import { createSettlements } from '../../src/temporal/settlements.ts';
import { closeFence, fenceOf } from '../../src/transactions/care/fence.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { endsNow, rememberFromNow } from '../support/memory.ts';
import { createMerchant } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { routeWith, setRule, settlementFor } from '../support/settlement.ts';
import { type DevServer, launchTemporalDevServer } from '../support/temporal.ts';
import { until } from '../support/wait.ts';
import { typeRecover } from './recover-command.ts';

/** A Temporal of its own: what other tests leave in the shared one would be missing here. */
describe('a Postgres that lost a settlement of three payouts', function () {
  this.timeout(60_000);
  let server: DevServer;
  let environment: TestWorkflowEnvironment;
  let lost: TestDatabase;
  let copy: TestDatabase;
  before(async () => {
    server = await launchTemporalDevServer();
    environment = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
    const { client, connection } = environment;
    await prepareTemporal(
      { client, connection, isReachable: async () => true, close: async () => {} },
      { timing: 'normal', deadlineMs: 20_000, retentionDays: 14 },
    );
    await client.schedule.getHandle(SWEEP_SCHEDULE_ID).pause();
    await rememberFromNow(client);
    lost = await createTestDatabase({ poolMax: 10 });
    copy = await createTestDatabase({ poolMax: 10 });
    await endsNow(copy.database);
  });
  after(async () => {
    await environment?.teardown();
    await server?.stop();
    await lost?.drop();
    await copy?.drop();
  });

  it('gets all of them back with their holds, to be asked about and not sent again', async () => {
    const script = createScriptedChannel();
    const work = ({ database }: TestDatabase) =>
      startFlows(environment, {
        ...{ database, script, delivery: { attempt: async () => ({ kind: 'delivered' as const }) } },
        settlements: (client) =>
          createSettlements({
            ...{ database: asRole(database, 'worker'), client, timing: 'normal', submissionKeys },
            routeOf: () => routeWith(150_000),
          }),
      });
    const merchant = await createMerchant(lost.database, { balance: 500_000 });
    await createMerchant(copy.database, { balance: 500_000, as: merchant });
    await setRule(lost.database, merchant);
    script.sends = [async ({ amount, transactionId }) => succeeded(amount / 100, transactionId)];
    const before = await work(lost);
    const { answer } = await before.submit(
      await settlementFor(lost.database, merchant, { partMax: 150_000 }),
    );
    const ids: string[] = JSON.parse(answer.body).settlement.payouts;
    for (const id of ids) assert.equal((await before.handle(id).result()).status, 'paid');
    await before.stop();

    await closeFence(copy.database, 'a test');
    const recover = (...options: string[]) =>
      typeRecover({ database: copy, temporalAddress: server.address }, ...options);
    await until(async () => / 3 /.test((await recover('--dry-run')).printed), {
      deadlineMs: 30_000,
      what: 'Temporal lists the three flows',
    });
    const { printed, refused } = await recover();
    assert.equal(refused, '', printed);
    assert.equal(await fenceOf(copy.database), null, printed);
    assert.deepEqual(await balanceOf(copy.database, merchant.accountId, 'TZS'), {
      current: 100_000_00,
      reserved: 400_000_00,
    });

    // What a resumed flow goes by: it asks its channel before it sends anything.
    for (const id of ids) {
      assert.equal((await getTransaction(copy.database, id))?.status, 'pending');
      assert.equal((await factsOf(copy.database, id)).restored, true);
    }
  });
});
