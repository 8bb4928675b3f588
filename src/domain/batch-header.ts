import { type BatchColumn, batchColumns, batchFiles, plainWords } from './data/batch-files.ts';

const columnOfWord = new Map<string, BatchColumn>(
  batchColumns.flatMap((name) => batchFiles.columns[name].map((word) => [plainWords(word), name] as const)),
);
const shillings = batchFiles.shillings.map(plainWords).join('|');
const IN_SHILLINGS = new RegExp(`(?: \\((?:${shillings})\\)| (?:${shillings}))$`);
const totals = new Set(batchFiles.totals.map(plainWords));

/** What the columns of a row are to a batch, if it is its header; undefined: the merchant's own. */
export function columnsNamed(cells: readonly string[]): (BatchColumn | undefined)[] {
  return cells.map((cell) => {
    const word = plainWords(cell);
    return (
      columnOfWord.get(word) ??
      (columnOfWord.get(word.replace(IN_SHILLINGS, '')) === 'amount' ? 'amount' : undefined)
    );
  });
}

/** How many meanings these cells name. */
export const countNamed = (cells: readonly string[]) => new Set(columnsNamed(cells).filter(Boolean)).size;

/** Whether a cell says that its row adds up those above it. */
export const saysTotal = (cell: string) => totals.has(plainWords(cell));
