// tests: slow
import assert from 'node:assert/strict';
import { watchState } from '../../../src/app/watch/state.ts';
import { channelIds } from '../../../src/domain/network.ts';
import { addUpEntries } from '../../../src/ledger/sums.ts';
import { createMetrics } from '../../../src/platform/process/metrics.ts';
import { receiveBillPayment } from '../../../src/transactions/ending/bills.ts';
import { plantEvent } from '../../callbacks/planted.ts';
import { beforeStatements } from '../../support/before-statements.ts';
import { paymentOf } from '../../support/bill-customer.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';
import { accepted, answered, handedOver, notify } from '../../support/handed-over.ts';
import { seedTransactions } from '../../support/many-transactions.ts';
import { createMerchant, mobilePayoutRequest, pushRequest } from '../../support/merchant.ts';
import { failure, succeeded } from '../../support/scripted-channel.ts';
import { untilAddedUp } from '../../support/swept.ts';
import { watchPlans } from '../../support/watched.ts';
import { sampleOf } from './exposition.ts';

const silent = { warn() {} };

describe('the metrics of what Postgres knows', () => {
  const test = useTestDatabase({ each: true });

  async function read(): Promise<string> {
    const metrics = createMetrics();
    watchState(metrics, { database: asRole(test.database, 'api'), channels: channelIds, log: silent });
    return metrics.text();
  }

  it('say how old the oldest pending ones are, by kind and channel, and that nothing else is', async () => {
    const { id } = await handedOver(test.database, pushRequest(5_000));
    await accepted(test.database, mobilePayoutRequest(50_000));
    await test.sql`UPDATE transactions
      SET created_at = now() - interval '1 hour', due_at = now() - interval '10 min' WHERE id = ${id}`;
    const text = await read();
    const push = { kind: 'ussd', channel: 'm-pesa' };
    assert.equal(sampleOf(text, 'transactions_pending', push), 1);
    assert.ok((sampleOf(text, 'transactions_oldest_pending_seconds', push) ?? 0) >= 3_600);
    assert.ok((sampleOf(text, 'transactions_late_seconds') ?? 0) >= 600);
    assert.equal(sampleOf(text, 'transactions_pending', { kind: 'mobile', channel: 'm-pesa' }), 1);
    assert.equal(sampleOf(text, 'transactions_pending', { kind: 'ussd', channel: 'airtel-money' }), 0);
    assert.equal(sampleOf(text, 'transactions_oldest_pending_seconds', { kind: 'bank', channel: 'bank' }), 0);
  });

  it('go on, however much there is in suspense, and where a part of them cannot be read', async () => {
    const payment = { controlNumber: null, refusalReturnsMoney: false };
    for (let n = 0; n < 10; n += 1)
      await receiveBillPayment(test.database, paymentOf('770000000', 9_999_999_999_999, payment));
    const text = await read();
    assert.equal(sampleOf(text, 'attention_open', { reason: 'unexpected_payment' }), 10);
    assert.equal(sampleOf(text, 'suspense_tzs', { direction: 'owed' }), 99_999_999_999_990);
    await test.database.query('ALTER TABLE suspense_items RENAME TO gone');
    const rest = await read();
    assert.equal(sampleOf(rest, 'suspense_items'), undefined);
    assert.equal(sampleOf(rest, 'attention_open', { reason: 'unexpected_payment' }), 10);
  });

  it('say what lies in suspense, why a person is called, and how much money is where', async () => {
    const { id, merchant } = await handedOver(test.database, pushRequest(5_000), { balance: 1_000_000 });
    await answered(test.database, id, failure('network_error'));
    await notify(test.database, id, succeeded(5_000, 'R1'));
    await plantEvent(test.database, merchant);
    await untilAddedUp(asRole(test.database, 'worker'));
    const text = await read();
    assert.equal(sampleOf(text, 'attention_open', { reason: 'late_success' }), 1);
    assert.equal(sampleOf(text, 'attention_open', { reason: 'stuck' }), 0);
    assert.equal(sampleOf(text, 'suspense_items'), 1);
    assert.equal(sampleOf(text, 'suspense_tzs', { direction: 'owed' }), 5_000);
    assert.equal(sampleOf(text, 'suspense_tzs', { direction: 'missed' }), 0);
    assert.equal(sampleOf(text, 'float_tzs', { channel: 'm-pesa' }), 5_000);
    assert.equal(sampleOf(text, 'merchants_tzs', { balance: 'available' }), 1_000_000);
    assert.equal(sampleOf(text, 'callbacks_waiting'), 2);
  });

  it('ask Postgres once for everybody, and are left out with a line in the log while it is away', async () => {
    const lines: string[] = [];
    const metrics = createMetrics();
    const { database, plans } = watchPlans(test.database);
    let isAway = false;
    const queries: string[] = [];
    const counted = beforeStatements(database, async (_on, query) => {
      queries.push(String(query));
      if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    });
    const log = { warn: (_: object, line: string) => lines.push(line) };
    watchState(metrics, { database: counted, channels: channelIds, log, freshMs: 60_000 });
    await Promise.all([metrics.text(), metrics.text()]);
    const once = queries.length;
    assert.ok(once > 5 && once < 15, `${once}`);
    await metrics.text();
    assert.equal(queries.length, once);
    assert.ok(plans.length > 0);

    isAway = true;
    const alone = createMetrics();
    watchState(alone, { database: counted, channels: channelIds, log });
    const text = await alone.text();
    assert.equal(sampleOf(text, 'sweep_age_seconds'), undefined);
    assert.equal(lines.length, 1);
  });

  it('read no large table from end to end', async function () {
    this.timeout(120_000);
    const merchant = await createMerchant(test.database);
    const { accountId, apiKeyId } = merchant;
    await seedTransactions(test.database, merchant, 10_000);
    // In small statements, which end on a busy machine, too.
    for (const from of [1, 2_501, 5_001, 7_501])
      await test.sql`WITH moved AS (
      INSERT INTO transfers (kind, dedupe_key) SELECT 'top_up', 'n' || n FROM generate_series(${from}::int, ${from + 2_499}::int) n RETURNING id),
      movement AS (INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, told_by)
      SELECT moved.id, a.id, 'test', 'itself', 5, 'TZS', 'people' FROM moved, ledger_accounts a WHERE a.code = 'settlement::TZS' RETURNING id)
      INSERT INTO entries (transfer_id, ledger_account_id, amount, movement_id)
      SELECT m.id, a.id, CASE a.kind WHEN 'settlement' THEN -5 ELSE 5 END, CASE a.kind WHEN 'settlement' THEN m.id END
      FROM movement m, ledger_accounts a WHERE a.code IN ('settlement::TZS', 'fees::TZS')`;
    await test.sql`INSERT INTO callback_events (id, transaction_id, api_key_id, account_id, event, sequence, body, state)
      SELECT 'evt_' || n, NULL, ${apiKeyId}, ${accountId}, 'payment.received', NULL, '{}', 'delivered' FROM generate_series(1, 10000) n`;
    await test.sql`INSERT INTO attention (subject, reason, resolved_at) SELECT 'subject ' || n, 'overdue', now()
      FROM generate_series(1, 10000) n`;
    await test.sql`INSERT INTO notifications (channel, event_key, transaction_id, content, state)
      SELECT 'm-pesa', id, id, '{}', 'applied' FROM transactions`;
    await untilAddedUp(test.database);
    await test.database.query('VACUUM ANALYZE');
    const { database, plans } = watchPlans(test.database);
    // Statements without values are planned, too.
    const planned = new Proxy(database, {
      get: (target, name) =>
        name === 'query'
          ? (text: string, values: unknown[] = []) => target.query(text, values)
          : Reflect.get(target, name),
    });
    const metrics = createMetrics();
    const log = { warn: (fields: object) => assert.fail(JSON.stringify(fields)) };
    watchState(metrics, { database: planned, channels: channelIds, log });
    assert.ok(sampleOf(await metrics.text(), 'sweep_age_seconds') !== undefined);
    await addUpEntries(planned);
    assert.ok(plans.length >= 10, `${plans.length}`);
    for (const plan of plans)
      assert.doesNotMatch(
        plan,
        /Seq Scan on (transactions|transfers|entries|callback_events|attention|notifications)\b/,
      );
  });
});
