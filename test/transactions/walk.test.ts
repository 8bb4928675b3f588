// tests: slow
import { walkOn } from './walks.ts';

const WALKS = Number(process.env.WALKS ?? 4);
/** Another seed is another set of walks: `WALK_SEED=… npx mocha test/transactions/walk.test.ts` walks one of them again. */
const SEED = Number(process.env.WALK_SEED ?? 123_106_224);

/** More of them are in the hard tests. */
describe('a random walk of endings against the books of a network and a bank', function () {
  this.timeout(600_000);
  for (const atOnce of [1, 4])
    it(`${atOnce === 1 ? 'one step after the other' : 'several steps at once'}: books are what moved (seed ${SEED})`, () =>
      walkOn({ seed: SEED + atOnce, walks: WALKS, atOnce }));
});
