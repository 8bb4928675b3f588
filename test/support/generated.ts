const DAY_MS = 24 * 60 * 60_000;

/** Generated cases run whole in the hard tests; in the usual ones a tenth of them does, another one each day. */
const areWhole = process.env.TEST_GENERATED === 'whole';
/** TEST_SEED brings the tenth of another day back. */
const seed = Number(process.env.TEST_SEED) || Math.floor(Date.now() / DAY_MS);

if (!areWhole)
  console.log(`      a tenth of the generated cases: TEST_SEED=${seed}; all of them: TEST_GENERATED=whole`);

export function portionOf<Case>(cases: readonly Case[]): readonly Case[] {
  return everyNth(10, cases);
}

/** Of a few that cost much (languages, widths), every n-th, from another one each day. */
export function everyNth<Case>(n: number, cases: readonly Case[]): readonly Case[] {
  return areWhole ? cases : cases.filter((_, index) => index % n === seed % n);
}

/** How many there are in this run, of so many in the whole one. */
export function portion(whole: number): number {
  return areWhole ? whole : Math.ceil(whole / 10);
}

/** Places where something may break, one after another: each of them, or each third, from another one each day. */
export const places = {
  first: (from: number) => (areWhole ? from : from + (seed % 3)),
  step: areWhole ? 1 : 3,
};
