import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's folder is above the source and above the build. */
const ROOT = import.meta.url.endsWith('.ts') ? '../../../' : '../../../../';

export function readPackageFile(path: string): string {
  return readPackageBytes(path).toString('utf8');
}

export function readPackageBytes(path: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`${ROOT}${path}`, import.meta.url)));
}
