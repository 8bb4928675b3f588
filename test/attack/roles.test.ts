// tests: hard
import assert from 'node:assert/strict';
import pg from 'pg';
import { type ProcessRole, processRoleNames } from '../../src/platform/db/grants.ts';
import { forbidden, forbiddenTo } from '../platform/db/forbidden.ts';
import { openVictim, urlOf, useTarget, type Victim } from './target.ts';

/** As whoever has the password of a process, on the database that it uses. */
describe('attack: the roles of Postgres', function () {
  this.timeout(60_000);
  const target = useTarget();
  let victim: Victim;
  before(async () => {
    victim = await openVictim(target);
  });

  async function as<T>(role: ProcessRole, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: urlOf(target, role) });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  for (const role of processRoleNames)
    it(`${role} is refused each of ${forbidden.length + forbiddenTo[role].length} statements`, () =>
      as(role, async (client) => {
        for (const statement of [...forbidden, ...forbiddenTo[role]])
          await assert.rejects(client.query(statement), { code: '42501' }, statement);
      }));

  const idOf = `(SELECT id FROM ledger_accounts WHERE account_id = $1 AND kind = 'available')`;
  for (const role of ['api', 'worker'] as const) {
    describe(`${role} mints nothing`, () => {
      const attempts: Record<string, string> = {
        'by an entry without its other side': `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('collection', 'mint ' || random()) RETURNING id)
           INSERT INTO entries (transfer_id, ledger_account_id, amount) SELECT id, ${idOf}, 100000 FROM t`,
        'by a line and a balance of its own': `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('collection', 'mint ' || random()) RETURNING id)
           INSERT INTO entries (transfer_id, ledger_account_id, amount, line, balance) SELECT id, ${idOf}, 1, 9, 999999999 FROM t`,
        'by a later entry of an old transfer': `INSERT INTO entries (transfer_id, ledger_account_id, amount)
           SELECT transfer_id, ledger_account_id, amount FROM entries WHERE ledger_account_id = ${idOf} LIMIT 1`,
        'by a balance of its own': `UPDATE ledger_accounts SET balance = balance + 100000 WHERE id = ${idOf}`,
        'by a negative balance elsewhere': `WITH t AS (INSERT INTO transfers (kind, dedupe_key) VALUES ('collection', 'mint ' || random()) RETURNING id)
           INSERT INTO entries (transfer_id, ledger_account_id, amount) SELECT t.id, e.id, e.amount FROM t,
           (VALUES (${idOf}, 100000000000), ((SELECT id FROM ledger_accounts WHERE account_id = $1 AND kind = 'held'), -100000000000)) e (id, amount)`,
      };
      for (const [how, statement] of Object.entries(attempts))
        it(how, async () => {
          const before = await victim.money();
          const refused = as(role, (client) => client.query(statement, [victim.accountId]));
          await assert.rejects(refused, pg.DatabaseError);
          assert.deepEqual(await victim.money(), before);
        });
    });
  }
});
