// tests: hard, many connections
import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { type Books, type Kind, kinds, type Pair, type Telling, tellPair } from './pairs.ts';
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

/** Each statement of the word that is told first is counted. */
const counting =
  (count: () => void): Telling =>
  async ({ first, hook }) => {
    hook((database) => beforeStatements(database, async () => count()));
    await first();
    hook(null);
    return false;
  };

/** `isVoided`: the first word's statement is made void, and its item not released. `isExchanged`: that is what comes last. */
type Case = { pair: Pair; isVoided: boolean; isExchanged: boolean };

function casesOf(pair: Pair): Case[] {
  const is = (isVoided: boolean, isExchanged: boolean) => ({ pair, isVoided, isExchanged });
  if (!pair.isReleased) return [is(false, false)];
  const released = [is(false, false), is(false, true)];
  // What is told beside a line of another amount is about that line, whose item then stays (void.ts).
  return pair.first.amount === pair.second.amount ? [...released, is(true, false), is(true, true)] : released;
}

/** Right in either order. */
function rightsOf(kind: Kind, { pair, isVoided }: Case): Books[] {
  const { first, second, isReleased } = pair;
  if (!isReleased) return [rightOf(kind, pair), rightOf(kind, { ...pair, first: second, second: first })];
  if (!isVoided) return [rightOf(kind, pair), rightOf(kind, pair, true)];
  const alone = rightOf(kind, { first: second, second, isReleased: false });
  // People are refused while the line is there.
  const none = { theirs: 0, suspense: 0, status: kind.status && 'pending' };
  return second.by === 'people' ? [alone, none] : [alone];
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
      const tell = async (one: Case, how: string, telling: Telling) => {
        const told = one.isExchanged ? exchanged(telling) : telling;
        const is = await tellPair(test, kind, { ...one, prefix: prefix() }, told).catch(String);
        const right = rightsOf(kind, one).map((books) => JSON.stringify(books));
        const got = JSON.stringify(is);
        const what = `${said(one.pair)}${one.isVoided ? ', void' : ''}${one.isExchanged ? ', exchanged' : ''}`;
        if (!right.includes(got)) wrong.push(`${what}, ${how}: ${got}, and not ${right[0]}`);
      };
      for (const one of pairsOf(kind).pairs.flatMap(casesOf)) {
        if (!IS_WHOLE && next() > 1 / 16) continue;
        let count = 0;
        await tell(
          one,
          'in order',
          counting(() => {
            count += 1;
          }),
        );
        const all = Array.from({ length: count }, (_, index) => index + 1);
        for (const at of IS_WHOLE ? all : all.slice(Math.floor(next() * count)).slice(0, 1)) {
          await tell(one, `dies before ${at}`, dying(at, false));
          await tell(one, `dies after ${at}`, dying(at, true));
          await tell(one, `the other before ${at}`, overtaken(test, at));
        }
      }
      assert.equal(wrong.join('\n'), '');
      assert.deepEqual(await checkInvariants(test.database), []);
      console.log(`      ${kind.name}: ${number}`);
    });
});
