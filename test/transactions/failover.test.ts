// tests: hard
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../sandbox/local/ports.ts';
import { localPostgresSettings, postgresUrl, preparePostgres } from '../../sandbox/local/postgres.ts';
import { type RunningServer, startServer } from '../../sandbox/local/server-process.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { isDatabaseDown } from '../../src/platform/db/errors.ts';
import { processRoles, setRolePasswords } from '../../src/platform/db/grants.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import {
  createFenceGuard,
  type FenceGuard,
  fenceOf,
  liftFence,
  readMark,
} from '../../src/transactions/care/fence.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accepted } from '../support/handed-over.ts';
import { submissionKeys } from '../support/key-rings.ts';
import { mobilePayoutRequest } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';

const PASSWORD = 'local';
/** No checkpoint comes by itself: until one does, the control file names the timeline of before. */
const SETTINGS = { ...localPostgresSettings, checkpoint_timeout: '1h', autovacuum: 'off' };

/** Two Postgres of our own: what is written to the first streams to the second, which takes over its port. */
describe('another Postgres than before, behind the same address', function () {
  this.timeout(120_000);
  let folder: string;
  let port: number;
  const running = new Set<RunningServer>();
  const pools = new Set<Database>();

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-failover-'));
    port = await freePort();
    const first = await start('first', port);
    const owner = connect();
    await answers(owner);
    await migrate(owner);
    await setRolePasswords(owner, { api: PASSWORD, worker: PASSWORD });
    await owner.end();
    pools.clear();
    await first.stop(10_000);
  });
  afterEach(async () => {
    for (const pool of pools) await pool.end();
    pools.clear();
    for (const server of running) await server.stop(10_000);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function start(name: string, at: number, settings: Record<string, string> = {}) {
    const server = await startServer(
      await preparePostgres({
        folder: path.join(folder, name),
        port: at,
        password: PASSWORD,
        settings: { ...SETTINGS, ...settings },
      }),
    );
    running.add(server);
    void server.exited.then(() => running.delete(server));
    return server;
  }

  function copy(from: string, to: string): void {
    execFileSync('cp', ['-Rp', path.join(folder, from), path.join(folder, to)]);
  }

  function connect(role?: 'api' | 'worker', onConnect?: FenceGuard, at = port): Database {
    const login = role ? { user: processRoles[role] } : {};
    const pool = createDatabase({
      url: postgresUrl({ port: at, password: PASSWORD, database: 'postgres', ...login }),
      poolMax: 2,
      applicationName: role ?? 'owner',
      rowKeys: submissionKeys,
      onConnect,
    });
    pools.add(pool);
    return pool;
  }

  /** A pool and the guard before it, as src/worker.ts and src/server.ts have them. */
  function startProcess(role: 'api' | 'worker') {
    const guard = createFenceGuard();
    const database = connect(role, guard);
    return { database, look: () => guard(database) };
  }

  const answers = (database: Database) => until(() => database.query('SELECT 1'), 'Postgres answers');

  it('has its fence closed before the first query of a process, where a standby took over that lacks the last commit', async () => {
    copy('first', 'standby');
    await writeFile(path.join(folder, 'standby/standby.signal'), '');
    const primary = await start('first', port);
    const owner = connect();
    await answers(owner);
    const otherPort = await freePort();
    const standby = await start('standby', otherPort, {
      primary_conninfo: `host=127.0.0.1 port=${port} user=malipo password=${PASSWORD}`,
    });
    const { id, merchant } = await accepted(owner, mobilePayoutRequest(1_000));
    const [worker, api, idle] = [startProcess('worker'), startProcess('api'), startProcess('api')];
    for (const { look } of [worker, api, idle]) assert.equal(await look(), null);
    const copied = connect(undefined, undefined, otherPort);
    await until(
      async () => (await copied.query('SELECT FROM transactions WHERE id = $1', [id])).rowCount === 1,
      'the payout has streamed to the standby',
    );
    await standby.stop(10_000);
    // The commit that is lost: the channel may have the payout.
    await recordSend(worker.database, { transactionId: id, number: 1 });
    await primary.stop(10_000);

    await start('standby', port);
    await answers(owner);
    await assert.rejects(worker.database.query('SELECT 1'), (error) => isDatabaseDown(error), 'a standby');
    await owner.query('SELECT pg_promote()');
    const held = await balanceOf(owner, merchant.accountId, 'TZS');
    const cancelled = await tryToEnd(worker.database, id, { kind: 'cancel' });
    assert.equal(cancelled.status, 'pending', 'a payout that its channel has is not cancelled');
    assert.equal(await fenceOf(owner), 'a standby took over');
    assert.equal(await api.look(), 'a standby took over');
    assert.deepEqual(await balanceOf(owner, merchant.accountId, 'TZS'), held, 'its hold is where it was');
    assert.equal((await readMark(worker.database)).timeline, 2, 'whatever the control file says');

    await liftFence(owner, null);
    for (const { look } of [idle, worker, startProcess('worker')])
      assert.equal(await look(), null, 'the fence stays lifted, whether a process noticed it closed or not');
  });

  it('has its fence closed by a process that has seen more of it, where older files were put back', async () => {
    let server = await start('first', port);
    const owner = connect();
    await answers(owner);
    const { id } = await accepted(owner, mobilePayoutRequest(1_000));
    await server.stop(10_000);
    copy('first', 'older');
    server = await start('first', port);
    await answers(owner);
    const [worker, idle] = [startProcess('worker'), startProcess('api')];
    await recordSend(worker.database, { transactionId: id, number: 1 });
    for (const { look } of [worker, idle]) assert.equal(await look(), null);
    await server.stop(10_000);

    await start('older', port);
    await answers(owner);
    assert.equal((await tryToEnd(worker.database, id, { kind: 'cancel' })).status, 'pending');
    assert.match((await fenceOf(owner)) ?? '', /older than what a process has seen/);
    await liftFence(owner, null);
    assert.equal(await idle.look(), null, 'a process that was idle does not close the fence again');
    assert.equal(await worker.look(), null);
  });
});
