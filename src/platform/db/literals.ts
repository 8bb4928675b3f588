type Quoted<Words> = Words extends readonly [infer First extends string, ...infer Rest]
  ? Rest extends readonly []
    ? `'${First}'`
    : `'${First}', ${Quoted<Rest>}`
  : never;

/**
 * Writes our own words (never a caller's) for `IN (…)`: `'billpay', 'qr'`. Does not compile unless all words
 * of `All` are given.
 */
export function inSql<All extends string>() {
  return <const Words extends readonly All[]>(
    words: Words,
    ..._missing: Exclude<All, Words[number]> extends never ? [] : [Exclude<All, Words[number]>]
  ) => words.map((word) => `'${word}'`).join(', ') as Quoted<Words>;
}
