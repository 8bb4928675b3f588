import pg from 'pg';
import { type Gateway, kinds, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { carefulMerchant } from './careful-merchant.ts';
import { strike } from './strike.ts';

describe('processes that die under payments and payouts, and are started again', () => {
  const gateway = useGateway();
  const merchant = carefulMerchant(gateway);

  it('loses, doubles and forgets nothing when worker, API, Temporal and Postgres are killed in turn', async () => {
    await merchant.assertSurvives({
      kinds: Object.values(kinds),
      // Every way in which a channel can answer badly, and one refusal.
      endings: ['456', '139', '149', '159', '169', '179', '039'],
      blows: [
        ['worker', 'SIGKILL'],
        ['API', 'SIGKILL'],
        ['Temporal', 'SIGKILL'],
        // An immediate stop, and a death without any: what is in memory is lost in both.
        ['Postgres', 'SIGQUIT'],
        ['Postgres', 'SIGKILL'],
      ],
      requests: 42,
      everyMs: 700,
    });
  }).timeout(240_000);

  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (const [step, table] of [
      ['accept', 'idempotency_keys'],
      ['settle', 'callback_events'],
    ] as const) {
      it(`carries on when Postgres is restarted (${signal}) in the middle of ${step}`, async () => {
        const release = await holdTable(gateway, table);
        const submitted = Promise.all([
          merchant.submit(kinds.push, '456'),
          merchant.submit(kinds['mobile payout'], '456'),
        ]);
        await until(async () => {
          const { rowCount } = await gateway.database.query(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'worker' AND wait_event_type = 'Lock'",
          );
          return rowCount === 2;
        }, `both are in the middle of ${step}`);
        await strike(gateway, { part: 'Postgres', signal });
        await release();
        for (const one of await submitted) await merchant.assertWell(one);
      }).timeout(120_000);
    }
  }

  it('has one transaction for each key, nothing broken, and a ledger that adds up', () =>
    merchant.assertNothingElse());
});

/** Holds a table against writers, so that whoever wants to write to it waits inside its transaction. */
async function holdTable(gateway: Gateway, table: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: gateway.local.database_url });
  // Postgres is going to be restarted under it.
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
  return () => holder.end().catch(() => {});
}
