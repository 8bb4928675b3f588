// tests: slow
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { useTestApi } from '../support/use-api.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the client that the service serves', () => {
  const { api } = useTestApi();
  const get = (where: string) => fetch(`http://127.0.0.1:${api.port}${where}`);

  it('is what the page about keys says it is, and makes a key', async () => {
    const archive = Buffer.from(await (await get('/docs/malipo-client.tgz')).arrayBuffer());
    const page = await (await get('/docs/key')).text();
    assert.ok(page.includes(createHash('sha256').update(archive).digest('hex')));
    assert.match(page, /npx --yes \{api_url\}\/docs\/malipo-client\.tgz keys new/);
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

  it('is the only one that a guide for merchants lets npx run', () => {
    const guides = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const files = [...guides.map((name) => `docs/${name}`), 'clients/typescript/README.md'];
    for (const file of files)
      for (const [line] of readFileSync(path.join(root, file), 'utf8').matchAll(/npx [^\n]*malipo[^\n]*/g))
        assert.match(line, /^npx (--yes \{api_url\}\/docs\/malipo-client\.tgz|malipo keys list)/, file);
  });
});
