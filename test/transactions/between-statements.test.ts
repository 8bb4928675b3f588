// tests: hard, many connections
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { kinds, type Pair, type Telling, tellPair } from './pairs.ts';
import { generatorOf } from './random.ts';
import { pairsOf, rightOf, said } from './what-is-right.ts';

/** `BETWEEN=all`: before each statement of each pair. Else before one, for every sixteenth pair; the seed draws both. */
const IS_WHOLE = process.env.BETWEEN === 'all';
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

/** The second word is told as the first one is, whose part the other (of a released pair: the release) has. */
const exchanged =
  (telling: Telling): Telling =>
  async ({ first, second, hook }) => {
    if (!(await telling({ first: second, second: first, hook }))) await first();
    return true;
  };

/** How many statements the word takes that is told first. */
async function statementsOf(tell: (telling: Telling) => Promise<unknown>) {
  let count = 0;
  await tell(async ({ first, hook }) => {
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
      const prefix = () => {
        number += 1;
        return `B${number}X`;
      };
      const tell = async (pair: Pair, how: string, telling: Telling) => {
        const is = await tellPair(test, kind, { pair, prefix: prefix() }, telling).catch(String);
        const other = { ...pair, first: pair.second, second: pair.first };
        const orders = [
          rightOf(kind, pair),
          pair.isReleased ? rightOf(kind, pair, true) : rightOf(kind, other),
        ];
        const right = orders.map((one) => JSON.stringify(one));
        const got = JSON.stringify(is);
        if (!right.includes(got)) wrong.push(`${said(pair)}, ${how}: ${got}, and not ${right[0]}`);
      };
      for (const pair of pairsOf(kind).pairs)
        for (const isExchanged of pair.isReleased ? [false, true] : [false]) {
          if (!IS_WHOLE && next() > 1 / 16) continue;
          const [as, of] = isExchanged ? [exchanged, 'the second '] : [(one: Telling) => one, ''];
          const count = await statementsOf((telling) =>
            tellPair(test, kind, { pair, prefix: prefix() }, as(telling)),
          );
          const all = Array.from({ length: count }, (_, index) => index + 1);
          const drawn = IS_WHOLE ? all : all.slice(Math.floor(next() * count)).slice(0, 1);
          for (const at of drawn) {
            await tell(pair, `${of}dies before ${at}`, as(dying(at, false)));
            await tell(pair, `${of}dies after ${at}`, as(dying(at, true)));
            await tell(pair, `${of}the other before ${at}`, as(overtaken(test, at)));
          }
        }
      assert.equal(wrong.join('\n'), '');
      assert.deepEqual(await checkInvariants(test.database), []);
      console.log(`      ${kind.name}: ${number}`);
    });
});
