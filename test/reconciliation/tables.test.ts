import assert from 'node:assert/strict';
import { minor } from '../../src/domain/money.ts';
import { closeDay, closedDays, reopenDay } from '../../src/reconciliation/closed-days.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { createMerchant } from '../support/merchant.ts';
import { sqlOf } from '../support/queryable.ts';
import { bankAccount } from '../support/statements-of-accounts.ts';

const DAY = '2026-11-20';

describe('the tables of statements', () => {
  const test = useTestDatabase();
  before(async () => {
    // Two top-ups: entries of settlement, 5.00 and 7.00 into the bank account.
    await createMerchant(test.database, { balance: 5 });
    await createMerchant(test.database, { balance: 7 });
    await test.sql`INSERT INTO operators (name, email, roles)
      VALUES ('asha', 'asha@example.com', '{finance}')`;
    for (const id of ['pr_1', 'pr_2'])
      await test.sql`INSERT INTO proposals (id, action, payload, payload_hash, reason, proposed_by, expires_at)
         VALUES (${id}, 'days.close', '{}', 'x', 'the day is proven', 'asha', now() + interval '1 day')`;
  });

  const api = () => asRole(test.database, 'api');
  let written = 0;
  /** A line of its own statement; the statement comes last, as in an import. */
  async function line(amount: number, also: { status?: string; day?: string } = {}): Promise<number> {
    written += 1;
    const day = also.day ?? DAY;
    const client = await api().connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query(
        `INSERT INTO statement_lines (statement_id, account, no, position, key, kind, status, amount, currency, at, day, names)
         VALUES ($1, 'bank', 1, $2, $3, 'funding', $4, $5, 'TZS', $6::date + time '12:00', $6, '{}') RETURNING id`,
        [`st_${written}`, written, Buffer.from(`${written}`), also.status ?? 'done', amount, day],
      );
      await client.query(
        `INSERT INTO statements (id, account, sha256, from_at, to_at, currency, is_first, outcome, data_key, raw, imported_by)
         VALUES ($1, 'bank', $2, $3::date, $3::date + 1, 'TZS', false, '{}', 'key', 'raw', 'operator:asha')`,
        [`st_${written}`, Buffer.from(`${written}`), day],
      );
      await client.query('COMMIT');
      return rows[0].id;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
  async function entryOf(amount: number): Promise<number> {
    const { rows } = await api().query(
      "SELECT entry_id FROM movement_entries WHERE amount = $1 AND book = 'settlement::TZS'",
      [amount],
    );
    return rows[0].entry_id;
  }
  const match = async (id: number, amounts: number[]) =>
    api().query(
      "INSERT INTO line_matches (entry_id, line_id, pass) SELECT entry, $2, 'receipt' FROM unnest($1::bigint[]) AS entry",
      [await Promise.all(amounts.map(entryOf)), id],
    );

  it('let an entry have one line, and a line entries whose sum is its amount', async () => {
    await assert.rejects(match(await line(600), [500]), /exactly its amount/);
    await assert.rejects(match(await line(500, { status: 'failed' }), [500]), /exactly its amount/);
    const both = await line(1_200);
    await assert.rejects(match(both, [500]), /exactly its amount/);
    await match(both, [500, 700]);
    await assert.rejects(match(await line(500), [500]), /line_matches_once/);
  });

  it('take no lines and no matches in a closed day, until it is opened again', async () => {
    const day = '2026-11-21';
    const late = await line(500, { day });
    const none = minor(0);
    const money = { opening: none, closing: none, clearing: none, unbooked: none, unseen: none };
    const figures = { lines: 1, matched: 0, booked: 0, ...money };
    const close = (proposalId: string) =>
      closeDay(api(), { account: 'bank', day, group: [bankAccount()], figures, proposalId });
    assert.equal(await close('pr_1'), true);
    assert.equal(await close('pr_1'), false);
    assert.deepEqual(await closedDays(api()), [{ account: 'bank', day }]);
    await assert.rejects(line(900, { day }), /is closed/);
    await test.sql`DROP INDEX line_matches_once`;
    await assert.rejects(match(late, [500]), /is closed/);
    assert.equal(await reopenDay(api(), { account: 'bank', day, proposalId: 'pr_2' }), true);
    assert.equal(await reopenDay(api(), { account: 'bank', day, proposalId: 'pr_2' }), false);
    await line(900, { day });
    assert.equal(await close('pr_2'), true);
  });

  it('forget bytes and people, and nothing else', async () => {
    const { database } = test;
    await database.query('UPDATE statement_lines SET sealed = NULL');
    await assert.rejects(database.query("UPDATE statement_lines SET sealed = 'other'"), /append-only/);
    await assert.rejects(database.query('UPDATE statement_lines SET amount = 1'), /append-only/);
    await assert.rejects(database.query("UPDATE statements SET raw = 'other'"), /append-only/);
    await assert.rejects(database.query('DELETE FROM line_matches'), /append-only/);
    await assert.rejects(database.query("UPDATE statement_lines SET reference = 'other'"), /append-only/);
    await database.query('UPDATE statement_lines SET is_void = true');
    await assert.rejects(database.query('UPDATE statement_lines SET is_void = false'), /append-only/);
    const drop = () => asRole(database, 'worker').query('SELECT drop_old_statement_files()');
    assert.deepEqual((await drop()).rows, [{ drop_old_statement_files: 0 }]);
    await database.query('ALTER TABLE statements DISABLE TRIGGER statements_append_only');
    await sqlOf(database)`UPDATE statements SET imported_at = now() - interval '3651 days' WHERE id = 'st_1'`;
    assert.deepEqual((await drop()).rows, [{ drop_old_statement_files: 1 }]);
  });
});
