import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = import.meta.url.endsWith('.ts') ? '../../../' : '../../../../';

export function readPackageFile(path: string): string {
  return readPackageBytes(path).toString('utf8');
}

export function readPackageBytes(path: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`${ROOT}${path}`, import.meta.url)));
}
