import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const inDocs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const inBench = readdirSync(path.join(root, 'bench')).map((file) => path.join('bench', file));
const inPages = inDocs.map((file) => path.join('docs', file));
const pages = [...readdirSync(root), ...inBench, ...inPages].filter((file) => file.endsWith('.md'));

/** The name of a heading in a link, as code hosts make it. */
const anchorOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-');

describe('the documentation', () => {
  for (const page of pages) {
    it(`${page} links to files and headings that there are`, () => {
      const text = readFileSync(path.join(root, page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? page : path.join(path.dirname(page), file);
        assert.ok(existsSync(path.join(root, target)), link);
        if (anchor === undefined) continue;
        const headings = readFileSync(path.join(root, target), 'utf8').matchAll(/^#+ (.*)$/gm);
        assert.ok(
          [...headings].some(([, heading = '']) => anchorOf(heading) === anchor),
          link,
        );
      }
    });
  }

  it('names files and folders that there are, also those of the tree in docs/architecture.md', () => {
    const named = pages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        pathsIn(readFileSync(path.join(root, page), 'utf8')).map((name) => ({ page, name })),
      );
    const tree = treeOf(readFileSync(path.join(root, 'docs/architecture.md'), 'utf8'));
    assert.ok(named.length > 50 && tree.length > 30, `${named.length} paths, ${tree.length} of the tree`);
    const missing = [...named, ...tree.map((name) => ({ page: 'the tree', name }))].filter(
      ({ name }) => ![...ROOTS, ''].some((folder) => existsSync(path.join(root, folder, name))),
    );
    assert.deepEqual(missing, []);
    for (const folder of FOLDERS) assert.ok(readdirSync(path.join(root, folder)).length > 0, folder);
  });
});

/** Paths are named from here, too: `api/routes.ts`. */
const ROOTS = ['src', 'src/transactions'];
const FOLDERS = 'src sandbox test docs data migrations scripts bench clients deploy'.split(' ');
/** Their files are named without saying src/. */
const ROOMS = readdirSync(path.join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What is in backquotes and is a path, no pattern, of a file of ours. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)].map(([, name = '']) => name);
  return quoted.filter((name) => {
    const [first = ''] = name.split('/');
    if (name === 'bench/runs') return false; // made by `npm run bench`, and not kept
    return FOLDERS.includes(first) || (ROOMS.includes(first) && /\.(ts|sql|json)$/.test(name));
  });
}

/** The folders and files that begin the lines of the tree, each with what it is indented under. */
function treeOf(text: string): string[] {
  const above: string[] = [];
  return (/## The tree\n\n```\n([^`]*(?:`npm start`[^`]*)?)```/.exec(text)?.[1] ?? '')
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', names = ''] = /^( *)((?:[\w-]+\/ ?)+)/.exec(line) ?? [];
      const found = names.split(' ').filter((name) => name !== '');
      const parents = above.slice(0, indent.length / 2).join('');
      if (found.length === 1) above.splice(indent.length / 2, Infinity, found[0] ?? '');
      return found.map((name) => parents + name);
    });
}
