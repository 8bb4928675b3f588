// tests: hard, generated
import { places, portion } from '../support/generated.ts';
import { STEPS, walkOn } from './walks.ts';

/** `WALK_STEPS=10000 WALK_SEED=…`: others, and as many as one has time for. */
const STEPS_OF_ALL = Number(process.env.WALK_STEPS ?? portion(540));
/** A third of the walks of seed 31 begins at its first, fifth or ninth. */
const SEED = Number(process.env.WALK_SEED ?? 31 + 4_000 * places.first(0));
/** More of them on one database only make its statements longer. */
const WALKS_EACH = 12;

describe(`${STEPS_OF_ALL} random steps against the books of a network and a bank (seed ${SEED})`, function () {
  this.timeout(3_600_000);
  const walks = Math.ceil(STEPS_OF_ALL / STEPS);

  it('one walk after the other', async () => {
    for (let done = 0; done < walks; done += WALKS_EACH)
      await walkOn({ seed: SEED + done, walks: Math.min(WALKS_EACH, walks - done), atOnce: 1 });
  });

  it('four walks on one database at the same time', async () => {
    for (let done = 0; done < walks / 4; done += WALKS_EACH)
      await walkOn({
        seed: SEED + 7 + done,
        walks: Math.min(WALKS_EACH, walks - done),
        together: 4,
        atOnce: 1,
      });
  });
});
