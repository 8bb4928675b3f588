import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { checkInvariants } from '../../src/ledger/invariants.ts';
import {
  type Answer,
  type Gateway,
  type Json,
  type Kind,
  kinds,
  newKey,
  useGateway,
} from '../support/gateway.ts';
import { until } from '../support/wait.ts';
import { type Part, strike } from './strike.ts';

/** Every way in which a channel can answer badly, and one refusal (039). */
const endings = ['456', '139', '149', '159', '169', '179', '039'];
const REFUSED = '039';

const blows: [Part, NodeJS.Signals][] = [
  ['worker', 'SIGKILL'],
  ['API', 'SIGKILL'],
  ['Temporal', 'SIGKILL'],
  // An immediate stop, and a death without any: what is in memory is lost in both.
  ['Postgres', 'SIGQUIT'],
  ['Postgres', 'SIGKILL'],
];
const STREAM = 42;
const STREAM_EVERY_MS = 700;

/** A merchant's request with the first answer it was given. */
type Done = { kind: Kind; ending: string; key: string; answer: Answer; id: string };

describe('processes that die under payments and payouts, and are started again', () => {
  const gateway = useGateway();
  const done: Done[] = [];

  const post = ({ kind, ending, key }: Pick<Done, 'kind' | 'ending' | 'key'>) =>
    gateway.request('POST', kinds[kind].path, { key, body: kinds[kind].body(ending) });

  /** What a careful merchant does: while there is no answer or a 503, the same key again. */
  async function submit(kind: Kind, ending: string): Promise<Done> {
    const key = newKey();
    const answer = await until(
      async () => {
        const given = await post({ kind, ending, key });
        if (given.status === 503 && given.json.retryable) return null;
        return given;
      },
      { deadlineMs: 60_000, what: `${kind} ${ending} is answered`, everyMs: 250 },
    );
    assert.equal(answer.status, 200, answer.text);
    const one = { kind, ending, key, answer, id: answer.json.transaction_id };
    done.push(one);
    return one;
  }

  async function assertWell(one: Done): Promise<void> {
    const { lookup, success } = kinds[one.kind];
    const what = `${one.kind} ${one.ending} ${one.id}`;
    const final = await gateway.outcome(lookup, one.id, { deadlineMs: 60_000 });
    const { rows } = await gateway.database.query(
      'SELECT reference, failure_code FROM transactions WHERE id = $1',
      [one.id],
    );
    const { movements } = await gateway.simulator(`truth?reference=${rows[0].reference}`);
    if (one.ending === REFUSED) {
      assert.deepEqual([final.status, movements.length], ['failed', 0], what);
    } else if (final.status === 'failed') {
      // Down for so long that it was never sent, or not sent again: that is safe only while nothing moved.
      assert.deepEqual([rows[0].failure_code, movements.length], ['network_unavailable', 0], what);
    } else {
      assert.deepEqual([final.status, movements.length], [success, 1], what);
    }
    await assertToldOnce(one.id, what);
    const again = await post(one);
    assert.deepEqual([again.status, again.text], [200, one.answer.text], what);
  }

  async function assertToldOnce(id: string, what: string): Promise<void> {
    await until(
      async () => {
        const events = await gateway.database.query(
          'SELECT state FROM callback_events WHERE transaction_id = $1',
          [id],
        );
        assert.equal(events.rows.length, 1, what);
        return events.rows[0].state === 'delivered';
      },
      { deadlineMs: 60_000, what: `${what} is told`, everyMs: 100 },
    );
    const { events } = await gateway.simulator(`receiver/events?transaction_id=${id}`);
    assert.ok(events.length >= 1, what);
    assert.equal(new Set(events.map((event: Json) => event.body)).size, 1, what);
  }

  it('loses, doubles and forgets nothing when worker, API, Temporal and Postgres are killed in turn', async () => {
    const stream = Array.from({ length: STREAM }, async (_, index) => {
      await pause(index * STREAM_EVERY_MS);
      const kind = (Object.keys(kinds) as Kind[])[index % 3] ?? 'push';
      return submit(kind, endings[Math.floor(index / 3) % endings.length] ?? '456');
    });
    const submitted = Promise.all(stream);
    for (const [part, signal] of blows) {
      const before = done.length;
      await strike(gateway, { part, signal });
      await until(() => done.length >= Math.min(before + 4, STREAM), {
        deadlineMs: 30_000,
        what: 'payments go on',
      });
    }
    for (const one of await submitted) await assertWell(one);
    const completed = await gateway.database.query(
      "SELECT 1 FROM transactions WHERE status IN ('completed', 'paid')",
    );
    assert.ok((completed.rowCount ?? 0) >= STREAM / 2, `only ${completed.rowCount} came to a good end`);
  }).timeout(240_000);

  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (const [step, table] of [
      ['accept', 'idempotency_keys'],
      ['settle', 'callback_events'],
    ] as const) {
      it(`carries on when Postgres is restarted (${signal}) in the middle of ${step}`, async () => {
        const release = await holdTable(gateway, table);
        const submitted = Promise.all([submit('push', '456'), submit('mobile payout', '456')]);
        await until(
          async () => {
            const { rowCount } = await gateway.database.query(
              "SELECT 1 FROM pg_stat_activity WHERE application_name = 'worker' AND wait_event_type = 'Lock'",
            );
            return rowCount === 2;
          },
          { deadlineMs: 20_000, what: `both are in the middle of ${step}` },
        );
        await strike(gateway, { part: 'Postgres', signal });
        await release();
        for (const one of await submitted) await assertWell(one);
      }).timeout(120_000);
    }
  }

  it('has one transaction for each key, nothing broken, and a ledger that adds up', async () => {
    const { rows } = await gateway.database.query('SELECT id FROM transactions ORDER BY id');
    assert.deepEqual(
      rows.map((row) => row.id),
      done.map(({ id }) => id).sort(),
    );
    const { rows: flagged } = await gateway.database.query('SELECT reason, detail FROM attention');
    assert.deepEqual(flagged, []);
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
