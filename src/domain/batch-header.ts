import { type BatchColumn, batchColumns, batchFiles, plainWords } from './data/batch-files.ts';

const columnOfWord = new Map<string, BatchColumn>(
  batchColumns.flatMap((name) => batchFiles.columns[name].map((word) => [plainWords(word), name] as const)),
);
const shillings = new Set(batchFiles.shillings.map(plainWords));
const totals = new Set(batchFiles.totals.map(plainWords));

export const columnsNamed = (cells: readonly string[]): (BatchColumn | undefined)[] =>
  cells.map((cell) => {
    const word = plainWords(cell);
    return columnOfWord.get(word) ?? (saysShillings(word) ? 'amount' : undefined);
  });

/** Accepts `amount (tzs)` and `kiasi tzs`, but no amount in dollars. */
function saysShillings(word: string): boolean {
  const spaced = word.replace(/ ?\(/, ' (');
  const end = spaced.lastIndexOf(' ');
  const unit = spaced.slice(end + 1).replace(/^\(([a-z]+)\)$/, '$1');
  return shillings.has(unit) && columnOfWord.get(spaced.slice(0, Math.max(end, 0))) === 'amount';
}

export const countNamed = (cells: readonly string[]) => new Set(columnsNamed(cells).filter(Boolean)).size;

/** Column in which we say what is wrong with a row. */
export const PROBLEM = 'Problem';
export const saysProblem = (cell: string) => plainWords(cell) === plainWords(PROBLEM);

export const saysTotal = (cell: string) => totals.has(plainWords(cell));
