import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Gateway, kinds, newKey } from '../support/gateway.ts';
import { pick } from '../support/pick.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import type { Going } from './strike.ts';
import { assertToldOnce } from './told-once.ts';

/** What it asks for, where it looks it up, and how that ends well. `ending`: of the number, what the channel does. */
export type AskedFor = {
  path: string;
  lookup: 'payments' | 'payouts';
  success: string;
  body(ending: string): object;
};

/** A request with the first answer that it was given. */
type Done = { kind: AskedFor; ending: string; key: string; answer: Answer; id: string };

const EVERY_MS = 700;
/** The customer declines: nothing moves. */
const REFUSED = '039';

/** A merchant that repeats a request until it is answered, and compares everything afterwards. */
export function carefulMerchant(gateway: Gateway & { database: Database }) {
  const done: Done[] = [];

  const post = ({ kind, ending, key }: Pick<Done, 'kind' | 'ending' | 'key'>) =>
    gateway.request('POST', kind.path, { key, body: kind.body(ending) });

  /** While there is no answer or a 503, the same key again. */
  async function submit(kind: AskedFor, ending: string): Promise<Done> {
    const key = newKey();
    const answer = await until(
      async () => {
        const given = await post({ kind, ending, key });
        if (given.status === 503 && given.json.retryable) return null;
        return given;
      },
      { deadlineMs: 120_000, what: `${kind.path} ${ending} is answered`, everyMs: 250 },
    );
    assert.equal(answer.status, 200, answer.text);
    const one = { kind, ending, key, answer, id: answer.json.transaction_id };
    done.push(one);
    return one;
  }

  /** Its final status, which everything agrees with. */
  async function assertWell(one: Done): Promise<string> {
    const { lookup, success, path } = one.kind;
    const what = `${path} ${one.ending} ${one.id}`;
    const final = await gateway.outcome(lookup, one.id);
    const { rows } = await gateway.database.query(
      'SELECT reference, failure_code FROM transactions WHERE id = $1',
      [one.id],
    );
    const { movements } = await gateway.simulator(`truth?reference=${rows[0].reference}`);
    if (one.ending === REFUSED) {
      assert.deepEqual([final.status, movements.length], ['failed', 0], what);
    } else if (final.status === 'failed') {
      // Down for so long that it was never sent, or not sent again: that is safe only while nothing moved.
      assert.deepEqual([rows[0].failure_code, movements.length], ['network_unavailable', 0], what);
    } else {
      assert.deepEqual([final.status, movements.length], [success, 1], what);
    }
    await assertToldOnce(gateway, one.id, what);
    const again = await post(one);
    assert.deepEqual([again.status, again.text], [200, one.answer.text], what);
    return final.status;
  }

  return {
    submit,
    assertWell,

    /** A stream of requests of every kind with every ending. Once it is over every one of them was answered. */
    submitWhile(during: () => boolean, endings: readonly string[]): Going {
      const asked = Object.values(kinds);
      const stream = async () => {
        const submitted: Promise<unknown>[] = [];
        for (let index = 0; during(); index += 1) {
          const kind = asked[index % asked.length] ?? kinds.push;
          const one = submit(kind, endings[Math.floor(index / asked.length) % endings.length] ?? '456');
          one.catch(() => {});
          submitted.push(one);
          await pause(EVERY_MS);
        }
        await Promise.all(submitted);
      };
      return {
        what: 'payments and payouts',
        count: () => done.length,
        least: asked.length + 1,
        withinMs: 30_000,
        done: stream(),
      };
    },

    /**
     * How many of them failed because a part was down for long is the machine's affair. What is asked for afterwards has
     * to end well, each kind of it.
     */
    async assertAllWell(): Promise<void> {
      const statuses: string[] = [];
      for (const one of [...done]) statuses.push(await assertWell(one));
      assert.ok(statuses.includes('completed') && statuses.includes('paid'), statuses.join());
      for (const kind of Object.values(kinds)) {
        let endedWell = false;
        for (let tries = 0; !endedWell && tries < 5; tries += 1)
          endedWell = (await assertWell(await submit(kind, '456'))) === kind.success;
        assert.ok(endedWell, `${kind.path} does not end well afterwards`);
      }
    },

    /** One transaction for each key; those of bills and numbers are not its. */
    async assertNothingElse(): Promise<void> {
      const { rows } = await gateway.database.query(
        "SELECT id FROM transactions WHERE mode IN ('ussd', 'mobile', 'bank') AND pays IS NULL ORDER BY id",
      );
      assert.deepEqual(pick(rows, 'id'), done.map(({ id }) => id).sort());
    },
  };
}
