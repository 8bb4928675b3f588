import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Prints the lines of TypeScript and of its comments, by folder, now and in the commit before: `count-lines.ts [commit]`. A line
 * of a comment begins with one. What is generated is not counted.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['src', 'sandbox', 'test'];
const before = process.argv[2] ?? 'HEAD^';

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
const filesIn = (list: string, folder: string) =>
  list
    .split('\n')
    .filter(
      (file) => file.startsWith(`${folder}/`) && file.endsWith('.ts') && !/db\/statements(\/|\.d)/.test(file),
    );

type Count = { lines: number; comments: number };

function countOf(texts: readonly string[]): Count {
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1));
  return { lines: lines.length, comments: lines.filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line)).length };
}

/** All texts of a commit in one call: one for each file would take a minute. */
function textsAt(commit: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const input = files.map((file) => `${commit}:${file}\n`).join('');
  const output = execFileSync('git', ['cat-file', '--batch'], { cwd: root, input, maxBuffer: 1e9 });
  const texts: string[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const size = Number(output.subarray(at, end).toString().split(' ')[2]);
    texts.push(output.subarray(end + 1, end + 1 + size).toString('utf8'));
    at = end + 1 + size + 1;
  }
  return texts;
}

function listAt(commit: string): string | null {
  try {
    return git('ls-tree', '-r', '--name-only', commit);
  } catch {
    return null; // a clone of one commit has none before it
  }
}

const now = git('ls-files');
const then = listAt(before);
for (const folder of FOLDERS) {
  const current = countOf(filesIn(now, folder).map((file) => readFileSync(`${root}${file}`, 'utf8')));
  const earlier = then === null ? null : countOf(textsAt(before, filesIn(then, folder)));
  const change = (name: keyof Count) =>
    earlier === null ? '' : ` (${current[name] >= earlier[name] ? '+' : ''}${current[name] - earlier[name]})`;
  console.log(
    `${folder}/: ${current.lines} lines${change('lines')}, ${current.comments} of comments${change('comments')}`,
  );
}
