// tests: hard
import assert from 'node:assert/strict';
import { close, open } from '../../src/channels/traffic/closures.ts';
import { flowTiming } from '../../src/domain/timing.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { plantProposal } from '../support/decision.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { type Flows, startFlows } from '../support/flows.ts';
import {
  channelTiming,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  submissionFor,
} from '../support/merchant.ts';
import { createScriptedChannel, type ScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';

const closing = { channel: 'm-pesa', services: ['payouts'] as const, reason: 'a test', actor: 'test' };

describe('a channel that is down (real Temporal server)', () => {
  const server = useFlowServer('real');
  const { test } = server;
  let script: ScriptedChannel;
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
    script = createScriptedChannel();
    script.enquiries = [succeeded(10_000)];
  });

  const startUp = () => startFlows(server.environment, { database: test.database, script });
  const submit = async (flows: Flows) => {
    const submission = submissionFor(merchant, mobilePayoutRequest(10_000));
    submission.timing = flowTiming('mobile', { ...channelTiming, promptTtlMs: 0 }, 'fast');
    await flows.submit(submission);
    return submission.transactionId;
  };
  const isDown = async () =>
    (await test.database.query('SELECT FROM channel_breakers WHERE down_since IS NOT NULL')).rowCount === 1;

  it('is found by what it answers; payouts wait, one at a time probes it, and all leave when it is back', async () => {
    const flows = await startUp();
    try {
      script.sends = [{ kind: 'not_sent', detail: 'ECONNREFUSED' }];
      const ids = await Promise.all([submit(flows), submit(flows), submit(flows)]);
      await until(isDown, 'the breaker opens');
      // One of them may be the probe at each moment.
      const waited = new Set<string>();
      const haveWaited = async () => {
        for (const id of ids) if ((await getTransaction(test.database, id))?.waitsUntil) waited.add(id);
        return waited.size === ids.length;
      };
      await until(haveWaited, 'all of them wait');
      const probed = script.sent.length;
      await until(() => script.sent.length > probed, 'a probe');
      assert.ok(await isDown(), 'a probe that is not answered ends nothing');
      script.sends = [{ kind: 'accepted', channelReference: null }];
      for (const id of ids) assert.equal(await flows.ended(id), 'paid');
      assert.ok(!(await isDown()));
    } finally {
      await flows.stop();
    }
  }).timeout(180_000);

  it('keeps what waits when every worker dies, and sends it once afterwards', async () => {
    await close(test.database, closing);
    let flows = await startUp();
    const id = await submit(flows);
    const waits = async () => (await getTransaction(test.database, id))?.waitsUntil;
    await until(waits, 'the payout waits');
    await flows.stop();
    const proposalId = await plantProposal(test.database, 'channels.open');
    await open(test.database, { ...closing, proposalId });
    flows = await startUp();
    try {
      assert.equal(await flows.ended(id), 'paid');
      assert.equal(script.sent.length, 1);
    } finally {
      await flows.stop();
    }
  }).timeout(120_000);
});
