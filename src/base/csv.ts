/** A row of RFC 4180. */
export function rowOf(cells: string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Characters that begin a formula in spreadsheets; the full-width forms do in some. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A cell that we gave out, as it was before. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Others' text must not compute anything in a reader's spreadsheet: an apostrophe makes it text. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
