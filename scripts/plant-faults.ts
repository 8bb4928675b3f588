import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Fault, nameOf, planted } from './faults/plant.ts';
import { faults } from './faults/table.ts';

/**
 * `npm run faults`: plants one fault of the table after the other in a copy of this checkout and runs the tests that it
 * names, which pass without it (`npm test`). A fault that no test notices fails the run. Words after `--` choose the
 * faults whose names have all of them. FAULT_JOBS: how many are tried at once.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const COPIED = [
  'src',
  'sandbox',
  'test',
  'data',
  'migrations',
  'scripts',
  'clients',
  'docs',
  'deploy',
  'bench',
];
/** A test that hangs has noticed the fault, too. */
const LIMIT_MS = 10 * 60_000;

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  const chosen = faults.filter((fault) => words.every((word) => nameOf(fault).includes(word)));
  if (chosen.length === 0) throw new Error(`No fault is called ${words.join(' ')}.`);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-faults-'));
  const waiting = [...chosen];
  const lived: Fault[] = [];
  const lane = async (_: unknown, number: number) => {
    const copy = await copyOfCheckout(path.join(folder, String(number)));
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const startedAt = performance.now();
      const isNoticed = await isFaultNoticed(copy, fault);
      if (!isNoticed) lived.push(fault);
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      console.log(`${isNoticed ? 'died ' : 'LIVED'} ${seconds} s  ${nameOf(fault)}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Number(process.env.FAULT_JOBS) || 2 }, lane));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const fault of lived) console.log(`FAILED no test notices: ${nameOf(fault)}`);
  console.log(`${chosen.length - lived.length} passed, ${lived.length} failed`);
  return lived.length === 0 ? 0 : 1;
}

async function isFaultNoticed(copy: string, fault: Fault): Promise<boolean> {
  const file = path.join(copy, fault.file);
  const source = await readFile(file, 'utf8');
  await writeFile(file, planted(source, fault));
  try {
    const { code, output } = await mocha(copy, fault.tests);
    // A file that cannot be loaded runs no test: nothing was noticed.
    return code !== 0 && /^\s+\d+ (failing|passing)/m.test(output);
  } finally {
    await writeFile(file, source);
  }
}

async function mocha(
  cwd: string,
  files: readonly string[],
): Promise<{ code: number | undefined; output: string }> {
  const program = path.join(cwd, 'node_modules/mocha/bin/mocha.js');
  const args = [program, '--bail', ...files];
  const limits = { timeout: LIMIT_MS, stdin: 'ignore', all: true, reject: false } as const;
  const { exitCode, all } = await execa(process.execPath, args, { cwd, ...limits });
  return { code: exitCode, output: all };
}

/** Its packages are links, one by one and without npm's list: so each start bundles, and no bundle is kept. */
async function copyOfCheckout(copy: string): Promise<string> {
  await mkdir(path.join(copy, 'node_modules'), { recursive: true });
  for (const name of COPIED) await cp(path.join(root, name), path.join(copy, name), { recursive: true });
  for (const entry of await readdir(root, { withFileTypes: true }))
    if (entry.isFile()) await cp(path.join(root, entry.name), path.join(copy, entry.name));
  for (const name of await readdir(path.join(root, 'node_modules')))
    if (name === '.bin' || !name.startsWith('.'))
      await symlink(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
  return copy;
}
