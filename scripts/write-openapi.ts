import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { openApiText } from '../src/api/reference/openapi.ts';
import { calls as merchantCalls } from '../src/api/routes.ts';
import { createActions } from '../src/operators/actions/action-table.ts';
import type { Actions } from '../src/operators/actions/actions.ts';
import { calls } from '../src/operators/api/calls.ts';
import { operatorOpenApiText } from '../src/operators/api/openapi.ts';
import { listCommands } from '../src/operators/list-table.ts';
import { sendCommands } from '../src/operators/send-table.ts';
import { viewCommands } from '../src/operators/view-table.ts';
import { clientPackage } from './generate/client-package.ts';
import { postmanText } from './generate/postman.ts';
import { typescriptClientFiles } from './generate/typescript-client.ts';

/**
 * Writes the two documents from their tables, and from ours what the clients are made of; with `--check` it only says
 * whether the committed files are current.
 */
/** Nothing is proposed here: only what each action takes counts. */
const actions = createActions({
  payoutRouteOf: () => undefined,
  liveRouteOf: () => undefined,
  timing: 'normal',
  hashSecrets: [{ id: 'none', key: new Uint8Array(32) }],
  environment: 'live',
  callbacks: { encryptionKeys: [{ id: 'none', key: new Uint8Array(32) }], urlPolicy: { check: () => null } },
  statementAccounts: new Map(),
});
const openApi = openApiText(merchantCalls);
const client = await typescriptClientFiles(openApi);
/** Each command on a line: src/operators/cli/declared.ts and lists.ts read it. */
function commandsText(actions: Actions): string {
  const asked = Object.entries(actions).map(([action, { command, title, alone, asked }]) => {
    return { action, command, title, ...(alone && { isAlone: true }), asked };
  });
  const linesOf = (all: readonly object[]) => `[\n${all.map((one) => JSON.stringify(one)).join(',\n')}\n]`;
  const all = { actions: asked, sends: sendCommands, lists: listCommands(), views: viewCommands() };
  const parts = Object.entries(all).map(([name, lines]) => `"${name}":${linesOf(lines)}`);
  return `{${parts.join(',\n')}}\n`;
}

const files = {
  'openapi.json': openApi,
  'operator-openapi.json': operatorOpenApiText(calls, actions),
  ...client,
  'src/operators/cli/commands.json': commandsText(actions),
  'clients/postman/malipo.postman_collection.json': postmanText(openApi),
};

for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (!process.argv.includes('--check')) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is out of date: run npm run openapi`);
    process.exitCode = 1;
  }
}

/** Other versions of Node compress otherwise: what is inside is compared. */
const archive = fileURLToPath(new URL('../docs/site/malipo-client.tgz', import.meta.url));
const packed = clientPackage(client);
const isCurrent = existsSync(archive) && gunzipSync(readFileSync(archive)).equals(gunzipSync(packed));
if (!process.argv.includes('--check')) {
  if (!isCurrent) writeFileSync(archive, packed);
} else if (!isCurrent) {
  console.error('docs/site/malipo-client.tgz is out of date: run npm run openapi');
  process.exitCode = 1;
}
