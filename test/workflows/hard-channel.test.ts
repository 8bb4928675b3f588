import assert from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import { type Flows, openFlowEnvironment, startFlows } from '../support/flows.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel } from '../support/scripted-channel.ts';

describe('a payout that a channel makes hard (skipped time, real durations)', function () {
  this.timeout(60_000);
  let environment: TestWorkflowEnvironment;
  const test = useTestDatabase({ poolMax: 10 });
  let script: ScriptedChannel;
  let flows: Flows;
  let merchant: Merchant;

  // A server each: it keeps its clock while an activity outlives its workflow, and these end in the middle of one.
  beforeEach(async () => {
    environment = await openFlowEnvironment();
    merchant = await createMerchant(test.database, { balance: 100_000 });
    script = createScriptedChannel();
    flows = await startFlows(environment, { database: test.database, script });
  });
  afterEach(async () => {
    await flows.stop();
    await environment.teardown();
  });

  const start = async () => {
    const submission = submissionFor(merchant, mobilePayoutRequest(50_000));
    await flows.submit(submission);
    return submission.transactionId;
  };

  it('never sends again, nor fails, what the channel once had, though it forgets it', async () => {
    script.sends = [{ kind: 'accepted', channelReference: 'X1' }];
    script.enquiries = [{ kind: 'accepted', channelReference: 'X1' }, { kind: 'not_found' }];
    const id = await start();
    await environment.sleep('30h');
    assert.equal(script.sent.length, 1);
    assert.equal((await getTransaction(test.database, id))?.status, 'pending');
    assert.equal((await getTransaction(test.database, id))?.attention, true);
    await flows.handle(id).terminate();
  }).timeout(60_000);

  it('flags a person after a day, however often somebody hints at news', async () => {
    script.sends = [{ kind: 'unknown', detail: 'timeout' }];
    script.enquiries = [{ kind: 'unknown', detail: '504' }];
    const id = await start();
    for (let round = 0; round < 3; round += 1) {
      await environment.sleep('20h');
      await flows.handle(id).signal('channelResult', 'hint');
    }
    await environment.sleep('1h');
    assert.equal((await getTransaction(test.database, id))?.attention, true);
    await flows.handle(id).terminate();
  }).timeout(60_000);
});
