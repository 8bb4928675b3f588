// tests: hard, many connections
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { type Kind, kinds, type Pair, type Telling, tellPair } from './pairs.ts';
import { generatorOf } from './random.ts';
import { pairsOf, rightOf, said } from './what-is-right.ts';

/** `BETWEEN=all`: before each statement of each pair. Else before one for every eighth pair, which the seed draws. */
const EACH = process.env.BETWEEN === 'all' ? Number.POSITIVE_INFINITY : 0.125;
const SEED = Number(process.env.BETWEEN_SEED ?? new Date().toISOString().slice(0, 10).replaceAll('-', ''));

/** Dies before this statement, or once it is run, and is told again. */
const dying =
  (at: number, answerLost: boolean): Telling =>
  async ({ first, hook }) => {
    hook((database) => failingDatabase(database, { at, answerLost }).database);
    await first().catch((error: unknown) => {
      if (!(error instanceof ConnectionLost)) throw error;
    });
    hook(null);
    await first();
    return false;
  };

/** The second word is said by another process before this statement: all of it, or until it waits for the first one. */
const overtaken =
  (test: Pick<TestDatabase, 'database'>, at: number): Telling =>
  async ({ first, second, hook }) => {
    let count = 0;
    let other: Promise<unknown> | null = null;
    const overtake = async () => {
      count += 1;
      if (count !== at) return;
      hook(null);
      const said = second();
      other = said;
      await Promise.race([said, untilLockAwaited(test.database)]).catch(() => {});
    };
    hook((database) => beforeStatements(database, overtake));
    // Who is refused because of the other one says it again.
    await first().catch(first);
    hook(null);
    if (other === null) return false;
    await (other as Promise<unknown>).catch(second);
    return true;
  };

/** How many statements its first word takes. */
async function statementsOf(test: Pick<TestDatabase, 'database'>, kind: Kind, pair: Pair, prefix: string) {
  let count = 0;
  await tellPair(test, kind, { pair, prefix }, async ({ first, hook }) => {
    hook((database) =>
      beforeStatements(database, async () => {
        count += 1;
      }),
    );
    await first();
    hook(null);
    return false;
  });
  return count;
}

describe(`between two statements of whoever tells of a movement first (BETWEEN_SEED=${SEED})`, function () {
  this.timeout(3_600_000);
  const test = useTestDatabase({ each: true, poolMax: 12 });

  for (const kind of kinds)
    it(`${kind.name}: it dies there and tells again, or another tells there`, async () => {
      const next = generatorOf(SEED);
      const wrong: string[] = [];
      let number = 0;
      const tell = async (pair: Pair, how: string, telling: Telling) => {
        number += 1;
        const is = await tellPair(test, kind, { pair, prefix: `B${number}X` }, telling).catch(String);
        const other = { ...pair, first: pair.second, second: pair.first };
        const right = [pair, other].map((one) => JSON.stringify(rightOf(kind, one)));
        const got = JSON.stringify(is);
        if (!right.includes(got)) wrong.push(`${said(pair)}, ${how}: ${got}, and not ${right[0]}`);
      };
      for (const pair of pairsOf(kind).pairs.filter(({ isReleased }) => !isReleased)) {
        number += 1;
        const count = await statementsOf(test, kind, pair, `B${number}X`);
        const all = Array.from({ length: count }, (_, index) => index + 1);
        const drawn = all.filter(() => next() < EACH / count);
        for (const at of drawn) {
          await tell(pair, `dies before ${at}`, dying(at, false));
          await tell(pair, `dies after ${at}`, dying(at, true));
          await tell(pair, `the other before ${at}`, overtaken(test, at));
        }
      }
      assert.equal(wrong.join('\n'), '');
      assert.deepEqual(await checkInvariants(test.database), []);
      console.log(`      ${kind.name}: ${number}`);
    });
});
