import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { cacheFolder } from '../sandbox/local/tools/cache.ts';
import { startGateway } from '../test/support/gateway.ts';

/**
 * Lets Schemathesis try every operation of the OpenAPI document on a gateway of its own: all phases, all checks.
 * `--examples` per operation (20), `--minutes` at most for the whole run (10), `--seed`, `--phases`, `--only` operations
 * whose id fits a pattern. Without Python it says so and ends well: then nothing was tried.
 */
const VERSION = '4.32.5';
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
    only: { type: 'string', default: '.' },
  },
});

const schemathesis = install();
if (schemathesis !== null) process.exitCode = await run(schemathesis);

/** The program in a folder of its own in the cache; null, with a loud line, where it cannot be had. */
function install(): string | null {
  const folder = path.join(cacheFolder(), `schemathesis-${VERSION}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  if (existsSync(path.join(folder, 'complete'))) return program;
  try {
    const version = execFileSync('python3', ['-c', 'import sys; print(sys.version_info[:2] >= (3, 10))']);
    if (String(version).trim() !== 'True') throw new Error('Python 3.10 or newer is needed');
    execFileSync('python3', ['-m', 'venv', '--clear', folder]);
    const pip = path.join(folder, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]);
    writeFileSync(path.join(folder, 'complete'), '');
    return program;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    console.error(
      `\n  NOT TRIED: the API with Schemathesis, because it cannot be installed here (${reason})\n`,
    );
    return null;
  }
}

async function run(program: string): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-fuzz-'));
  const gateway = await startGateway();
  try {
    const { api_url, api_key } = gateway.local;
    const args = [
      '--config-file',
      here('schemathesis.toml'),
      '--no-color',
      'run',
      `${api_url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${api_key}`,
      '--phases',
      values.phases,
      '--checks',
      'all',
      '--max-examples',
      values.examples,
      '--seed',
      values.seed,
      '--continue-on-failure',
      '--generation-database',
      'none',
      '--request-timeout',
      '15',
      // One worker: before Python 3.13 two threads that parse Python at once break each other (gh-106905), and
      // Hypothesis parses what it filters with.
      '--workers',
      '1',
      '--include-operation-id-regex',
      values.only,
    ];
    const { exitCode, timedOut } = await execa(program, args, {
      cwd: folder,
      env: { SCHEMATHESIS_HOOKS: here('schemathesis_checks.py'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: Number(values.minutes) * 60_000,
      reject: false,
    });
    if (timedOut) console.error(`Schemathesis did not end within ${values.minutes} minutes`);
    return exitCode ?? 1;
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
