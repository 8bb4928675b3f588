import assert from 'node:assert/strict';
import type { Parts } from '../support/parts.ts';
import { until } from '../support/wait.ts';
import { assertAllDoneOnce, startStream } from './stream.ts';

/** As many are answered before the first blow, between the blows, and after them. */
const BETWEEN = 6;

/**
 * A second API and a second worker join, a merchant sends each key to both APIs at once, and in the middle of it the two
 * newcomers are killed. Each key is one transaction, that moved money once and was told once.
 */
export async function assertTwoOfEachShare(parts: Parts, join: (apiUrl: string) => void): Promise<void> {
  const [api, worker] = await Promise.all([parts.startApi(), parts.startWorker()]);
  join(api.apiUrl);
  const processes = await countSenders(parts);
  const stream = startStream([parts.request, api.request]);
  try {
    await stream.more(BETWEEN);
    await until(async () => (await countSenders(parts)) === processes + 1, 'the second worker sends, too');
    api.server.child.kill('SIGKILL');
    await stream.more(BETWEEN);
    worker.child.kill('SIGKILL');
    await stream.more(BETWEEN);
  } finally {
    stream.stop();
  }
  const all = await stream.done;
  await assertAllDoneOnce(parts, all);
  const ids = all.map(({ id }) => id);
  assert.equal(new Set(ids).size, all.length);
  const { rows } = await parts.database.query(
    'SELECT count(*)::int AS count FROM idempotency_keys WHERE transaction_id = ANY($1)',
    [ids],
  );
  assert.equal(rows[0].count, all.length, 'one transaction for each key');
}

/** Workers that wrote down how a channel answered them. */
async function countSenders(parts: Parts): Promise<number> {
  const { rows } = await parts.database.query(
    'SELECT count(DISTINCT process)::int AS count FROM channel_results',
  );
  return rows[0].count;
}
