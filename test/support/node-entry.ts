import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Arguments for Node.js that run one of our files, `src/cli.ts` for example: compiled, where this run has compiled all of
 * them (`scripts/run-tests.ts`), else from source. A process that compiles itself takes a second of processor more.
 */
export function nodeArguments(file: string): string[] {
  const whole = path.resolve(root, file);
  const compiled = process.env.TEST_COMPILED;
  // A copy of the sources elsewhere, with changes of a test's, was not compiled.
  if (!compiled || !whole.startsWith(root)) return ['--import', 'tsx', whole];
  const inside = path.relative(root, whole).replace(/\.ts$/, '.js');
  return ['--enable-source-maps', path.join(root, compiled, inside)];
}

const run = promisify(execFile);

/** Our command line as a process: what it prints. An error says that, too: the report of recover, above all. */
export async function runCli(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const args = [...nodeArguments('src/cli.ts'), ...words];
  // Not by execa: mocha loads its files by require(), which execa does not bear.
  const { stdout } = await run(process.execPath, args, { cwd: root, env }).catch((error) => {
    error.message += error.stdout;
    throw error;
  });
  return stdout;
}
