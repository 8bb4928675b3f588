import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Says loudly that a tool is not there, so that nobody takes silence for a passed test. */
export function notTested(what: string, why: string): void {
  console.log(`      NOT TESTED: ${what}, because ${why}`);
}

/** Whether a program can be started on this machine. */
export function hasProgram(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** What a program prints; throws when it fails. */
export function output(program: string, args: string[], input: string | Buffer = ''): string {
  return execFileSync(program, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] }).trimEnd();
}

const PACKAGE = 'standardwebhooks==1.0.1';

/**
 * The folder with the Python package `standardwebhooks` (MIT), for PYTHONPATH: fetched once by pip into the cache
 * folder. Null, with the reason printed, where there is no Python, no pip or no network.
 */
export function pythonStandardWebhooks(): string | null {
  const cache =
    process.env.MALIPO_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'malipo');
  const target = join(cache, 'python', PACKAGE);
  if (existsSync(target)) return target;
  mkdirSync(join(cache, 'python'), { recursive: true });
  const folder = mkdtempSync(join(cache, 'python', 'fetching-'));
  try {
    // It needs nothing but Python's own library to sign and verify, so its dependencies stay where they are.
    const args = ['--quiet', '--disable-pip-version-check', '--no-deps', '--target', folder, PACKAGE];
    execFileSync('python3', ['-m', 'pip', 'install', ...args], { stdio: 'pipe' });
    renameSync(folder, target);
    return target;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const [why = ''] = String((error as { stderr?: Buffer }).stderr || error).split('\n');
    notTested(`Python’s ${PACKAGE}`, `pip could not fetch it: ${why}`);
    return null;
  }
}
