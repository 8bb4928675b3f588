import assert from 'node:assert/strict';
import { createTestDatabase } from '../support/database.ts';
import { openFlowEnvironment, startFlows } from '../support/flows.ts';
import { createMerchant, pushRequest, submissionFor } from '../support/merchant.ts';
import { createScriptedChannel, succeeded } from '../support/scripted-channel.ts';
import { listAttention } from '../support/unexplained.ts';

describe('a success that no retry can settle', () => {
  for (const heardBy of ['send', 'enquiry'])
    it(`calls a person at once and ends its flow when a ${heardBy} hears it`, async () => {
      const test = await createTestDatabase({ poolMax: 5 });
      const environment = await openFlowEnvironment();
      const script = createScriptedChannel();
      const flows = await startFlows(environment, { database: test.database, script });
      try {
        const merchant = await createMerchant(test.database);
        await test.sql`ALTER TABLE ledger_accounts DISABLE TRIGGER ledger_accounts_kept`;
        await test.sql`DELETE FROM ledger_accounts WHERE kind = 'fees'`;
        const submission = submissionFor(merchant, pushRequest(5_000));
        if (heardBy === 'send') script.sends = [succeeded(5_000)];
        script.enquiries = [succeeded(5_000)];
        await flows.submit(submission);
        await assert.rejects(flows.handle(submission.transactionId).result());
        const reasons = (await listAttention(test.database)).map((entry) => entry.reason);
        assert.deepEqual(reasons, ['broken']);
        assert.ok(script.enquired <= 1, `asked ${script.enquired} times`);
      } finally {
        await flows.stop();
        await environment.teardown();
        await test.drop();
      }
    }).timeout(90_000);
});
