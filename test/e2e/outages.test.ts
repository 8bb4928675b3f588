import assert from 'node:assert/strict';
import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { transactionIdOf } from '../../src/transactions/acceptance/idempotency.ts';
import { kinds, newKey } from '../support/gateway.ts';
import { type Parts, startParts } from '../support/parts.ts';
import { until } from '../support/wait.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { assertTwoOfEachShare } from './two-of-each.ts';

const asked = [kinds.push, kinds['mobile payout']];
type Kind = (typeof asked)[number];

describe('a submission while something is down', () => {
  let parts: Parts;
  let balancer: Balancer;

  before(async function () {
    this.timeout(60_000);
    balancer = await startBalancer();
    // Every channel finds us where a load balancer would be.
    parts = await startParts({ PUBLIC_URL: balancer.url, SIMULATOR_GATEWAY_URL: balancer.url });
    balancer.targets.push(parts.local.api_url);
  });
  after(async function () {
    this.timeout(30_000);
    await parts?.stop();
    await balancer?.close();
  });

  const submit = ({ path, body }: Kind, key: string) => parts.request('POST', path, { key, body: body() });

  const rowsOf = async (id: string) => {
    const { rows } = await parts.database.query(
      'SELECT reference FROM transactions WHERE id = $1 UNION ALL SELECT key FROM idempotency_keys WHERE transaction_id = $1',
      [id],
    );
    return rows;
  };

  /** The same key again, until it is answered; then the transaction runs to its good end. */
  const finish = async (kind: Kind, key: string, id: string) => {
    await until(async () => {
      const { status, json } = await submit(kind, key);
      assert.ok(status === 200 || (status === 503 && json.retryable), `${status} ${json.code}`);
      if (status === 200) assert.equal(json.transaction_id, id);
      return status === 200;
    }, 'the key is answered');
    const final = await parts.outcome(kind.lookup, id);
    assert.equal(final.status, kind.success);
    const [row] = await rowsOf(id);
    assert.equal((await parts.simulator(`truth?reference=${row.reference}`)).movements.length, 1);
  };

  it('says outcome_unknown with the transaction_id without a worker; the same key later gets its answer', async () => {
    const started = await Promise.all(
      asked.map(async (kind) => {
        const key = newKey();
        const id = transactionIdOf(parts.accountId, key);
        const { status, json, headers } = await submit(kind, key);
        assert.deepEqual([status, json.code, json.transaction_id], [503, 'outcome_unknown', id], kind.path);
        assert.equal(json.retryable, true);
        assert.match(headers.get('retry-after') ?? '', /^\d+$/);
        assert.deepEqual(await rowsOf(id), []);
        return { kind, key, id };
      }),
    );
    await parts.startWorker();
    await Promise.all(started.map(({ kind, key, id }) => finish(kind, key, id)));
  }).timeout(90_000);

  it('says unavailable when Temporal cannot be reached, and has started nothing', async () => {
    await parts.temporal.kill();
    const refused = await Promise.all(
      asked.map(async (kind) => {
        const key = newKey();
        const id = transactionIdOf(parts.accountId, key);
        // The first may still go out on the connection that is breaking: then its outcome is unknown, truly.
        await until(async () => (await submit(kind, key)).json.code === 'unavailable', 'it is unavailable');
        const { status, json, headers } = await submit(kind, key);
        assert.deepEqual([status, json.code, json.retryable], [503, 'unavailable', true], kind.path);
        assert.equal(json.transaction_id, undefined);
        assert.match(headers.get('retry-after') ?? '', /^\d+$/);
        assert.deepEqual(await rowsOf(id), []);
        return { kind, key, id };
      }),
    );
    assert.equal((await parts.request('GET', 'status')).status, 503);
    await parts.temporal.startAgain();
    for (const { id } of refused) {
      const started = parts.client.client.workflow.getHandle(workflowIdOf(id)).describe();
      await assert.rejects(started, WorkflowNotFoundError, 'nothing was started');
    }
    await Promise.all(refused.map(({ kind, key, id }) => finish(kind, key, id)));
  }).timeout(120_000);

  it('is one transaction though two APIs got its key at once, two workers share the work, and one of each dies', () =>
    assertTwoOfEachShare(parts, (apiUrl) => balancer.targets.push(apiUrl))).timeout(180_000);

  it('leaves a ledger that adds up', async () => assert.deepEqual(await checkInvariants(parts.database), []));
});
