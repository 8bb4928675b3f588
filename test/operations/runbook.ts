import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../docs/operations');

export const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));

/** The blocks of commands of a page, in its order: each line of `malipo …`, as words. */
export function blocksOf(page: string): string[][][] {
  const text = readFileSync(path.join(folder, page), 'utf8');
  return [...text.matchAll(/^```bash\n(.*?)^```/gms)]
    .map(([, block = '']) => block.split('\n').map(wordsOf))
    .map((lines) => lines.filter(([program]) => program === 'malipo').map(([, ...words]) => words))
    .filter((commands) => commands.length > 0);
}

/** Words as a shell reads them, without comments and where the output goes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|#.*|> \S+|[^\s"#]+/g)]
    .filter(([word]) => !/^[#>]/.test(word))
    .map(([word, quoted]) => quoted ?? word);
}

/** What a person puts where the page has `<name>`. */
export function fill(words: readonly string[], known: Record<string, string>): string[] {
  return words.map((word) => {
    const name = /^<([\w-]+)>$/.exec(word)?.[1];
    if (name === undefined) return word;
    const value = known[name];
    if (value === undefined) throw new Error(`nothing is known to put for ${word}`);
    return value;
  });
}
