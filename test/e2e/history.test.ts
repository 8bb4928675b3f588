import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { TemporalClient } from '../../src/platform/temporal/connect.ts';
import { bankPayoutBody, type Json, mobilePayoutBody, pushBody } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { temporalOf } from './in-temporal.ts';
import { openShop, type Shop } from './shop.ts';

/** A notification may overtake the answer to the send, a busy machine may let a receiver wait: then some come on top. */
const EVENTS_MAX = 24;
const WORKFLOW_TASKS_MAX = 3;
const BYTES_MAX = 16 * 1024;

const orders = [
  {
    path: 'payments/ussd',
    body: pushBody(),
    channel: 'm-pesa',
    status: 'completed',
    secrets: ['754123456', 'ASHA', 'INV-1'],
  },
  {
    path: 'payouts/mobile',
    body: mobilePayoutBody(),
    channel: 'm-pesa',
    status: 'paid',
    secrets: ['754123456', 'ASHA', 'WD-1'],
  },
  {
    path: 'payouts/bank',
    body: bankPayoutBody(),
    channel: 'bank',
    status: 'paid',
    secrets: ['0150123456789', 'Asha', '4001'],
  },
];

/** What an operator has in Temporal, and what it costs. */
describe('the workflow of a payment', function () {
  this.timeout(60_000);
  let shop: Shop;
  let temporal: TemporalClient;
  let client: Client;

  before(async () => {
    shop = await openShop({ balance: 10_000_000 });
    await shop.send('PUT', 'callbacks/settings', { callback_url: shop.gateway.local.callback_url });
    temporal = await temporalOf(shop.gateway);
    client = temporal.client;
  });
  after(() => temporal?.close());

  for (const { path, body, channel, status, secrets } of orders) {
    it(`${path}: is found by its id, small, and says no name or number outside its payloads`, async () => {
      const { json } = await shop.post(path, body);
      const handle = client.workflow.getHandle(`transaction/${json.transaction_id}`);
      await handle.result();
      const { events } = await handle.fetchHistory();
      const description = await handle.describe();
      const bytes = Number(description.raw.workflowExecutionInfo?.historySizeBytes ?? 0);
      assert.ok(events && events.length <= EVENTS_MAX, `${events?.length} events`);
      const tasks = events.filter((event) => event.workflowTaskCompletedEventAttributes).length;
      assert.ok(tasks <= WORKFLOW_TASKS_MAX, `${tasks} workflow tasks`);
      assert.ok(bytes > 1_000 && bytes <= BYTES_MAX, `${bytes} bytes`);

      const { status: state, staticSummary } = {
        ...description,
        staticSummary: await description.staticSummary(),
      };
      const [input] = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      const encoding = Buffer.from(input?.metadata?.encoding ?? []).toString();
      assert.equal(encoding, 'binary/encrypted', 'the shared gateway runs as production does');
      assert.equal(state.name, 'COMPLETED');
      assert.match(staticSummary ?? '', /\S/);
      const info = description.raw.workflowExecutionInfo;
      const shown =
        JSON.stringify([info?.execution, info?.type, staticSummary, info?.memo]) +
        [...Object.values(info?.searchAttributes?.indexedFields ?? {})]
          .map((payload: Json) => Buffer.from(payload.data).toString())
          .join();
      // An id may have the digits of a secret by chance.
      const readable = shown.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id');
      for (const secret of secrets) assert.ok(!readable.includes(secret), `${secret} in ${readable}`);

      const query = `AccountId = '${shop.accountId}' AND TransactionStatus = '${status}' AND Channel = '${channel}'`;
      await until(async () => {
        for await (const found of client.workflow.list({ query })) {
          if (found.workflowId === `transaction/${json.transaction_id}`) return true;
        }
        return false;
      }, `it is found by ${query}`);
    });
  }

  it('one that a person has to look at is found by the search attribute Attention', async () => {
    const { json } = await shop.post('payments/ussd', pushBody('209'));
    await until(async () => {
      const query = `Attention = true AND AccountId = '${shop.accountId}'`;
      for await (const found of client.workflow.list({ query })) {
        if (found.workflowId === `attention/${json.transaction_id}/wrong_amount`) return true;
      }
      return false;
    }, 'it is found');
  });

  it('cancelling it in Temporal means what the cancel endpoint means', async () => {
    const { json } = await shop.post('payouts/mobile', mobilePayoutBody());
    const handle = client.workflow.getHandle(`transaction/${json.transaction_id}`);
    await handle.cancel();
    const { json: lookup } = await shop.final(`payouts/${json.transaction_id}`);
    assert.ok(['cancelled', 'paid'].includes(lookup.status), lookup.status);
    await handle.result();
    assert.equal((await handle.describe()).status.name, 'COMPLETED');

    const late = await shop.post('payments/ussd', pushBody('129'));
    const waiting = client.workflow.getHandle(`transaction/${late.json.transaction_id}`);
    await until(
      async () =>
        /PIN/.test((await shop.get(`payments/${late.json.transaction_id}`)).json.payment.status_reason),
      'it is handed over',
    );
    await waiting.cancel();
    await until(async () => {
      const events = (await waiting.fetchHistory()).events ?? [];
      const asked = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
      return asked >= 0 && events.slice(asked).some((event) => event.workflowTaskCompletedEventAttributes);
    }, 'the workflow has considered the cancellation');
    const { json: unchanged } = await shop.get(`payments/${late.json.transaction_id}`);
    assert.equal(unchanged.status, 'pending', 'what the channel has cannot be cancelled by us');
  });
});
