/**
 * Runs other people's clients, unmodified: of the networks' protocols against the simulator, and the Python client that
 * a generator makes of openapi.json against the service. One program for each folder of test/clients. They are installed
 * by exact version into throw-away folders. Fails when one of them fails.
 *
 *   node --import tsx scripts/test-clients.ts            all of them
 *   node --import tsx scripts/test-clients.ts selcom …   these only
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../test/clients/', import.meta.url));
const all = readdirSync(folder)
  .filter((name) => !name.endsWith('.ts'))
  .sort();
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0 || wanted.length === 0) {
  console.error(`There are clients of ${all.join(', ')}; not of ${unknown.join(', ')}.`);
  process.exit(1);
}

const failed = wanted.filter((name) => {
  console.log(`== clients of ${name}`);
  const args = ['--import', 'tsx', `${folder}${name}/run.ts`];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0;
});
console.log(`${wanted.length - failed.length} of ${wanted.length} work with other people's clients`);
if (failed.length > 0) {
  console.error(`These do not: ${failed.join(', ')}`);
  process.exit(1);
}
