// tests: hard
import assert from 'node:assert/strict';
import pg from 'pg';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { type Gateway, kinds, useGateway } from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { carefulCustomers } from './careful-customers.ts';
import { carefulMerchant } from './careful-merchant.ts';
import { type Part, strike, strikeUnder } from './strike.ts';

/** Every way in which a channel can answer badly, and one refusal. */
const endings = ['456', '139', '149', '159', '169', '179', '039'];
/** Postgres stops at once, and dies: what is in memory is lost in both. */
const blows: [Part, NodeJS.Signals?][] = [
  ['API'],
  ['worker'],
  ['Postgres', 'SIGQUIT'],
  ['API'],
  ['Temporal'],
  ['Postgres'],
];

describe('processes that die under all that merchants and customers do, and are started again', () => {
  const gateway = useGateway();
  const merchant = carefulMerchant(gateway);
  const customers = carefulCustomers(gateway);

  it('lose, double and forget nothing when worker, API, Temporal, Postgres and simulator are killed in turn', async () => {
    let [submits, pays] = [true, true];
    const submitting = merchant.submitWhile(() => submits, endings);
    const paying = await customers.beginWhile(() => pays);
    const going = [submitting, ...paying];
    for (const { done } of going) done.catch(() => {});
    for (const [part, signal = 'SIGKILL'] of blows) await strikeUnder(going, gateway, { part, signal });
    submits = false;
    await submitting.done;
    await merchant.assertAllWell();
    // The receiver of the simulator forgets what it got when it dies, so the merchant has compared everything before.
    for (const part of ['simulator', 'API', 'simulator'] as const)
      await strikeUnder(paying, gateway, { part });
    pays = false;
    for (const { done } of paying) await done;
    await customers.assertAllPaidOnce();
  }).timeout(900_000);

  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (const [step, table] of [
      ['accept', 'idempotency_keys'],
      ['settle', 'callback_events'],
    ] as const) {
      it(`carry on when Postgres is restarted (${signal}) in the middle of ${step}`, async () => {
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

  it('have one transaction for each key, nobody called, and a ledger that adds up', async () => {
    await merchant.assertNothingElse();
    assert.deepEqual((await gateway.database.query('SELECT reason, detail FROM attention')).rows, []);
    assert.deepEqual(await checkInvariants(gateway.database), []);
  });
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
