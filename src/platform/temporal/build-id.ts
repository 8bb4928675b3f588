import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleFile } from './workflow-code.ts';

/** package.json is beside `src/` in a checkout and above `dist/` in a build. */
const root = ['../../../', '../../../../']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(`${folder}package.json`));

/** `npm run build` writes this beside the bundle, because an image has no git. */
const notedFile = fileURLToPath(new URL('../../build-id', import.meta.url));

/**
 * Returns the code's version: from BUILD_ID, the build's note, or the checkout. Different code must never
 * share a version: it would continue flows pinned to other code.
 */
export function buildIdOf(given: string | undefined): string {
  if (given !== undefined) return given;
  return existsSync(notedFile)
    ? readFileSync(notedFile, 'utf8').trim()
    : `${version()}-${commit() ?? 'source'}`;
}

/** Names a build as given, or by version and commit; without git by a digest of the workflows. */
export function noteOfBuild(given: string | undefined): { file: string; buildId: string } {
  const digest = () => createHash('sha256').update(readFileSync(bundleFile)).digest('hex').slice(0, 12);
  return { file: notedFile, buildId: given ?? `${version()}-${commit() ?? digest()}` };
}

function version(): string {
  return JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version;
}

function commit(): string | null {
  try {
    const words = ['-C', root ?? '.', 'rev-parse', '--short=12', 'HEAD'];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
