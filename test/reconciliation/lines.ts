import assert from 'node:assert/strict';
import type { Succeeded } from '../../src/domain/channel.ts';
import type { AccountInUse } from '../../src/reconciliation/explain.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { answered } from '../support/handed-over.ts';
import { KNOWN_AS } from '../support/item-names.ts';
import { createMerchant } from '../support/merchant.ts';
import { importMoves, type Move, walletAccount } from '../support/statements-of-accounts.ts';

/** A database for every test of a `describe`, which ends with books that add up, and what came of a statement's lines. */
export function useLines() {
  const test = useTestDatabase({ each: true });
  const wallet = walletAccount();
  beforeEach(() => createMerchant(test.database));
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const database = () => asRole(test.database, 'api');
  return {
    test,
    wallet,
    database,
    answer: (id: string, result: Succeeded) => answered(test.database, id, result),
    classes: async (moves: Move[], of: AccountInUse = wallet) =>
      (await importMoves(database(), of, moves)).outcome.classes,
    /** Each explained line: its receipt, the pass, and how many movements it is. */
    async explained() {
      const rows = await test.sql`SELECT l.receipt, min(m.pass) AS pass, count(*)::int AS count
          FROM line_matches m JOIN statement_lines l ON l.id = m.line_id GROUP BY l.id ORDER BY l.id`;
      return rows.map(({ receipt, pass, count }) => [receipt, pass, count]);
    },
    /** A name that we made for a line is `line:` alone. */
    async items() {
      const { rows } = await test.database.query(
        `SELECT regexp_replace(receipt, '^line:.*', 'line:') AS receipt, ${KNOWN_AS}, amount, is_open FROM suspense_items ORDER BY 1, amount`,
      );
      return rows.map(({ receipt, known_as, amount, is_open }) => [receipt, known_as, amount / 100, is_open]);
    },
  };
}

/** How many lines came to what: `charge 1, receipt 2`. */
export const textOf = (classes: Record<string, number>) =>
  Object.entries(classes)
    .map(([name, count]) => `${name} ${count}`)
    .sort()
    .join(', ');
