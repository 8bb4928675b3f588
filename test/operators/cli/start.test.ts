import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { specifiersOf } from '../../../scripts/test-tiers.ts';
import { nodeArguments } from '../../support/node-entry.ts';

/** What a command that asks the API does without; of app/, it loads the commands alone. */
const HEAVY = [
  'src/operators/actions',
  'src/channels',
  'src/api',
  'src/config',
  'src/platform/http',
  'src/platform/temporal',
];

/** Throws where one of these folders has no file: then the list is out of date. */
const filesOf = (folders: readonly string[]) =>
  folders.flatMap((folder) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    assert.ok(files.length > 0, folder);
    return files.map((file) => path.posix.join(folder, file));
  });

/** What is loaded before a command begins: imports that wait for their command are none of it. */
function loadedBy(entries: readonly string[]): string[] {
  const loaded = new Set(entries);
  for (const name of loaded) {
    if (!name.startsWith('src/')) continue;
    for (const next of specifiersOf(readFileSync(name, 'utf8').replaceAll(/\bimport\(/g, 'later(')))
      loaded.add(next.startsWith('.') ? path.posix.join(path.posix.dirname(name), next) : next);
  }
  return [...loaded];
}

describe('the start of the command line', () => {
  it('loads neither a store nor a channel nor a server: a command that asks the API does without', () => {
    // The stores are opened by a command that needs them, and loaded then.
    const parts = filesOf(['src/operators/cli']).filter((file) => /(?<!stores)\.ts$/.test(file));
    const loaded = loadedBy(['src/cli.ts', ...parts]);
    assert.ok(loaded.includes('src/domain/money.ts'), 'it follows what is imported');
    const packages = loaded.filter(
      (name) => !name.startsWith('src/') && !/^node:|\.json$|^data\//.test(name),
    );
    assert.deepEqual(packages.sort(), ['commander', 'zod']);
    const heavy = loaded.filter((name) => filesOf(HEAVY).includes(name) || /^src\/app\/[^/]+$/.test(name));
    assert.deepEqual(heavy, []);
  });

  it('does not end before a slow pipe has taken all that it printed', async () => {
    const text = JSON.stringify({ success: true, data: [], filler: 'x'.repeat(500_000) });
    const server = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      MALIPO_OPERATOR_TOKEN: 'op_test',
      MALIPO_OPERATOR_URL: `http://127.0.0.1:${port}`,
    };
    const command = [process.execPath, ...nodeArguments('src/cli.ts'), 'operators', 'list', '--json'];
    const child = spawn('sh', ['-c', `"$0" "$@" | (sleep 3; cat)`, ...command], { env });
    let printed = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) printed += chunk;
    server.close();
    assert.equal(printed.trimEnd().length, text.length);
  }).timeout(60_000);
});
