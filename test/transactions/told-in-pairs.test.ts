// tests: slow, generated, one connection
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { portionOf } from '../support/generated.ts';
import { kinds, tellPair } from './pairs.ts';
import { pairsOf, rightOf, said } from './what-is-right.ts';

const LANES = 4;

/** Told on a few databases at once: one pair after the other on each. */
describe('two words about one movement', function () {
  this.timeout(600_000);
  const lanes: TestDatabase[] = [];
  beforeEach(async () => {
    for (let lane = 0; lane < LANES; lane += 1) lanes.push(await createTestDatabase({ poolMax: 1 }));
  });
  afterEach(async () => {
    for (const lane of lanes.splice(0)) await lane.drop();
  });

  for (const kind of kinds)
    it(kind.name, async () => {
      const { pairs: all, out } = pairsOf(kind);
      const pairs = portionOf(all);
      const waiting = [...pairs.entries()];
      const wrong: string[] = [];
      const work = async (lane: TestDatabase) => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const [number, pair] = next;
          const is = await tellPair(lane, kind, { pair, prefix: `P${number}X` }).catch(String);
          const right = rightOf(kind, pair);
          const [got, wanted] = [is, right].map((one) => JSON.stringify(one));
          if (got !== wanted) wrong.push(`${said(pair)}: ${got}, and not ${wanted}`);
        }
      };
      await Promise.all(lanes.map(work));
      const list = (of: Map<string, number>) => [...of].map(([why, count]) => `${count}: ${why}`).join('; ');
      console.log(`      ${kind.name}: ${pairs.length} pairs, without ${list(out)}`);
      assert.equal(wrong.sort().join('\n'), '');
      for (const lane of lanes) assert.deepEqual(await checkInvariants(lane.database), []);
    });
});
