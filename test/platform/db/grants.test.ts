// tests: slow

import assert from 'node:assert/strict';
import pg from 'pg';
import {
  applyGrants,
  functionGrants,
  type ProcessRole,
  processRoleNames,
  processRoles,
  sequenceGrants,
  tableGrants,
  viewGrants,
} from '../../../src/platform/db/grants.ts';
import { createDatabase } from '../../../src/platform/db/pool.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { accept } from '../../support/accept.ts';
import { asRole, type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../../support/merchant.ts';
import { pick } from '../../support/pick.ts';
import { type Database, sqlOf } from '../../support/queryable.ts';
import { forbidden, forbiddenTo } from './forbidden.ts';

/** `INSERT`, or `UPDATE (status)`. */
type Privilege = string;

describe('the roles of the processes', () => {
  const test = useTestDatabase();
  before(async () => {
    // A clone has its template's tables with their grants, but not the rights on the database itself.
    await inTransaction(test.database, applyGrants);
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    for (const request of [pushRequest(), mobilePayoutRequest()])
      await accept(asRole(test.database, 'worker'), submissionFor(merchant, request));
    await test.database.query(
      `INSERT INTO api_key_secrets (key_id, hash, hashed_with) VALUES ('${merchant.apiKeyId}', 'x', 'first');
       INSERT INTO callback_passphrases (key_id, ciphertext) VALUES ('${merchant.apiKeyId}', 'x')`,
    );
  });

  it('are decided for every table, and for nothing else', async () => {
    const rows = await test.sql`SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
        AND NOT relispartition`;
    assert.deepEqual(pick(rows, 'relname').sort(), Object.keys({ ...tableGrants, ...viewGrants }).sort());
  });

  it('are decided for every sequence, and for every function that a statement can call', async () => {
    // The sequence of an identity column belongs to its table, whose grant is enough.
    const sequences = await test.database.query(
      `SELECT relname AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i')`,
    );
    assert.deepEqual(namesOf(sequences.rows), Object.keys(sequenceGrants).sort());
    const functions = await test.database.query(
      `SELECT oid::regprocedure::text AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype`,
    );
    assert.deepEqual(namesOf(functions.rows), Object.keys(functionGrants).sort());
    const open = await test.database.query(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
       WHERE pronamespace = 'public'::regnamespace AND acl.grantee = 0`,
    );
    assert.deepEqual(namesOf(open.rows), [], 'what everybody may call');
  });

  for (const role of processRoleNames) {
    it(`give ${role} what is written down for each table, and no more`, async () => {
      for (const [table, grants] of Object.entries(tableGrants))
        assert.deepEqual(
          await privilegesOf(test, role, table),
          written(grants[role] ?? ''),
          `${role} on ${table}`,
        );
    });
  }

  it('keep what is append-only append-only, and every balance and identity as it is', () => {
    for (const table of [
      'transfers',
      'entries',
      'holds',
      'hold_resolutions',
      'audit_log',
      'idempotency_keys',
    ])
      for (const role of processRoleNames)
        for (const privilege of written(tableGrants[table]?.[role] ?? ''))
          assert.match(privilege, /^(SELECT|INSERT)$/, `${role} on ${table}`);
    const all = processRoleNames.flatMap((role) =>
      Object.entries(tableGrants).flatMap(([table, grants]) =>
        written(grants[role] ?? '').map((privilege) => `${table}: ${privilege}`),
      ),
    );
    assert.deepEqual(
      all.filter((line) => /TRUNCATE|TRIGGER|REFERENCES|MAINTAIN/.test(line)),
      [],
    );
    assert.deepEqual(
      all.filter((line) =>
        /^suspense_items: (?!SELECT|INSERT|UPDATE \((left_by|transaction_id)\))/.test(line),
      ),
      [],
    );
    assert.deepEqual(
      all.filter((line) => /^bill_receipts: (?!SELECT|INSERT|UPDATE \(signalled_at\))/.test(line)),
      [],
    );
    const frozen =
      /^transactions: UPDATE \((id|account_id|api_key_id|type|mode|amount|currency|reference|created_at)\)/;
    assert.deepEqual(
      all.filter((line) => frozen.test(line)),
      [],
    );
    assert.deepEqual(
      [...new Set(all.filter((line) => line.endsWith(': DELETE')).map((line) => line.split(':')[0]))].sort(),
      // Of these some role may also add the row that it deleted: test/platform/db/ends.test.ts says why that is nothing.
      [
        'callback_attempts',
        'channel_results',
        'failed_authentications',
        'owed_results',
        'rate_limit_buckets',
        'uses',
      ],
    );
  });

  it('keep secrets from people who only look', () => {
    for (const table of ['api_key_secrets', 'callback_passphrases', 'operator_tokens'])
      assert.equal(tableGrants[table]?.reader, undefined);
    for (const [table, { reader = '' }] of Object.entries(tableGrants))
      assert.match(reader, /^(SELECT( \([^)]*\))?)?$/, table);
  });

  it('show them no column that sounds like a secret, but for these', async () => {
    const rows =
      await test.sql`SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
         AND (a.atttypid IN ('bytea'::regtype, 'bytea[]'::regtype) OR a.attname ~ 'hash|key|pass|secret|token')
         AND has_column_privilege(${processRoles.reader}, c.oid, a.attnum, 'SELECT')`;
    assert.deepEqual(namesOf(rows), [
      // Names of keys, and by what something happens once.
      'abandoned_submissions.idempotency_key',
      // Of what an approver saw, and the public part of his token.
      'approvals.payload_hash',
      'approvals.token_id',
      // The chain of the log, which whoever reads may verify.
      'audit_head.hash',
      'audit_log.hash',
      'batches.api_key_id',
      'batches.items_hash',
      'callback_events.api_key_id',
      'freezes.api_key_id',
      'idempotency_keys.key',
      'limits.api_key_id',
      // The rule that matched.
      'line_matches.pass',
      'notifications.event_key',
      'numbers.api_key_id',
      'payout_days.api_key_id',
      'proposals.payload_hash',
      'settlement_rules.api_key_id',
      'statement_lines.key',
      // Of bytes, to find the same file again.
      'statements.sha256',
      'transactions.api_key_id',
      'transactions.metadata_hashes',
      'transfers.dedupe_key',
    ]);
  });

  it('are as weak as roles can be, and a migration refuses one that is not', async () => {
    const rows =
      await test.sql`SELECT rolname FROM pg_roles WHERE rolname = ANY(${Object.values(processRoles)}) AND NOT (rolsuper OR rolcreatedb OR rolcreaterole
         OR rolreplication OR rolbypassrls)`;
    assert.equal(rows.length, 3);
    // Rolled back: roles belong to the cluster of all tests.
    for (const mightier of [
      'ALTER ROLE malipo_worker CREATEROLE',
      'GRANT pg_read_all_data TO malipo_worker',
    ]) {
      const migrated = inTransaction(test.database, async (db) => {
        await db.query(mightier);
        await applyGrants(db);
      });
      await assert.rejects(migrated, /the role malipo_worker must be no superuser/);
    }
  });

  it('find a table of tomorrow closed', async () => {
    await test.sql`CREATE TABLE tomorrow (id int)`;
    try {
      await inTransaction(test.database, applyGrants);
      for (const role of processRoleNames) assert.deepEqual(await privilegesOf(test, role, 'tomorrow'), []);
    } finally {
      await test.sql`DROP TABLE tomorrow`;
    }
  });

  for (const role of processRoleNames) {
    describe(`${role} may not`, () => {
      let process: Database;
      before(() => {
        process = createDatabase({ url: test.urlOf(role), poolMax: 1, applicationName: role });
      });
      after(() => process.end());
      for (const statement of [...forbidden, ...forbiddenTo[role]])
        it(statement, async () => await refused(process, statement));
    });
  }
});

function namesOf(rows: { name: string }[]): string[] {
  return rows.map(({ name }) => name).sort();
}

/** Insufficient privilege, and not some other mistake of the statement. */
async function refused(process: Database, statement: string): Promise<void> {
  await assert.rejects(process.query(statement), (error: unknown) => {
    assert.ok(error instanceof pg.DatabaseError, String(error));
    assert.equal(error.code, '42501', `${statement}: ${error.message}`);
    return true;
  });
}

async function privilegesOf({ database }: TestDatabase, role: ProcessRole, table: string) {
  const rows = await sqlOf(database)`SELECT privilege FROM (
       SELECT acl.grantee, acl.privilege_type AS privilege FROM pg_class c, aclexplode(c.relacl) acl WHERE c.oid = ${table}::regclass
       UNION ALL
       SELECT acl.grantee, format('%s (%s)', acl.privilege_type, a.attname)
       FROM pg_attribute a, aclexplode(a.attacl) acl WHERE a.attrelid = ${table}::regclass
     ) granted WHERE grantee IN (${processRoles[role]}::regrole, 0)`;
  return rows.map(({ privilege }) => privilege).sort();
}

/** `SELECT, UPDATE (a, b)` → `SELECT`, `UPDATE (a)`, `UPDATE (b)`. */
function written(grants: string): Privilege[] {
  const found = [...grants.matchAll(/(\w+)(?:\s*\(([^)]*)\))?/g)].flatMap(([, privilege, columns]) =>
    columns === undefined
      ? [privilege ?? '']
      : columns.split(',').map((column) => `${privilege} (${column.trim()})`),
  );
  return found.sort();
}
