import assert from 'node:assert/strict';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { asRole, createTestDatabase } from '../support/database.ts';
import { Network } from '../support/network.ts';
import type { Database } from '../support/queryable.ts';
import { generatorOf } from '../support/random.ts';
import { Walk } from './walker.ts';

export const STEPS = 45;

/** Minor units that they have for us by our books. */
async function oursOf(database: Database) {
  const { rows } = await database.query(
    `SELECT coalesce(-sum(e.amount) FILTER (WHERE a.channel = 'm-pesa'), 0)::bigint AS "m-pesa",
       coalesce(-sum(e.amount) FILTER (WHERE a.channel IS DISTINCT FROM 'm-pesa'), 0)::bigint AS bank
     FROM entries e JOIN ledger_accounts a ON a.id = e.ledger_account_id WHERE a.kind IN ('clearing', 'settlement')`,
  );
  return rows[0];
}

/**
 * Walks on one database, `together` of them at a time, each with `atOnce` steps at once. After them everything is told and shown:
 * what networks and banks have is what moved, and each merchant has what became of its transactions.
 */
export async function walkOn(of: { seed: number; walks: number; together?: number; atOnce: number }) {
  const { seed, walks, together = 1, atOnce } = of;
  const test = await createTestDatabase({ poolMax: 8 });
  try {
    const { database } = test;
    const network = new Network();
    for (let number = 0; number < walks; number += together) {
      const nexts = Array.from({ length: together }, (_, other) =>
        generatorOf(seed + 1_000 * number + other),
      );
      const ours = await Promise.all(nexts.map((next) => Walk.begin({ database, network }, next)));
      const go = async (walk: Walk) => {
        for (let step = 0; step < STEPS; step += atOnce)
          await Promise.all(Array.from({ length: atOnce }, () => walk.step()()));
      };
      await Promise.all(ours.map(go));
      for (const walk of ours) await walk.tellAll();
      await network.showAll(asRole(database, 'api'), asRole(database, 'worker'));
      const where = `walk ${number} of seed ${seed}, ${atOnce} at once`;
      assert.deepEqual(await oursOf(database), network.moved, where);
      for (const walk of ours) assert.equal(await walk.balanceOff(), 0, `the balance in ${where}`);
      assert.deepEqual(await checkInvariants(database), [], where);
    }
  } finally {
    await test.drop();
  }
}
