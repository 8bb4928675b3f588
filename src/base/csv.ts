/** A row of RFC 4180. */
export function rowOf(cells: string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets take these for the start of a formula; some take the full-width forms, too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Restores a cell that we gave out. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Others' text must not compute anything in a reader's spreadsheet: an apostrophe makes it text. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
