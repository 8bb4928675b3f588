import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeLast } from './at-end.ts';

/** A folder for the tests of a `describe`, or with `each` for every test of it, or what is in it under this name. */
export function useFolder({ each = false } = {}): (...name: string[]) => string {
  let folder: string | undefined;
  closeLast(() => folder && rmSync(folder, { recursive: true, force: true }), each);
  (each ? beforeEach : before)(() => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-'));
  });
  return (...name) => join(folder ?? '', ...name);
}
