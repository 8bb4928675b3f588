/** These members of each row: of one its values alone, of several a list for each row. */
export function pick<T, K extends keyof T>(rows: readonly T[], ...names: K[]): unknown[] {
  const [only] = names;
  return rows.map((row) => (names.length === 1 ? row[only as K] : names.map((name) => row[name])));
}
