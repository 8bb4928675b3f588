import { createTemporalClient } from '../src/platform/temporal/connect.ts';
import { mobilePayoutBody, newKey, pushBody } from '../test/support/gateway.ts';
import { until } from '../test/support/wait.ts';
import { type Figure, median, perSecond } from './load.ts';
import { type Stack, temporalSettingsOf } from './stack.ts';

const FLOWS_EACH = 20;

/** Histories of happy flows as they come out of a whole Malipo: every event costs the server a write. */
export async function historySize(stack: Stack): Promise<Figure> {
  const kinds = [
    { type: 'ussdPush', path: 'payments/ussd', body: pushBody() },
    { type: 'payout', path: 'payouts/mobile', body: mobilePayoutBody() },
  ];
  const temporal = createTemporalClient(await temporalSettingsOf(stack));
  const rows: Figure['rows'] = [];
  try {
    for (const { type, path, body } of kinds) {
      await perSecond(FLOWS_EACH, () => stack.untilDelivered(path, { key: newKey(), body }));
      const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Completed'`;
      // The list of workflows lags a little behind what they do.
      await until(async () => (await temporal.client.workflow.count(query)).count >= FLOWS_EACH, {
        deadlineMs: 10_000,
        what: 'the list shows the flows that have ended',
      });
      const events: number[] = [];
      const bytes: number[] = [];
      for await (const flow of temporal.client.workflow.list({ query })) {
        events.push(flow.historyLength);
        bytes.push(flow.historySize ?? 0);
      }
      rows.push([
        type,
        events.length,
        median(events),
        Math.max(...events),
        median(bytes),
        Math.max(...bytes),
      ]);
    }
  } finally {
    await temporal.close();
  }
  return {
    title: 'Histories of happy flows',
    columns: ['', 'flows', 'events p50', 'events max', 'bytes p50', 'bytes max'],
    rows,
  };
}
