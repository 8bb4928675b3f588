import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { Network } from '../support/network.ts';
import { generatorOf } from '../support/random.ts';
import { Walk } from './walker.ts';

const WALKS = Number(process.env.WALKS ?? 12);
const STEPS = 45;
/** Another seed is another set of walks: `WALK_SEED=… npx mocha test/transactions/walk.test.ts` walks one of them again. */
const SEED = Number(process.env.WALK_SEED ?? randomInt(2 ** 31));

describe('a random walk of endings against the books of a network and a bank', function () {
  this.timeout(600_000);
  const test = useTestDatabase({ each: true, poolMax: 8 });

  async function ours() {
    const { rows } = await test.database.query(
      `SELECT coalesce(-sum(e.amount) FILTER (WHERE a.channel = 'm-pesa'), 0)::bigint AS "m-pesa",
         coalesce(-sum(e.amount) FILTER (WHERE a.channel IS DISTINCT FROM 'm-pesa'), 0)::bigint AS bank
       FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE a.kind IN ('clearing', 'settlement')`,
    );
    return rows[0];
  }

  for (const atOnce of [1, 4])
    it(`${atOnce === 1 ? 'one step after the other' : 'several steps at once'}: books are what moved (seed ${SEED})`, async () => {
      const network = new Network();
      for (let number = 0; number < WALKS; number += 1) {
        const next = generatorOf(SEED + atOnce + 1_000 * number);
        const walk = await Walk.begin({ database: test.database, network }, next);
        for (let step = 0; step < STEPS; step += atOnce)
          await Promise.all(Array.from({ length: atOnce }, () => walk.step()()));
        await walk.tellAll();
        await network.showAll(asRole(test.database, 'api'), asRole(test.database, 'worker'));
        assert.deepEqual(await ours(), network.moved, `walk ${number}`);
        assert.equal(await walk.balanceOff(), 0, `balance in walk ${number}`);
        assert.deepEqual(await checkInvariants(test.database), [], `walk ${number}`);
      }
    });
});
