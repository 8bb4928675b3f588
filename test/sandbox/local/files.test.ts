import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { claimPorts } from '../../../sandbox/local/addresses.ts';
import { environmentOfLocal } from '../../../sandbox/local/attach.ts';
import { takeOver } from '../../../sandbox/local/leftovers.ts';
import { writePrivateJson } from '../../../sandbox/local/private-file.ts';
import { billTokenList, loadSecrets, saveSecrets, secretsFile } from '../../../sandbox/local/secrets.ts';
import { type RunningServer, startServer } from '../../../sandbox/local/server-process.ts';
import { readLocalSettings } from '../../../sandbox/local/settings.ts';
import { networks } from '../../../src/domain/network.ts';

let folder: string;
function useFolder() {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-files-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
}

describe('the secrets of an installation', () => {
  useFolder();

  it('are readable by their owner only, the first time and after a change', async () => {
    const secrets = await loadSecrets(folder);
    assert.equal((await stat(secretsFile(folder))).mode & 0o777, 0o600);
    await saveSecrets(folder, { ...secrets, accountId: 'one' });
    assert.equal((await stat(secretsFile(folder))).mode & 0o777, 0o600);
  });

  it('stay the same at the next start and differ between installations', async () => {
    const first = await loadSecrets(folder);
    assert.deepEqual(await loadSecrets(folder), first);
    await rm(secretsFile(folder));
    const other = await loadSecrets(folder);
    assert.notEqual(other.ENCRYPTION_KEY, first.ENCRYPTION_KEY);
    assert.match(other.passphrase, /^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it('have a token of each network for the bill door, also where the file is older than they are', async () => {
    const { billTokens, ...older } = await loadSecrets(folder);
    assert.deepEqual(Object.keys(billTokens).sort(), networks.map(({ id }) => id).sort());
    assert.equal(new Set(Object.values(billTokens)).size, networks.length);
    await writeFile(secretsFile(folder), JSON.stringify(older));
    const later = await loadSecrets(folder);
    assert.deepEqual(Object.keys(later.billTokens).sort(), networks.map(({ id }) => id).sort());
    assert.deepEqual(await loadSecrets(folder), later);
    const list = billTokenList({ billTokens: { 'm-pesa': 'one', 't-pesa': 'two' } });
    assert.equal(list, 'm-pesa:one,t-pesa:two');
  });

  it('are not replaced when the file is damaged: the data they opened would be lost', async () => {
    await writeFile(secretsFile(folder), '{"half":');
    await assert.rejects(loadSecrets(folder), /secrets\.json is damaged/);
    assert.equal(await readFile(secretsFile(folder), 'utf8'), '{"half":');
  });
});

describe('settings of npm start', () => {
  it('have the published ports by default', () => {
    const { ports, timing } = readLocalSettings({}, []);
    assert.deepEqual(Object.values(ports), [3000, 3001, 3002, 4010, 7233, 8233, 5433, 3003]);
    assert.equal(timing, 'normal');
  });

  it('are fast with --fast, and refuse another argument', () => {
    assert.equal(readLocalSettings({}, ['--fast']).timing, 'fast');
    assert.throws(() => readLocalSettings({}, ['--quick']), /knows only --fast, not --quick/);
  });

  it('name every variable that is wrong', () => {
    assert.throws(
      () => readLocalSettings({ API_PORT: '70000', TEMPORAL_ADDRESS: 'nowhere' }, []),
      /API_PORT.*TEMPORAL_ADDRESS: must be host:port/,
    );
  });
});

describe('ports of npm start', () => {
  let taken: Server;
  let port: number;
  beforeEach(async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    assert.ok(address && typeof address === 'object');
    port = address.port;
  });
  afterEach(() => taken.close());
  const free = {
    API_PORT: '0',
    MANAGEMENT_PORT: '0',
    PAY_PORT: '0',
    SIMULATOR_PORT: '0',
    TEMPORAL_PORT: '0',
    TEMPORAL_UI_PORT: '0',
    POSTGRES_PORT: '0',
  };

  it('name the variable of a port that is taken', async () => {
    const settings = readLocalSettings({ ...free, SIMULATOR_PORT: String(port) }, []);
    await assert.rejects(
      claimPorts(settings),
      new RegExp(`^Error: Port ${port}, meant for the simulator, is taken.*SIMULATOR_PORT`),
    );
  });

  it('are free and different ones for 0', async () => {
    const ports = Object.values(await claimPorts(readLocalSettings(free, [])));
    assert.equal(new Set(ports).size, 8);
    assert.ok(ports.every((candidate) => candidate > 0 && candidate !== port));
  });

  it('are not asked for where another server is used', async () => {
    const settings = readLocalSettings(
      {
        ...free,
        POSTGRES_PORT: String(port),
        TEMPORAL_PORT: String(port),
        DATABASE_URL: 'postgres://elsewhere/db',
        TEMPORAL_ADDRESS: 'elsewhere:7233',
      },
      [],
    );
    assert.equal((await claimPorts(settings)).POSTGRES_PORT, port);
  });
});

describe('what an earlier run left behind', () => {
  useFolder();

  let other: RunningServer;
  beforeEach(async () => {
    other = await startServer({
      command: process.execPath,
      args: ['--eval', 'setInterval(() => {}, 1000)'],
      env: process.env,
      stopSignal: 'SIGTERM',
    });
  });
  afterEach(() => other.stop(1_000));

  const isGone = () => other.child.exitCode !== null || other.child.signalCode !== null;

  /** A record as an earlier run in this folder would have left it. */
  async function leaveRecord(change: (run: RunFile) => void): Promise<void> {
    const record = await takeOver(folder);
    await record.note('worker', other.pid);
    const file = path.join(folder, 'run.json');
    const run: RunFile = JSON.parse(await readFile(file, 'utf8'));
    change(run);
    await writePrivateJson(file, run);
  }
  type RunFile = { supervisor: Mark; children: Record<string, Mark> };
  type Mark = { pid: number; born: string };

  it('is stopped when its supervisor is gone', async () => {
    await leaveRecord((run) => {
      run.supervisor.born = 'long ago';
    });
    await takeOver(folder);
    await other.exited;
    assert.equal(isGone(), true);
  });

  it('is left alone when the process id belongs to somebody else by now', async () => {
    await leaveRecord((run) => {
      run.supervisor.born = 'long ago';
      run.children.worker = { pid: other.pid, born: 'long ago' };
    });
    await takeOver(folder);
    assert.equal(isGone(), false);
  });

  it('is not touched while its supervisor runs: the second start is refused', async () => {
    await leaveRecord((run) => {
      run.supervisor = run.children.worker ?? run.supervisor;
    });
    await assert.rejects(takeOver(folder), /already runs in .* \(process \d+\)/);
    assert.equal(isGone(), false);
  });
});

describe('tools beside npm start', () => {
  useFolder();

  it('find its addresses and secrets, and nothing where it never ran', async () => {
    assert.equal(await environmentOfLocal(folder), undefined);
    const secrets = await loadSecrets(folder);
    await writePrivateJson(path.join(folder, 'local.json'), {
      database_url: 'postgres://here/malipo',
      temporal_address: '127.0.0.1:1',
      simulator_url: 'http://127.0.0.1:2',
      channels_file: '/somewhere/gsma.json',
    });
    const environment = await environmentOfLocal(folder);
    assert.equal(environment?.CHANNELS_FILE, '/somewhere/gsma.json');
    assert.equal(environment?.GSMA_URL, 'http://127.0.0.1:2');
    assert.equal(environment?.DATABASE_URL, 'postgres://here/malipo');
    assert.equal(environment?.KEY_HASH_SECRET, secrets.KEY_HASH_SECRET);
  });
});
