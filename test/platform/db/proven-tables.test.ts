import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { provenTables } from '../../../src/app/proven-tables.ts';
import { columnsOf, type Proven } from '../../../src/platform/db/proofs.ts';
import { useTestDatabase } from '../../support/database.ts';

/** Why a row of a table carries no proof. */
const NOTHING = 'nothing is decided by it';
const PROVEN = 'the database itself proves it';
const DELAYS = 'it only delays';
const SEALED = 'its secret is sealed, or bound by a key, and no role may delete it';

/** Every table without a proof. A text in quotation marks is what the threat model says of it instead. */
const without: Record<string, string> = {
  // The ledger is kept by its triggers, and so are the log and what its rows sum up to.
  ledger_accounts: PROVEN,
  transfers: PROVEN,
  entries: PROVEN,
  movements: PROVEN,
  movement_names: PROVEN,
  holds: PROVEN,
  hold_resolutions: PROVEN,
  ledger_checkpoints: PROVEN,
  ledger_sums: PROVEN,
  ledger_sums_head: PROVEN,
  audit_log: PROVEN,
  audit_head: PROVEN,
  // Only the owner opens it, and only the worker says that nothing was sent.
  fence: PROVEN,
  // Of the owner alone.
  schema_migrations: PROVEN,
  retention: PROVEN,
  attention: NOTHING,
  notification_bodies: NOTHING,
  callback_attempts: NOTHING,
  control_number_blocks: DELAYS,
  owed_results: DELAYS,
  abandoned_submissions: DELAYS,
  channel_results: DELAYS,
  channel_breakers: DELAYS,
  enquiries: DELAYS,
  rate_limit_buckets: DELAYS,
  failed_authentications: DELAYS,
  api_key_secrets: SEALED,
  callback_passphrases: SEALED,
  accounts: '"allow one key holder to start batches alone"',
  account_fees: '"set other fees for an account"',
  previews: '"write a preview"',
  statements: '"a statement, its lines and matches"',
  statement_lines: '"a statement, its lines and matches"',
  line_matches: '"a statement, its lines and matches"',
  receipt_spaces: '"the space of a connection\'s receipts"',
  line_dismissals: '"a statement, its lines and matches"',
  suspense_items: '"write an item of suspense"',
  numbers: '"write a bill or a number that no merchant asked for"',
  bills: '"write a bill or a number that no merchant asked for"',
  idempotency_keys: '"answer a request that has not come yet"',
  stored_answers: '"answer a request that has not come yet"',
  sends: '"mark an unclear send as not sent"',
  uses: '"set counts"',
  payout_days: '"set counters of limits"',
  payout_recipients: '"set counters of limits"',
};

describe('the proofs of rows', () => {
  const test = useTestDatabase();

  it('are on every table, but where another reason is written down', async () => {
    const rows =
      await test.sql`SELECT c.relname AS name, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'mac' AND NOT a.attisdropped) AS proven
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;
    const bare = rows.filter(({ proven }) => !proven).map(({ name }) => name);
    assert.deepEqual(bare.sort(), Object.keys(without).sort());
  });

  it('that are left out are named in the threat model', () => {
    const page = readFileSync('docs/operations/threat-model.md', 'utf8');
    for (const [table, why] of Object.entries(without))
      if (why.startsWith('"')) assert.ok(page.includes(why.slice(1, -1)), `${table}: ${why}`);
  });

  it('cover what never changes, but where no older row can be put back', async () => {
    const columns = provenTables.map(
      ([table]) => [table, [...(columnsOf(table as Proven) ?? []), 'mac']] as const,
    );
    const rows =
      await test.sql`SELECT grantee || ' ' || p.table_name AS who, array_agg(column_name::text ORDER BY column_name) AS changes
       FROM information_schema.column_privileges p JOIN jsonb_each(${Object.fromEntries(columns)}) c ON c.key = p.table_name AND c.value ? column_name
       WHERE grantee LIKE 'malipo\\_%' AND privilege_type = 'UPDATE' GROUP BY 1 ORDER BY 1`;
    assert.deepEqual(Object.fromEntries(rows.map(({ who, changes }) => [who, changes])), {
      // Each ends once (test/attack/proven-rows.test.ts).
      'malipo_api closures': ['mac', 'opened_by'],
      'malipo_api freezes': ['lifted_by', 'mac'],
      // A version only rises (test/attack/proven-rows.test.ts).
      'malipo_api operators': ['mac', 'roles', 'version'],
      // A batch only goes on (test/attack/batch-starts.test.ts).
      'malipo_worker batches': [
        'fee_version',
        'fees',
        'mac',
        'routes',
        'start_at',
        'started_at',
        'started_by',
      ],
    });
  });

  it('have no table without one whose rows a process may take away, but what only delays or counts', async () => {
    const rows = await test.sql`SELECT DISTINCT table_name AS name FROM information_schema.role_table_grants
       WHERE grantee LIKE 'malipo\\_%' AND privilege_type = 'DELETE'`;
    for (const { name } of rows)
      assert.ok([DELAYS, NOTHING, '"set counts"'].includes(without[name] ?? ''), name);
  });
});
