// tests: hard
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { nodeArguments } from '../../support/node-entry.ts';
import { pick } from '../../support/pick.ts';
import { untilSwept } from '../../support/swept.ts';
import { until } from '../../support/wait.ts';

const run = promisify(execFile);

type Urls = 'api_url' | 'management_url' | 'pay_url' | 'simulator_url' | 'database_url';
type Local = Record<Urls | 'api_key' | 'account_id' | 'channels_file', string>;

/** `npm start` as a newcomer runs it, but for its ports and the folder of its data. */
describe('npm start', function () {
  this.timeout(120_000);
  let dataFolder: string;
  let starter: ChildProcess;
  let output: string;
  before(async () => {
    dataFolder = await mkdtemp(path.join(os.tmpdir(), 'malipo-start-'));
  });
  after(async () => {
    starter.kill('SIGKILL');
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  });

  async function start(command?: string[]): Promise<Local> {
    await attempt(command);
    assert.equal(starter.exitCode, null, output);
    return JSON.parse(await readFile(path.join(dataFolder, 'local.json'), 'utf8'));
  }

  /** Until everything runs, or the starter has given up. */
  async function attempt(
    command = [process.execPath, ...nodeArguments('sandbox/start.ts'), '--fast'],
  ): Promise<void> {
    output = '';
    // Where a test before failed, it still runs.
    starter?.kill('SIGKILL');
    const free = {
      API_PORT: '0',
      MANAGEMENT_PORT: '0',
      PAY_PORT: '0',
      SIMULATOR_PORT: '0',
      POSTGRES_PORT: '0',
    };
    const [program = '', ...args] = command;
    starter = spawn(program, args, {
      env: {
        ...process.env,
        ...free,
        TEMPORAL_PORT: '0',
        TEMPORAL_UI_PORT: '0',
        DATA_DIR: dataFolder,
        SIMULATOR_DELAY_MS: '100',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [starter.stdout, starter.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    await until(() => /is ready|takes no payment/.test(output) || starter.exitCode !== null, {
      deadlineMs: 90_000,
      what: 'everything runs',
    });
  }

  async function stop(): Promise<void> {
    starter.kill('SIGTERM');
    await until(() => starter.exitCode !== null, { deadlineMs: 6_000, what: 'everything stopped' });
    assert.equal(starter.exitCode, 0, output);
  }

  async function pids(): Promise<Record<string, number>> {
    const run = JSON.parse(await readFile(path.join(dataFolder, 'run.json'), 'utf8'));
    const entries: [string, { pid: number }][] = Object.entries(run.children);
    return Object.fromEntries(entries.map(([name, child]) => [name, child.pid]));
  }

  async function pay(local: Local): Promise<string> {
    const headers = {
      authorization: `Bearer ${local.api_key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const body = JSON.stringify({ amount: 5_000, currency: 'TZS', phone_number: '0754000001' });
    const answer = await fetch(`${local.api_url}/api/v1/payments/ussd`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { transaction_id: string }).transaction_id;
  }

  async function completed(local: Local, id: string): Promise<void> {
    await until(async () => (await statusOf(local, id)) === 'completed', `payment ${id} is completed`);
  }

  async function statusOf(local: Local, id: string): Promise<string> {
    const url = `${local.api_url}/api/v1/payments/${id}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${local.api_key}` } });
    return ((await answer.json()) as { status: string }).status;
  }

  /** A sweep that was killed above is tried again only after its time limit. */
  async function swept(local: Local): Promise<void> {
    const database = createDatabase({ url: local.database_url, poolMax: 1, applicationName: 'test' });
    await untilSwept(database, 100_000).finally(() => database.end());
  }

  let first: Local;
  it('takes a payment to its verified callback', async () => {
    first = await start();
    assert.match(output, /^ {2}worker runs \(.* s\)$/m, 'each step is said');
    assert.match(output, /^ {2}Pay +http:\S+\/l\/\S+ /m);
    const id = await pay(first);
    await completed(first, id);
    const events = await until(
      async () => {
        const answer = await fetch(`${first.simulator_url}/receiver/events?transaction_id=${id}`);
        const list = (await answer.json()) as { events: { service_signature_verified?: boolean }[] };
        return list.events.length > 0 ? list.events : undefined;
      },
      { deadlineMs: 10_000, everyMs: 100, what: 'the callback' },
    );
    assert.deepEqual(pick(events, 'service_signature_verified'), [true]);
  });

  it('names the channels file that is used, and listens to nobody who calls it by another name', async () => {
    assert.match(first.channels_file, /deploy\/channels\/gsma\.json$/);
    for (const url of [first.api_url, first.management_url, first.pay_url, first.simulator_url]) {
      const status = await new Promise((resolve, reject) => {
        const asked = request(url, { headers: { host: 'rebound.example' } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on('error', reject).end();
      });
      assert.equal(status, 421, url);
    }
  });

  it('keeps its secrets to its owner', async () => {
    for (const name of ['local.json', 'secrets.json'])
      assert.equal((await stat(path.join(dataFolder, name))).mode & 0o777, 0o600, name);
  });

  it('leaves tools beside it their work, in a shell that has its variables', async () => {
    for (const [args, says] of [
      [['temporal', 'prepare'], /is prepared/],
      [['recover'], /there is nothing to recover/],
    ] as const) {
      const env = { ...process.env, DATA_DIR: dataFolder, PAY_PORT: '3002' };
      const { stdout } = await run(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args], { env });
      assert.match(stdout, says);
    }
  });

  it('brings back every process that is killed, and completes what was under way', async () => {
    const id = await pay(first);
    const before = await pids();
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    for (const name of Object.keys(before))
      await until(() => output.includes(`${name} is back`), `${name} is back`);
    await completed(first, id);
  });

  it('stops everything within 5 s and is the same at the next start', async () => {
    const running = Object.values(await pids());
    await stop();
    for (const pid of running) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    const second = await start();
    assert.equal(second.api_key, first.api_key);
    assert.equal(second.account_id, first.account_id);
  });

  it('starts again after it was killed itself', async () => {
    starter.kill('SIGKILL');
    await until(() => starter.signalCode !== null, { deadlineMs: 5_000, what: 'it is gone' });
    const third = await start();
    await completed(third, await pay(third));
    await swept(third);
    await stop();
  });

  it('says over an older copy of its database what has to be done, and then goes on', async () => {
    const [folder, copy] = [path.join(dataFolder, 'postgres'), path.join(dataFolder, 'copy')];
    // Where root starts it, Postgres has a user of its own, whose files they stay.
    await run('cp', ['-a', folder, copy]);
    const later = await start();
    const lost = await pay(later);
    await completed(later, lost);
    await stop();
    await rm(folder, { recursive: true });
    await rename(copy, folder);
    const restored = await start();
    assert.match(
      output,
      /takes no payment, because its database was put back .*\n\nnode bin\/malipo\.js recover\n/,
    );
    const recover = run(process.execPath, [...nodeArguments('src/cli.ts'), 'recover'], {
      env: { ...process.env, DATA_DIR: dataFolder },
    });
    // What it says is missing belongs into a failure of this test.
    const { stdout } = await recover.catch((error: { stdout: string }) => error);
    assert.match(stdout, /The fence is lifted: payments go on/);
    assert.equal(
      await statusOf(restored, lost),
      'pending',
      'its network is asked; a simulator that was stopped forgot it',
    );
    await completed(restored, await pay(restored));
    await stop();
  });

  it('stops everything within 5 s when only npm is told to, also where a shell put it into the background', async () => {
    await start(['sh', '-c', "trap '' INT; exec npm start -- --fast"]);
    const running = Object.values(await pids());
    starter.kill('SIGINT');
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until(() => !running.some(isAlive), { deadlineMs: 6_000, what: 'everything stopped' });
  });

  it('refuses the data of another version in one sentence, which says how to start afresh', async () => {
    const local = await start();
    const database = createDatabase({ url: local.database_url, poolMax: 1, applicationName: 'test' });
    await database.query("UPDATE schema_migrations SET name = '0001_foundation.sql' WHERE name LIKE '0001%'");
    await database.end();
    await stop();
    await attempt();
    assert.equal(starter.exitCode, 1, output);
    const sentence = `The data in ${dataFolder} was made by another version of Malipo: delete this folder and start again.`;
    assert.equal(output.trim().split('\n').at(-1), sentence);
  });
});
