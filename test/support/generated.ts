const DAY_MS = 24 * 60 * 60_000;

/**
 * Of the generated cases one in so many runs, others each day: all of them in the long tests, a third in the hard ones, a tenth in
 * the usual ones.
 */
const { oneIn, fewer, placesApart } = {
  whole: { oneIn: 1, fewer: 1, placesApart: 1 },
  third: { oneIn: 3, fewer: 1, placesApart: 3 },
  tenth: { oneIn: 10, fewer: Number.POSITIVE_INFINITY, placesApart: 7 },
}[process.env.TEST_GENERATED ?? 'tenth'] as { oneIn: number; fewer: number; placesApart: number };
/** TEST_SEED brings the portion of another day back. */
const seed = Number(process.env.TEST_SEED) || Math.floor(Date.now() / DAY_MS);

if (oneIn > 1)
  console.log(
    `      one in ${oneIn} of the generated cases: TEST_SEED=${seed}; all of them: TEST_GENERATED=whole`,
  );

export function portionOf<Case>(cases: readonly Case[]): readonly Case[] {
  return cases.filter((_, index) => index % oneIn === seed % oneIn);
}

/** Of a few that cost much (languages, widths), every n-th in the usual tests, from another one each day. */
export function everyNth<Case>(n: number, cases: readonly Case[]): readonly Case[] {
  const apart = Math.min(n, fewer);
  return cases.filter((_, index) => index % apart === seed % apart);
}

/** How many there are in this run, of so many in the whole one. */
export function portion(whole: number): number {
  return Math.ceil(whole / oneIn);
}

/** Places where something may break, one after another: each of them, or each so many, from another one each day. */
export const places = { first: (from: number) => from + (seed % placesApart), step: placesApart };
