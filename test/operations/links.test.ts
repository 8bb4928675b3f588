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
});
