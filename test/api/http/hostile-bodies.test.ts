// tests: slow, generated
import assert from 'node:assert/strict';
import { portion } from '../../support/generated.ts';
import { runHostileBodies } from '../support/hostile-run.ts';
import { useTestApi } from '../support/use-api.ts';

/** The whole corpus of 50,000 is `npm run fuzz:bodies`. */
const COUNT = Number(process.env.HOSTILE_BODIES) || 300 + portion(1_700);
const SEED = Number(process.env.HOSTILE_SEED) || 20_261_120;

describe('hostile bodies', function () {
  this.timeout(60_000 + COUNT * 60);
  const { api } = useTestApi({ balance: 1_000_000_000 });

  it(`${COUNT} of them are all answered, none with 5xx, none slowly`, async () => {
    const { statuses, ...times } = await runHostileBodies(api, { count: COUNT, seed: SEED });
    if (process.env.HOSTILE_BODIES) console.log(statuses, times);
    for (const status of [200, 400, 413, 415, 422])
      assert.ok((statuses[status] ?? 0) > 0, `some are ${status}: ${JSON.stringify(statuses)}`);
  });
});
