import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The workflow of bills, and where the next release does something more. */
const FILE = 'src/workflows/await-payment.ts';
const BEFORE = '    const ended = interrupted(flow)\n';
/** A release that takes its deploy seriously ships this switched off: WORKFLOW_PATCHES. */
const PATCH = 'looks-twice';

/** A checkout of the release after this one: a step more in every open bill, and a migration. */
export async function createNextRelease(): Promise<{
  folder: string;
  worker: string;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-next-'));
  for (const name of ['src', 'sandbox', 'data', 'deploy', 'migrations', 'package.json', 'tsconfig.json'])
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const code = await readFile(path.join(folder, FILE), 'utf8');
  const changed = code
    .replace('import { condition, ', 'import { condition, patched, ')
    .replace(BEFORE, `    if (patched('${PATCH}')) await sleep('10ms');\n${BEFORE}`);
  if (changed.split('patched').length !== 3)
    throw new Error(`${FILE} has another form now: change this file, too`);
  await writeFile(path.join(folder, FILE), changed);
  await writeFile(
    path.join(folder, 'migrations/9999_next.sql'),
    '-- What only the next release uses.\nALTER TABLE transactions ADD next_note text;\n',
  );
  return {
    folder,
    worker: path.join(folder, 'src/worker.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
