import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../sandbox/local/ports.ts';
import { createDatabase, requireSessions } from '../../../src/platform/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

const PATH = `${process.env.PATH}:/usr/sbin`;

function isInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { env: { PATH } });
    return true;
  } catch {
    return false;
  }
}

describe('a pooler that does not pass on settings (PgBouncer)', () => {
  let test: TestDatabase;
  let folder: string;
  let bouncer: ChildProcess | undefined;
  before(async function () {
    if (!isInstalled()) {
      console.warn('== NOT TESTED: pgbouncer is not installed (apt-get install pgbouncer).');
      this.skip();
    }
    test = await createTestDatabase();
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-pgbouncer-'));
    await chmod(folder, 0o755);
  });
  afterEach(() => bouncer?.kill('SIGKILL'));
  after(async () => {
    await test?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Starts one and connects through it. `ignored`: start-up settings that it takes and drops. */
  async function through(mode: 'session' | 'transaction', ignored: string) {
    const target = new URL(test.url);
    const port = await freePort();
    const file = path.join(folder, `${port}.ini`);
    await writeFile(
      file,
      `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username} password=${decodeURIComponent(target.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = ${ignored}
`,
    );
    await chmod(file, 0o644);
    const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    bouncer = spawn('pgbouncer', [...asNobody, file], { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    bouncer.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    await until(() => said.includes('process up'), 'pgbouncer');
    const url = new URL(test.url);
    url.host = `127.0.0.1:${port}`;
    return createDatabase({ url: url.href, poolMax: 1, applicationName: 'test' });
  }

  for (const mode of ['transaction', 'session'] as const)
    for (const ignored of ['extra_float_digits', 'extra_float_digits, options'])
      it(`is refused when a process starts, in ${mode} mode, also where it drops settings silently: ${ignored}`, async () => {
        const database = await through(mode, ignored);
        await assert.rejects(requireSessions(database), /does not pass on the settings/);
        await database.end();
      });

  it('is refused where the role has the settings by itself: names of statements belong to a session, too', async () => {
    const name = new URL(test.url).pathname.slice(1);
    await test.database.query(
      `ALTER DATABASE ${name} SET timezone = 'UTC'; ALTER DATABASE ${name} SET lock_timeout = '5s'`,
    );
    const database = await through('transaction', 'extra_float_digits, options');
    await assert.rejects(requireSessions(database), /does not pass on the settings/);
    await database.end();
  });

  it('is not what stands before Postgres itself, nor Postgres that is away', async () => {
    await requireSessions(test.database);
    const nowhere = createDatabase({
      url: 'postgres://a:b@127.0.0.1:1/none',
      poolMax: 1,
      applicationName: 'test',
    });
    await requireSessions(nowhere);
    await nowhere.end();
  });
});
