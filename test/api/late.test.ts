import assert from 'node:assert/strict';
import { createFlows } from '../../src/api/kit/flows.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { useFlowServer } from '../support/flow-server.ts';
import { startFlows } from '../support/flows.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { createScriptedChannel } from '../support/scripted-channel.ts';
import { assertRefused, freshKey, startTestApi, type TestApi } from './support/api.ts';

describe('what is accepted too late, because the workers were too busy (real Temporal server)', () => {
  const server = useFlowServer('real');
  const { test } = server;
  let api: TestApi;

  before(async () => {
    const { client, connection } = server.environment;
    api = await startTestApi({
      database: test.database,
      flows: createFlows({ client, connection, submissionKeys, timeouts: { submitMs: 800, cancelMs: 800 } }),
      // Everything was asked for a minute ago.
      now: () => new Date(Date.now() - 60_000),
    });
  });
  after(() => api.stop());

  const body = { amount: 5_000, currency: 'TZS', phone_number: '0754123456' };
  const ask = (path: string, headers: Record<string, string>) => api.call('POST', path, { headers, body });

  it('refuses a push and prompts nobody, keeps that under its key, and carries a payout out', async () => {
    const [push, payout] = [freshKey(), freshKey()];
    const unknown = await ask('payments/ussd', push);
    assertRefused(unknown, 503, 'outcome_unknown');
    assertRefused(await ask('payouts/mobile', payout), 503, 'outcome_unknown');
    assertRefused(await ask('payments/ussd', push), 503, 'outcome_unknown');
    const script = createScriptedChannel();
    const flows = await startFlows(server.environment, { database: test.database, script });
    try {
      const id = unknown.body.transaction_id;
      const handle = server.environment.client.workflow.getHandle(workflowIdOf(id));
      assert.equal((await handle.result()).status, 'refused');
      const refused = await ask('payments/ussd', push);
      // With the request id of the request that was too late.
      assert.deepEqual([refused.status, refused.body.code], [409, 'submission_expired']);
      assert.equal((await ask('payments/ussd', push)).text, refused.text, 'for ever');
      assertRefused(await api.call('GET', `payments/${id}`), 404, 'not_found');
      const paid = await ask('payouts/mobile', payout);
      assert.equal(paid.status, 200, 'a payout has a quarter of an hour, and is made once');
      assert.deepEqual(
        script.sent.map((order) => order.transactionId),
        script.sent.length === 0 ? [] : [paid.body.transaction_id],
      );
    } finally {
      await flows.stop();
    }
  });
});
