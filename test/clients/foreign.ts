import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How the programs of these folders run other people's clients, which they install into a folder of their own. */
const INSTALL_MS_MAX = 300_000;
const CALLS_MS_MAX = 60_000;
const execute = promisify(execFile);
let failures = 0;

export const folder = mkdtempSync(join(tmpdir(), 'malipo-clients-'));

export const install = (program: string, args: string[]) =>
  execute(program, args, { timeout: INSTALL_MS_MAX });

/** A Python of its own with these packages. */
export async function python(...packages: [string, ...string[]]): Promise<string> {
  console.log(`Installing ${packages.join(', ')}`);
  const place = join(folder, packages[0]);
  await install('python3', ['-m', 'venv', place]);
  const bin = join(place, 'bin', 'python');
  await install(bin, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages]);
  return bin;
}

/** What a script was answered: it writes a line of JSON for each of its calls. */
// biome-ignore lint/suspicious/noExplicitAny: answers of other programs, in many shapes
export async function calls(program: string, args: string[]): Promise<any[]> {
  const { stdout } = await execute(program, args, { timeout: CALLS_MS_MAX });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function check(name: string, holds: boolean, seen: unknown): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}${holds ? '' : `: ${JSON.stringify(seen)}`}`);
  if (!holds) failures += 1;
}

/** The same with assertions, which say themselves what is wrong. */
export function checkThat(call: string, answer: unknown, asserts: () => void): void {
  try {
    asserts();
    check(call, true, answer);
  } catch (error) {
    check(`${call}: ${(error as Error).message}`, false, answer);
  }
}

/** Leaves nothing behind, and says how it went. */
export function end(): never {
  rmSync(folder, { recursive: true, force: true });
  console.log(failures === 0 ? 'all calls are as they should be' : `${failures} failures`);
  process.exit(failures === 0 ? 0 : 1);
}
