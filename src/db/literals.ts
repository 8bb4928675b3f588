/** Words of ours (never what a caller sent) as a list for `IN (…)`: `'billpay', 'qr'`. */
export function inSql(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
