/** These members of each row: of one its values alone, of several a list for each row. */
export function pick<R extends readonly object[]>(rows: R, ...names: (keyof R[number])[]): unknown[] {
  const values = (rows as readonly R[number][]).map((row) => names.map((name) => row[name]));
  return names.length === 1 ? values.flat() : values;
}
