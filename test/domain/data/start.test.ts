import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

const sentence =
  'data/fees.json is wrong at versions[0].services.mobile.tiers[1].from: no tier has the values from 4999 to 4999';

/** Those that read it. A command reads what it needs, when it begins. */
const ENTRIES = {
  server: 'src/server.ts',
  worker: 'src/worker.ts',
  simulator: 'sandbox/simulator.ts',
  local: 'sandbox/start.ts',
};

/** The sources and data in a folder of their own, where data may be broken. */
async function copyOfSources(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-data-'));
  for (const part of ['src', 'sandbox', 'data', 'package.json', 'tsconfig.json'])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

describe('a process', () => {
  let folder: string;
  before(async () => {
    folder = await copyOfSources();
    const file = path.join(folder, 'data/fees.json');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.replace('"to": 4999,', '"to": 4998,'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [entry, file] of Object.entries(ENTRIES))
    it(`does not start on broken data, and says where it is: ${entry}`, async function () {
      this.timeout(120_000);
      const args = ['--import', 'tsx', file, '--help'];
      const ran = run(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } });
      await assert.rejects(ran, ({ code, stdout, stderr }) => {
        assert.deepEqual([code, stdout], [1, '']);
        assert.ok(stderr.includes(`DataError: ${sentence}`), stderr);
        return true;
      });
    });
});
