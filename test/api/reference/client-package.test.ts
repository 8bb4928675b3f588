// tests: slow
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { useTestApi } from '../support/use-api.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the client that the service serves', () => {
  const { api } = useTestApi({ docs: {} });
  const get = (where: string) => fetch(`http://127.0.0.1:${api.port}${where}`);

  it('is what the page about keys says it is, and makes a key', async () => {
    const page = await (await get('/docs/key')).text();
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const [, pinned = ''] = /npx --yes \{api_url\}(\S+) keys new/.exec(page) ?? [];
    assert.equal(pinned, `/docs/malipo-client-${version}.tgz`);
    assert.match(
      await (await get('/docs/callbacks')).text(),
      new RegExp(`npx --yes {api_url}${pinned} callbacks forward`),
    );
    const archive = Buffer.from(await (await get(pinned)).arrayBuffer());
    assert.ok(page.includes(createHash('sha256').update(archive).digest('hex')));
    const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-client-'));
    writeFileSync(path.join(folder, 'client.tgz'), archive);
    execFileSync('tar', ['-xzf', 'client.tgz'], { cwd: folder });
    const bin = path.join(folder, 'package/dist/bin.js');
    const made = execFileSync(process.execPath, [bin, 'keys', 'new', '--test'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    assert.match(made, /^sk_test_\w+\n$/);
    rmSync(folder, { recursive: true });
  });

  it('is installed as docs/clients.md says, into the folder of a program and nowhere else', async () => {
    const page = await (await get('/docs/clients.md')).text();
    const [, where = ''] = /^npm install \{api_url\}(\S+)$/m.exec(page) ?? [];
    const folder = mkdtempSync(path.join(os.tmpdir(), 'malipo-client-'));
    writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
    const inFolder = async (program: string, args: string[]) =>
      (await promisify(execFile)(program, args, { cwd: folder })).stdout;
    const address = `http://127.0.0.1:${api.port}${where}`;
    await inFolder('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '--cache',
      path.join(folder, 'cache'),
      address,
    ]);
    const imported = "import { createMalipo } from 'malipo-client'; console.log(typeof createMalipo);";
    assert.equal(await inFolder(process.execPath, ['--input-type=module', '-e', imported]), 'function\n');
    const client = path.join(folder, 'node_modules/.bin/malipo-client');
    assert.match(await inFolder(client, ['--help']), /malipo-client keys new/);
    rmSync(folder, { recursive: true });
    assert.doesNotMatch(page, /npm pack/);
  });

  it('is the only one that a page lets npx run: a name that nobody owns would make keys of whoever takes it', () => {
    const within = (folder: string) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(md|ts)$/.test(name))
        .map((name) => `${folder}/${name}`);
    const files = ['docs', 'src', 'sandbox', 'clients/typescript/src', 'deploy'].flatMap(within);
    files.push('README.md', 'CONTRIBUTING.md', 'clients/typescript/README.md');
    for (const file of files)
      for (const [line] of readFileSync(path.join(root, file), 'utf8').matchAll(/npx [^\n]*malipo[^\n]*/g))
        assert.match(line, /^npx --yes \{api_url\}\/docs\/malipo-client\.tgz /, file);
  });
});
