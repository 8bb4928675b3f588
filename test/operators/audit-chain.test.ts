import assert from 'node:assert/strict';
import { createChainCheck, readAudit } from '../../src/operators/people/audit-chain.ts';
import { audit } from '../../src/platform/db/audit.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { useTestDatabase } from '../support/database.ts';

describe('the audit chain', () => {
  const test = useTestDatabase({ each: true, poolMax: 10 });
  beforeEach(async () => {
    for (let number = 1; number <= 5; number += 1) await write(`subject ${number}`);
  });

  const write = (subject: string) =>
    audit(test.database, { actor: 'test', action: 'test.write', subject, detail: { b: 1, a: 'é "quoted"' } });
  /** null, or what is wrong with the log as it is. */
  async function breach(): Promise<string | null> {
    const { lines, head } = await readAudit(test.database, { after: 0, limit: 1_000 });
    const check = createChainCheck();
    for (const line of lines) {
      const wrong = check.take(line);
      if (wrong !== null) return wrong;
    }
    return check.endsAt(head);
  }
  /** As the owner of the database, past every trigger. */
  async function tamper(sql: string): Promise<void> {
    await test.database.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
    await test.database.query(sql);
    await test.database.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
  }

  it('holds as it was written', async () => assert.equal(await breach(), null));

  it('holds when many write at the same moment, and when some of them roll back', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        inTransaction(test.database, async (db) => {
          await audit(db, { actor: 'test', action: 'a', subject: String(number), detail: {} });
          if (number % 3 === 0) throw new Error('rolled back');
        }).catch(() => {}),
      ),
    );
    assert.equal(await breach(), null);
  });

  for (const [name, sql, said] of [
    ['a changed actor', "UPDATE audit_log SET actor = 'nobody' WHERE id = 3", /line 3 is not/],
    ['a changed detail', `UPDATE audit_log SET detail = '{"a":1}' WHERE id = 2`, /line 2 is not/],
    [
      'a changed time',
      "UPDATE audit_log SET at = at - interval '1 microsecond' WHERE id = 4",
      /line 4 is not/,
    ],
    ['a changed address', "UPDATE audit_log SET address = '192.0.2.9' WHERE id = 4", /line 4 is not/],
    ['a line that was taken out', 'DELETE FROM audit_log WHERE id = 3', /after line 2 comes line 4/],
    ['a first line that was taken out', 'DELETE FROM audit_log WHERE id = 1', /after line 0 comes line 2/],
    ['last lines that were cut off', 'DELETE FROM audit_log WHERE id > 3', /ends at line 3, but 5/],
    ['all lines gone', 'DELETE FROM audit_log', /ends at line 0, but 5 lines/],
    [
      'a line that was written anew with a hash that fits it',
      `UPDATE audit_log a SET actor = 'nobody', hash = sha256((SELECT hash FROM audit_log WHERE id = 2) ||
         convert_to(audit_line(ROW(a.id, a.at, 'nobody', a.address, a.request_id, a.action, a.subject, a.detail, a.hash)::audit_log), 'UTF8'))
       WHERE id = 3`,
      /line 4 is not/,
    ],
  ] as const)
    it(`shows ${name}`, async () => {
      await tamper(sql);
      assert.match((await breach()) ?? 'nothing is wrong', said);
    });

  it('gives number, time and hash itself, whatever is inserted', async () => {
    await test.sql`INSERT INTO audit_log (id, at, actor, action, subject, hash)
      VALUES (1, '2020-01-01', 'x', 'y', 'z', '\\x00')`;
    const { lines } = await readAudit(test.database, { after: 5, limit: 10 });
    assert.equal(lines[0]?.id, 6);
    assert.ok(!lines[0]?.line.includes('2020-01-01'));
    assert.equal(await breach(), null);
  });

  it('has the same text whatever the session’s settings are', async () => {
    const read = async () =>
      (await test.database.query('SELECT audit_line(a) AS line FROM audit_log a')).rows;
    const before = await read();
    await inTransaction(test.database, async (db) => {
      await db.query("SET LOCAL TimeZone = 'Africa/Dar_es_Salaam'; SET LOCAL DateStyle = 'German'");
      assert.deepEqual((await db.query('SELECT audit_line(a) AS line FROM audit_log a')).rows, before);
    });
  });
});
