import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

/**
 * `npm run imports`: holds every import against .dependency-cruiser.cjs, then prints rooms and arrows. A room is a folder
 * directly below src/, all of sandbox/, or the entry files together; an arrow is an ordered pair of rooms between which
 * there is an import of any kind. A rule about a folder that has no file fails, too: it would go on passing on nothing.
 */
const ARROWS_MAX = 130;

type Cruised = {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
};
type Rule = { name: string; from: { path: string } };

const program = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
const words = [
  'src',
  'sandbox',
  'bench',
  'scripts',
  '--config',
  '.dependency-cruiser.cjs',
  '--output-type',
  'json',
];
// What is wrong is in its answer; so is how many, which it ends with.
const output = execFileSync('sh', ['-c', `"$0" "$@" || true`, process.execPath, program, ...words], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const { modules, summary }: Cruised = JSON.parse(output);
const { forbidden }: { forbidden: Rule[] } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const problems = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
for (const { name, from } of forbidden)
  if (!modules.some(({ source }) => new RegExp(from.path).test(source)))
    problems.push(`${name}: no file is at ${from.path}`);

const arrows = new Map<string, Set<string>>();
for (const { source, dependencies } of modules) {
  const room = roomOf(source);
  if (room === null) continue;
  const others = arrows.get(room) ?? new Set();
  for (const { resolved } of dependencies) {
    const other = roomOf(resolved);
    if (other !== null && other !== room) others.add(other);
  }
  arrows.set(room, others);
}
for (const [room, others] of [...arrows].sort())
  console.log(`${room} → ${[...others].sort().join(' ') || 'nothing'}`);
const count = [...arrows.values()].reduce((sum, others) => sum + others.size, 0);
console.log(`${arrows.size} rooms, ${count} arrows, ${modules.length} modules`);
if (count > ARROWS_MAX) problems.push(`${count} arrows, at most ${ARROWS_MAX} may be`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function roomOf(file: string): string | null {
  if (file.startsWith('sandbox/')) return 'sandbox';
  const [, folder, rest] = /^src\/([^/]+)(\/)?/.exec(file) ?? [];
  return folder === undefined ? null : rest ? folder : 'entry files';
}
