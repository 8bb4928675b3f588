import assert from 'node:assert/strict';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantHealthy } from './support.ts';

describe('the ledger’s tables', () => {
  const test = useTestDatabase();
  before(() => plantHealthy(test.database));

  it('can be added to, but not changed, shortened or emptied', async () => {
    await test.sql`INSERT INTO bill_receipts (space, receipt, channel, control_number, amount, currency, connection, outcome, reason, mac)
       VALUES ('test', 'DECIDED', 'm-pesa', '770000000000', 1, 'TZS', 'test', 'refused', 'unknown_reference', '')`;
    for (const statement of [
      'UPDATE entries SET amount = amount',
      'DELETE FROM entries',
      'TRUNCATE entries CASCADE',
      "UPDATE transfers SET note = 'x'",
      'DELETE FROM transfers',
      'TRUNCATE transfers CASCADE',
      "UPDATE hold_resolutions SET resolution = 'released'",
      'DELETE FROM hold_resolutions',
      'TRUNCATE holds CASCADE',
      'UPDATE bill_receipts SET amount = 1',
      "UPDATE bill_receipts SET outcome = 'accepted'",
      "UPDATE bill_receipts SET outcome = 'refused'",
      'DELETE FROM bill_receipts',
      'TRUNCATE bill_receipts CASCADE',
      'DELETE FROM idempotency_keys',
      'TRUNCATE idempotency_keys',
      "UPDATE audit_log SET actor = 'nobody'",
      'TRUNCATE audit_log',
    ]) {
      await assert.rejects(test.database.query(statement), /append-only/, statement);
    }
  });

  it('open a ledger account empty, and never change it but by entries', async () => {
    for (const statement of [
      `INSERT INTO ledger_accounts (kind, account_id, currency, balance, lines)
       SELECT 'available', account_id, 'USD', 5, 0 FROM ledger_accounts WHERE kind = 'available'`,
      'UPDATE ledger_accounts SET balance = balance + 1 WHERE balance IS NOT NULL',
      'UPDATE ledger_accounts SET lines = lines + 1',
      'UPDATE ledger_accounts SET account_id = account_id',
      `UPDATE ledger_accounts SET currency = 'USD'`,
    ]) {
      await assert.rejects(
        test.database.query(statement),
        /opened empty|only through its entries/,
        statement,
      );
    }
    await assert.rejects(test.sql`DELETE FROM ledger_accounts`, /append-only/);
    await assert.rejects(test.sql`TRUNCATE ledger_accounts CASCADE`, /append-only/);
  });

  it('let no balance be negative, whoever writes it', async () => {
    await assert.rejects(
      inTransaction(test.database, async (db) => {
        await db.query('ALTER TABLE ledger_accounts DISABLE TRIGGER ledger_accounts_earned');
        await db.query("UPDATE ledger_accounts SET balance = -1 WHERE kind = 'available'");
      }),
      /merchant_balance_not_negative/,
    );
  });

  it('number an entry themselves, whatever was sent, and keep every one that moved a balance', async () => {
    const lines = async () =>
      await test.sql`SELECT line, balance FROM entries WHERE line IS NOT NULL AND amount = 7
        ORDER BY id DESC`;
    const forged = (dedupeKey: string) => `WITH t AS (
        INSERT INTO transfers (kind, dedupe_key) VALUES ('top_up', '${dedupeKey}') RETURNING id),
      m AS (INSERT INTO movements (id, ledger_account_id, space, kind, amount, currency, told_by)
        SELECT t.id, a.id, 'test', 'itself', 7, 'TZS', 'people' FROM t, ledger_accounts a WHERE a.kind = 'settlement' RETURNING id)
      INSERT INTO entries (id, transfer_id, ledger_account_id, amount, line, balance, at, movement_id)
      SELECT (SELECT min(id) FROM entries), t.id, a.id, x.amount, 1, 999, 'epoch', CASE x.kind WHEN 'settlement' THEN m.id END
      FROM t, m, (VALUES ('available', 7), ('settlement', -7)) AS x (kind, amount) JOIN ledger_accounts a ON a.kind = x.kind
      ON CONFLICT DO NOTHING`;
    const before = await balances();
    await test.database.query(forged('forged-1'));
    await test.database.query(forged('forged-2'));
    assert.equal(await balances(), before + 14);
    assert.deepEqual(await lines(), [
      { line: 13, balance: before + 14 },
      { line: 12, balance: before + 7 },
    ]);
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  async function balances(): Promise<number> {
    const rows = await test.sql`SELECT balance FROM ledger_accounts WHERE kind = 'available'`;
    return rows[0].balance;
  }

  it('take no entries for a transfer that was posted before, though they balance', async () => {
    const more = `INSERT INTO entries (transfer_id, ledger_account_id, amount)
      SELECT (SELECT min(id::text)::uuid FROM transfers), id, CASE kind WHEN 'fees' THEN 5 ELSE -5 END
      FROM ledger_accounts WHERE code IN ('fees::TZS', 'gains::TZS')`;
    await assert.rejects(test.database.query(more), /unbalanced transfer/);
  });
});
