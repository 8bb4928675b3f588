import { access, constants } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Downloaded and built servers stay outside node_modules, so that `npm ci` does not delete them. */
export function cacheFolder(): string {
  const { MALIPO_CACHE_DIR, XDG_CACHE_HOME } = process.env;
  return MALIPO_CACHE_DIR || path.join(XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'malipo');
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Searches PATH, then `extraFolders`. */
export async function findOnPath(program: string, extraFolders: string[] = []): Promise<string | undefined> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  for (const folder of [...(process.env.PATH ?? '').split(path.delimiter), ...extraFolders]) {
    const file = path.join(folder, program + suffix);
    if (folder !== '' && (await isExecutable(file))) return file;
  }
  return undefined;
}
