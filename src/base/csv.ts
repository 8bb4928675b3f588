/** Writes a row as RFC 4180 says. */
export function rowOf(cells: string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets read such a cell as a formula; some also accept the full-width signs. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** Foreign text must not run as a formula in a spreadsheet: a leading apostrophe makes it text. */
export function cellOf(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
