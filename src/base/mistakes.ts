const LENGTH_MAX = 100;

/** Returns the Levenshtein distance: letters that are missing, extra or wrong. */
export function mistakesBetween(left: string, right: string): number {
  if (left.length > LENGTH_MAX || right.length > LENGTH_MAX) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
