import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

export type Bundle = { code: string } | { codePath: string };

type Sources = Pick<BundleOptions, 'workflowsPath' | 'workflowInterceptorModules'>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = path.join(root, 'node_modules/.cache/malipo');
/** npm lists here what it has installed. */
const packages = path.join(root, 'node_modules/.package-lock.json');
/** Bundles of what the sources were before are removed when they are this old. */
const KEPT_MS = 24 * 60 * 60_000;

/** Bundles a checkout's workflows once per state of its files. Throws on an import that may not be there. */
export async function bundleOfSources(sources: Sources): Promise<Bundle> {
  // Another installer keeps no such list: then each start bundles, and nothing can be outdated.
  if (!existsSync(packages)) return make(sources);
  const digest = digestOf(sources);
  const file = path.join(folder, `workflows-${digest}.js`);
  if (existsSync(file)) return { codePath: file };
  const { code } = await make(sources);
  // Somebody edits: what was bundled may be a part of both.
  if (digestOf(sources) !== digest) return { code };
  // A folder that another user made cannot be written: then each start bundles.
  return keep(file, code).then(
    () => ({ codePath: file }),
    () => ({ code }),
  );
}

async function make(sources: Sources): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({ ...sources, logger: new DefaultLogger('WARN') });
  return { code };
}

/** Covers all of src/, more than a bundle holds, and the folder's path, which source maps contain. */
function digestOf(sources: Sources): string {
  const hash = createHash('sha256').update(JSON.stringify(sources));
  hash.update(readFileSync(packages));
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts')).sort())
    hash.update(`\n${file}\n`).update(readFileSync(`${root}src/${file}`));
  return hash.digest('hex').slice(0, 16);
}

/** Renamed when it is whole: another process must never read half of it. */
async function keep(file: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const old = path.join(folder, name);
    if (Date.now() - (await stat(old)).mtimeMs > KEPT_MS) await rm(old, { force: true });
  }
  const half = `${file}.${process.pid}`;
  await writeFile(half, code);
  await rename(half, file);
}
