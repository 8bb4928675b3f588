import assert from 'node:assert/strict';
import type { Json } from '../support/gateway.ts';
import type { Parts } from '../support/parts.ts';
import { until } from '../support/wait.ts';

/** One event; its bytes may come more than once, because nobody knows whether the receiver had them. */
export async function assertToldOnce(
  { database, simulator }: Pick<Parts, 'database' | 'simulator'>,
  id: string,
  what = id,
): Promise<void> {
  const state = 'SELECT state FROM callback_events WHERE transaction_id = $1';
  await until(async () => {
    const { rows } = await database.query(state, [id]);
    assert.equal(rows.length, 1, what);
    return rows[0].state === 'delivered';
  }, `${what} is told`);
  const { events } = await simulator(`receiver/events?transaction_id=${id}`);
  assert.ok(events.length >= 1, what);
  assert.equal(new Set(events.map((event: Json) => event.body)).size, 1, what);
}
