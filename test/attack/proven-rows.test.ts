// tests: hard
import assert from 'node:assert/strict';
import pg from 'pg';
import { isFrozen } from '../../src/accounts/freeze.ts';
import { createKeys } from '../../src/accounts/keys.ts';
import { limitsOf } from '../../src/accounts/limits.ts';
import { provenTables } from '../../src/app/proven-tables.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { findBatch, heldRunOf } from '../../src/batches/batch-store.ts';
import { signCallback } from '../../src/callbacks/signed.ts';
import { closedNow } from '../../src/channels/traffic/closures.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { createSessions } from '../../src/operators/people/sessions.ts';
import { type ProcessRole, processRoles } from '../../src/platform/db/grants.ts';
import { columnsOf, type Proven } from '../../src/platform/db/proofs.ts';
import { lastFixedDay } from '../../src/reconciliation/fixed-day.ts';
import { settlementRuleOf } from '../../src/settlements/settlement-rules.ts';
import { agreedOn } from '../../src/transactions/care/agreed.ts';
import { takeDecision } from '../../src/transactions/care/decisions.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { paidPartsOf } from '../../src/transactions/odd-money/refunds.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { useTestDatabase } from '../support/database.ts';
import type { Database } from '../support/queryable.ts';
import { setRoles } from '../support/signed-rows.ts';
import { CLOSED, hashSecrets, plantProven } from './proven-rows.ts';

type Row = Record<string, never>;
type Case = {
  /** SQL of the row `t` that decides */
  row: string;
  /** says by the function of ours that acts on it whether anything follows from it */
  acts: (db: Database, row: Row) => Promise<boolean>;
  /** what its proof covers, where `platform/db/proofs.ts` does not say it */
  columns?: string[];
  /** SQL of another value, where one of its type is none of this column */
  other?: Record<string, string>;
  /** columns of which Postgres refuses another value, or such a row */
  refused?: string[];
  /** SQL before the row can be written again */
  first?: string;
};

