import assert from 'node:assert/strict';
import { Client, Connection } from '@temporalio/client';
import { createFlows } from '../../src/api/kit/flows.ts';
import { recover } from '../../src/app/recover/recover.ts';
import type { RecoverReport } from '../../src/app/recover/report.ts';
import { keepMark, prepareTemporal, readKnownMark, SWEEP_SCHEDULE_ID } from '../../src/app/schedule.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import { readMark } from '../../src/transactions/care/fence.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { signBillPayment } from '../../src/transactions/rows/submission-mac.ts';
import { channelResult } from '../../src/workflows/messages.ts';
import { startOfSubmission } from '../../src/workflows/start-flow.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { createTestDatabase } from '../support/database.ts';
import { keyOf, sign, submissionKeys } from '../support/key-rings.ts';
import { billRequest, createMerchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import '../support/quiet-runtime.ts';
import { succeeded } from '../support/scripted-channel.ts';
import { until } from '../support/wait.ts';
import { useEncryptedWorkers } from './encrypted-workers.ts';
import { endsNow, rememberFromNow } from './memory.ts';

describe('flows whose payloads are encrypted and whose Postgres was lost', function () {
  this.timeout(90_000);
  const encrypted = useEncryptedWorkers();
  const { script, test } = encrypted;
  let temporal: TemporalClient;
  let address: string;
  before(() => {
    temporal = encrypted.temporal();
    address = encrypted.address();
  });

  it('come back into a copy of Postgres that lost them, without what a stranger put beside them', async () => {
    const { client } = temporal;
    const copy = await createTestDatabase();
    const schedule = client.schedule.getHandle(SWEEP_SCHEDULE_ID);
    await schedule.delete().catch(() => {});
    await prepareTemporal(temporal, { timing: 'normal', deadlineMs: 20_000, retentionDays: 14 });
    await schedule.pause();
    await rememberFromNow(client);
    await endsNow(copy.database);
    const stranger = await Connection.connect({ address });
    try {
      const merchant = await createMerchant(test.database, { balance: 1_000_000 });
      await createMerchant(copy.database, { balance: 1_000_000, as: merchant });
      script.sends = [succeeded(50_000)];
      const submission = submissionFor(merchant, mobilePayoutRequest());
      await createFlows({ client, connection: temporal.connection, submissionKeys }).submit(submission);
      const id = submission.transactionId;
      // A payment of a bill is in a signal. Another one is there by somebody who has the payload keys, not the API's.
      const bill = submissionFor(merchant, billRequest());
      const flows = createFlows({ client, connection: temporal.connection, submissionKeys });
      const billed = await flows.submit(bill);
      assert.ok(billed.kind === 'answered');
      const number = JSON.parse(billed.accepted.answer.body).bill.reference;
      const taken = { ...paymentOf(number, 25_000), refusalReturnsMoney: true };
      await flows.signal(bill.transactionId, 'stored', taken);
      const billFlow = client.workflow.getHandle(workflowIdOf(bill.transactionId));
      const moved = signBillPayment(submissionKeys, id, { ...taken, receipt: 'OF_ANOTHER_BILL' });
      for (const forged of [{ ...taken, receipt: 'FORGED' }, moved])
        await billFlow.signal(channelResult, 'stored', forged);
      assert.equal((await client.workflow.getHandle(workflowIdOf(id)).result()).status, 'paid');
      // By hand, in plain, on a queue of nobody: one would pay out if it were believed, one has no name of ours.
      const forged = sign(submissionFor(merchant, mobilePayoutRequest()));
      const { workflowType, ...start } = startOfSubmission(forged);
      for (const workflowId of [start.workflowId, 'anything'])
        await new Client({ connection: stranger }).workflow.start(workflowType, {
          ...start,
          workflowId,
          taskQueue: 'nobody',
        });
      const ahead = { ...(await readMark(copy.database)), progress: 1_000_000 };
      await keepMark(client, ahead);
      assert.deepEqual(await readKnownMark(client), ahead, 'a Schedule can be read again');

      const again = (options: { submissionKeys: KeyRing; isDry: boolean }) =>
        recover({ database: copy.database, client, actor: 'test', agreed: null, ...options });
      const problemOf = ({ problems }: RecoverReport, of: string) =>
        problems.find((one) => one.startsWith(of));
      const unproven = await until(
        async () => {
          const report = await again({ submissionKeys: [keyOf('of somebody else')], isDry: true });
          return problemOf(report, 'anything') && problemOf(report, id) ? report : null;
        },
        { deadlineMs: 30_000, what: 'Temporal lists all of them', everyMs: 200 },
      );
      assert.match(problemOf(unproven, id) ?? '', /does not carry the proof/);
      const report = await again({ submissionKeys, isDry: false });
      assert.equal(problemOf(report, id), undefined);
      assert.match(problemOf(report, forged.transactionId) ?? '', /not encrypted/);
      assert.match(
        problemOf(report, bill.transactionId) ?? '',
        /does not carry the proof that the API took it/,
      );
      assert.equal(report.billPayments, 1);
      const { rows } = await copy.database.query('SELECT receipt FROM bill_receipts');
      assert.deepEqual(rows, [{ receipt: taken.receipt }], 'what is not proven credits nobody');
      assert.match(problemOf(report, 'anything') ?? '', /this workflow belongs to no transaction/);
      assert.equal(report.isLifted, false, 'a person looks at them first');
      assert.equal((await getTransaction(copy.database, id))?.status, 'pending', 'its channel is asked');
      assert.equal(await getTransaction(copy.database, forged.transactionId), null);
      for (const workflowId of [start.workflowId, 'anything', workflowIdOf(bill.transactionId)])
        await client.workflow.getHandle(workflowId).terminate();
    } finally {
      await schedule.delete();
      await stranger.close();
      await copy.drop();
    }
  });
});
