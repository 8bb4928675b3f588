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
/** npm lists the installed packages here. */
const packages = path.join(root, 'node_modules/.package-lock.json');
const KEPT_MS = 24 * 60 * 60_000;

/** Bundles a checkout's workflows once per state of the files. Throws on a forbidden import. */
export async function bundleOfSources(sources: Sources): Promise<Bundle> {
  // Another installer keeps no such list, so each start bundles.
  if (!existsSync(packages)) return make(sources);
  const digest = digestOf(sources);
  const file = path.join(folder, `workflows-${digest}.js`);
  if (existsSync(file)) return { codePath: file };
  const { code } = await make(sources);
  // A file changed meanwhile, so the bundle may mix old and new code.
  if (digestOf(sources) !== digest) return { code };
  // Another user's folder may not be writable; then each start bundles.
  return keep(file, code).then(
    () => ({ codePath: file }),
    () => ({ code }),
  );
}

async function make(sources: Sources): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({ ...sources, logger: new DefaultLogger('WARN') });
  return { code };
}

/** Covers all of src/, and the folder's path, which is in source maps. */
function digestOf(sources: Sources): string {
  const hash = createHash('sha256').update(JSON.stringify(sources));
  hash.update(readFileSync(packages));
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts')).sort())
    hash.update(`\n${file}\n`).update(readFileSync(`${root}src/${file}`));
  return hash.digest('hex').slice(0, 16);
}

/** Renames the file once it is complete, so that another process never reads half of it. */
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