/** A thief has the password of one process and no key. Each row below decides as our processes wrote it, and only so. */
describe('attack: a row with a proof', function () {
  this.timeout(60_000);
  const test = useTestDatabase();
  let ours: Awaited<ReturnType<typeof plantProven>>;
  let client: pg.PoolClient;
  before(async () => {
    ours = await plantProven(test.database);
    client = await test.database.connect();
  });
  after(() => client?.release());

  const deps = (database: Database) => ({ database, hashSecrets, environment: 'test' as const });
  const works = (done: Promise<unknown>) =>
    done.then(
      (found) => found !== null,
      () => false,
    );
  const isOperator = (db: Database) => works(createOperators(deps(db)).authenticate(ours.token));
  const isAgreed = (db: Database) => works(agreedOn(db, { id: ours.lift, action: 'fence.lift' }));
  const namesPayer = (id: () => string) => async (db: Database) => {
    const payment = await getTransaction(db, id());
    const parts = payment ? await paidPartsOf(db, payment as never) : [];
    return parts.some(({ msisdn }) => msisdn !== null);
  };
  const words = (text: string) => text.split(' ');

  const cases: Record<string, Case> = {
    api_keys: {
      row: "t.scopes = '{payments:read}'",
      acts: (db) => works(createKeys(deps(db)).authenticate(ours.apiKey, '192.0.2.1')),
    },
    freezes: {
      row: 't.lifted_by IS NOT NULL',
      acts: async (db, { account_id, api_key_id }) => {
        const keys = await db.query('SELECT id FROM api_keys WHERE account_id = $1', [account_id]);
        return !(await isFrozen(db, api_key_id ?? keys.rows[0].id));
      },
      other: { api_key_id: '(SELECT id FROM api_keys k WHERE k.account_id = t.account_id LIMIT 1)' },
    },
    closures: {
      row: 't.opened_by IS NOT NULL',
      acts: async (db) => (await closedNow(db)).length === 0,
      other: { service: "'payments'" },
    },
    limits: {
      row: 't.payout_max > 400000000',
      acts: async (db, { account_id = '', payout_max }) =>
        (await limitsOf(db, { accountId: account_id, apiKeyId: null })).payout_max === payout_max,
    },
    operators: { row: "t.name = 'asha'", acts: isOperator, other: { roles: "'{finance}'" } },
    operator_tokens: { row: "t.operator = 'asha'", acts: isOperator },
    operator_sessions: { row: 'true', acts: (db) => works(createSessions(deps(db)).use(ours.session)) },
    proposals: { row: "t.action = 'fence.lift'", acts: isAgreed, other: { proposed_by: "'neema'" } },
    approvals: {
      // A proposal is approved once.
      refused: ['proposal_id'],
      row: "t.proposal_id IN (SELECT id FROM proposals WHERE action = 'fence.lift')",
      acts: isAgreed,
    },
    notifications: {
      row: 'true',
      acts: async (db) => (await tryToEnd(db, ours.told, { kind: 'notifications' })).status !== 'pending',
      other: { content: `t.content || '{"code": "expired"}'` },
    },
    decisions: {
      row: 'true',
      acts: (db, row) => works(takeDecision(db, row.transaction_id ?? '')),
      other: { outcome: "'paid'" },
    },
    callback_events: {
      row: "t.state = 'delivered'",
      acts: (db, { id = '', api_key_id: keyId = '' }) =>
        works(signCallback(db, { eventId: id, keyId }, hashSecrets)),
      refused: ['id', 'event', 'transaction_id'],
      first: "UPDATE transactions SET updated_at = now() WHERE mode = 'ussd'",
      other: { body: `(t.body::jsonb || '{"note": 1}')::text` },
    },
    batches: {
      row: "t.status = 'running'",
      // A process begins none as a batch that runs, and these no role updates.
      refused: words(
        'id account_id api_key_id batch_number items_hash currency items amount allow_twins quiet metadata',
      ),
      acts: async (db, { id = '', account_id: accountId = '' }) => {
        const batch = await findBatch(db, { id, accountId });
        return batch !== null && (await heldRunOf(db, batch)) !== null;
      },
    },
    batch_items: {
      row: 't.position = 1',
      acts: (db) => works(nextSubmissions(db, ours.batch.run)),
      other: { position: 't.position + 2' },
      // There is no other batch; `items_hash` is that of `batches`.
      refused: ['batch_id', 'items_hash', 'mode'],
    },
    transactions: {
      row: "t.mode = 'ussd'",
      columns: words('id account_id connection msisdn amount currency'),
      acts: namesPayer(() => ours.push),
    },
    bill_receipts: {
      row: 'true',
      columns: words('space receipt transaction_id connection msisdn amount currency'),
      acts: namesPayer(() => ours.bill),
    },
    settlement_rules: {
      row: 'true',
      other: { replaces: "'another'" },
      refused: ['msisdn', 'replaces'],
      columns: words(
        'version account_id api_key_id channel msisdn bic account_number full_name days currency keep smallest cap pays_from replaces',
      ),
      acts: (db) => works(settlementRuleOf(db, ours.merchant.accountId)),
    },
    closed_days: {
      row: 'true',
      columns: words(
        'account day lines matched booked opening closing clearing unbooked unseen together closed_by',
      ),
      acts: (db) => works(lastFixedDay(db, [CLOSED as never])),
    },
  };

  it('is tried for each table, and each column that its proof covers', () => {
    assert.deepEqual(Object.keys(cases).sort(), provenTables.map(([table]) => table).sort());
    for (const [table, { columns }] of Object.entries(cases))
      assert.notEqual(columns === undefined, columnsOf(table as Proven) === undefined, table);
  });

  for (const [table, one] of Object.entries(cases)) {
    const covered = [...(one.columns ?? columnsOf(table as Proven)), 'mac'];

    it(`of ${table} decides, and nothing by another value of ${covered.join(', ')}`, async () => {
      const { rows } = await client.query(`SELECT t.* FROM ${table} t WHERE ${one.row}`);
      await tried(async () => assert.equal(await one.acts(asDatabase(), rows[0]), true));
      const [reached, acting] = [new Set<string>(), [] as string[]];
      for (const column of covered)
        for (const { role, way } of await waysOf(table, column))
          await tried(async () => {
            const other = one.other?.[column] ?? (await otherOf(table, column));
            const text = way === 'UPDATE' ? update : again;
            const row = await asProcess(role, await text(table, one, column, other));
            if (row === null) return;
            reached.add(column);
            if (await one.acts(asDatabase(), row)) acting.push(`${role} ${way} ${column}`);
            else if (column === 'mac' && !one.columns) assert.ok(await isTold(table), 'people are told');
          });
      assert.deepEqual(acting, []);
      assert.deepEqual(
        covered.filter((column) => !reached.has(column)),
        one.refused ?? [],
      );
    });
  }

  it('is not put back once a newer one counts', () =>
    tried(async () => {
      await client.query(
        'CREATE TEMP TABLE old ON COMMIT DROP AS SELECT * FROM operators; GRANT SELECT ON old TO PUBLIC',
      );
      await setRoles(client, 'asha', ['viewer']);
      for (const back of [
        'UPDATE operators o SET (roles, version, mac) = (SELECT roles, version, mac FROM old WHERE name = o.name)',
        'INSERT INTO limits SELECT * FROM limits ORDER BY set_at LIMIT 1',
      ])
        assert.equal(await asProcess('api', back), null, back);
    }));

  async function tried(work: () => Promise<void>) {
    await client.query('BEGIN');
    await work().finally(() => client.query('ROLLBACK'));
  }

  async function isTold(table: string) {
    const asked = "SELECT FROM attention WHERE reason = 'unproven_row' AND starts_with(subject, $1)";
    return (await client.query(asked, [`${table}:`])).rowCount !== 0;
  }

  /** Which roles may write another value of a column, in place or in a row of their own. */
  async function waysOf(table: string, column: string): Promise<{ role: ProcessRole; way: string }[]> {
    const { rows } = await client.query(
      `SELECT role, way FROM unnest('{api,worker}'::text[]) role, unnest('{INSERT,UPDATE}'::text[]) way, pg_attribute
       WHERE attrelid = $1::regclass AND attname = $2 AND has_column_privilege('malipo_' || role, attrelid, attnum, way)`,
      [table, column],
    );
    return rows;
  }

  /** Another value of the column's type; where it names a row, that of another one. */
  async function otherOf(table: string, column: string): Promise<string> {
    const { rows } = await client.query(
      `SELECT format_type(a.atttypid, NULL) AS type, (SELECT format('(SELECT r.%1$I FROM %2$s r WHERE r.%1$I IS DISTINCT FROM t.%3$I LIMIT 1)',
         (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1]), confrelid::regclass, a.attname)
         FROM pg_constraint WHERE conrelid = a.attrelid AND contype = 'f' AND conkey = ARRAY[a.attnum] AND conparentid = 0 LIMIT 1) AS named
       FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attname = $2`,
      [table, column],
    );
    const [{ type, named }] = rows;
    const t = `t.${column}`;
    const others: Record<string, string> = {
      'text[]': `${t} || '{payouts:write}'`,
      'smallint[]': `${t}[2:]`,
      boolean: `NOT ${t}`,
      date: `${t} + 1`,
      uuid: 'gen_random_uuid()',
      jsonb: `'{"kind": "failed"}'`,
      text: `coalesce(${t}, '') || '1'`,
      'timestamp with time zone': `coalesce(${t}, now()) + interval '1 minute'`,
    };
    return named ?? others[type] ?? `coalesce(${t}, 0) + 1`;
  }

  const update = async (table: string, { row }: Case, column: string, other: string) =>
    `UPDATE ${table} t SET ${column} = ${other} WHERE ${row} RETURNING t.*`;

  /** Takes the row away, as no process can, and writes it again with another value. */
  async function again(
    table: string,
    { row, first = '' }: Case,
    column: string,
    other: string,
  ): Promise<string> {
    const { rows } = await client.query(
      `SELECT array_agg(attname::text) AS names FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''`,
      [table],
    );
    const [{ names }] = rows;
    const values = names.map((name: string) => (name === column ? other : `t.${name}`));
    await client.query(
      `SET LOCAL session_replication_role = replica; CREATE TEMP TABLE old ON COMMIT DROP AS SELECT * FROM ${table} t WHERE ${row};
       DELETE FROM ${table} t WHERE ${row}; SET LOCAL session_replication_role = origin; GRANT SELECT ON old TO PUBLIC; ${first}`,
    );
    return `INSERT INTO ${table} (${names}) SELECT ${values} FROM old t RETURNING *`;
  }

  /** What a process wrote; null where Postgres refused it. */
  async function asProcess(role: ProcessRole, text: string): Promise<Row | null> {
    await client.query(`SAVEPOINT tried; SET LOCAL ROLE ${processRoles[role]}`);
    try {
      const { rows } = await client.query(text);
      await client.query('SET CONSTRAINTS ALL IMMEDIATE; RESET ROLE');
      return (rows[0] ?? {}) as Row;
    } catch (error) {
      assert.ok(error instanceof pg.DatabaseError);
      if (!['42501', 'P0001'].includes(error.code ?? '') && !error.code?.startsWith('23')) throw error;
      await client.query('ROLLBACK TO tried');
      return null;
    }
  }

  /** The connection as a pool: a transaction of ours is a savepoint of the test's. */
  function asDatabase(): Database {
    const nested: Record<string, string> = { BEGIN: 'SAVEPOINT nested', ROLLBACK: 'ROLLBACK TO nested' };
    const query = async (text: string, values?: unknown[]) => {
      if (text === 'COMMIT') return { ...(await client.query('RELEASE nested')), command: 'COMMIT' };
      return client.query(nested[text] ?? text, values);
    };
    const none = () => {};
    const listens = { on: none, off: none, removeListener: none, release: none };
    const db = { ...listens, rowKeys: Reflect.get(client, 'rowKeys'), query, connect: async () => db };
    return db as unknown as Database;
  }
});
