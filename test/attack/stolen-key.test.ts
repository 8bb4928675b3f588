// tests: hard
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { fingerprintOf, hashOf, newKey, newKeyId } from '../../src/accounts/key-format.ts';
import { createKeys } from '../../src/accounts/keys.ts';
import { createProgram } from '../../src/app/cli/program.ts';
import { provenTables } from '../../src/app/proven-tables.ts';
import type { KeyRing } from '../../src/base/key-ring.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { loadConfig } from '../../src/config/config.ts';
import { statusOf } from '../../src/domain/operation.ts';
import { createRuns } from '../../src/operators/cli/context.ts';
import { createOperators } from '../../src/operators/people/operators.ts';
import { createSessions } from '../../src/operators/people/sessions.ts';
import { createDatabase } from '../../src/platform/db/pool.ts';
import { macOfRow } from '../../src/platform/db/proofs.ts';
import { settlementRuleOf } from '../../src/settlements/settlement-rules.ts';
import { agreedOn } from '../../src/transactions/care/agreed.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { unprovenRows } from '../../src/transactions/rows/row-mac.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { keyOf, submissionKeys } from '../support/key-rings.ts';
import { mobilePayoutRequest, refundRequest, submissionFor } from '../support/merchant.ts';
import type { Database } from '../support/queryable.ts';
import { until } from '../support/wait.ts';
import { byPasswordOf } from './by-password.ts';
import { hashSecrets, plantProven } from './proven-rows.ts';

const [stolen] = submissionKeys;
const anew: KeyRing = [keyOf('anew')];
/** The moment when all that the tests wrote before was old. */
const OLD = "now() - interval '30 days'";

/** A thief has SUBMISSION_KEY, KEY_HASH_SECRET and the passwords of both processes; then the owner mistrusts the key. */
describe('attack: a stolen SUBMISSION_KEY, mistrusted', function () {
  this.timeout(60_000);
  const test = useTestDatabase();
  let folder: string;
  let after_: Database;
  let honest: Awaited<ReturnType<typeof plantProven>>;
  let late: string;
  const forged = { apiKey: '', keyId: '', payout: '' };

  const keysOn = (database: Database) => createKeys({ database, hashSecrets, environment: 'test' });
  const opens = (database: Database, text: string) => keysOn(database).authenticate(text, '192.0.2.1');
  const operatorsOn = (database: Database) => createOperators({ database, hashSecrets });
  const payout = async (database: Database) => {
    const submission = submissionFor(honest.merchant, mobilePayoutRequest());
    await accept(database, submission);
    return submission.transactionId;
  };
  const send = (database: Database, transactionId: string) =>
    recordSend(database, { transactionId, number: 1 });

  const as = byPasswordOf(test);

  /** Rows of the thief's, with proofs of the stolen key, and dated as old as he likes. */
  async function forge() {
    const id = newKeyId();
    forged.keyId = id;
    forged.apiKey = newKey('sk_test', id);
    const row = {
      id,
      account_id: honest.merchant.accountId,
      scopes: ['payouts:write'],
      holder: null,
      allowed_ips: [],
      expires_at: null,
    };
    await as(
      'api',
      `INSERT INTO api_keys (id, account_id, scopes, mac, created_at) VALUES ($1, $2, $3, $4, ${OLD})`,
      [id, row.account_id, row.scopes, macOfRow(test.database, 'api_keys', row)],
    );
    const [{ id: name, key }] = hashSecrets;
    const hash = hashOf(key, { kind: 'key', id, fingerprint: fingerprintOf(forged.apiKey) });
    await as('api', 'INSERT INTO api_key_secrets (key_id, hash, hashed_with) VALUES ($1, $2, $3)', [
      id,
      hash,
      name,
    ]);
    forged.payout = await payout(test.database);
    await test.database.query(`UPDATE transactions SET created_at = ${OLD} WHERE id = $1`, [forged.payout]);
  }

  async function mistrust(...options: string[]) {
    const secret = () => randomBytes(32).toString('base64');
    const config = loadConfig({
      MALIPO_ENV: 'development',
      DATABASE_URL: test.urlOf('api'),
      MIGRATION_DATABASE_URL: test.url,
      KEY_HASH_SECRET: secret(),
      ENCRYPTION_KEY: secret(),
      NOTIFICATION_SECRET: secret(),
      SUBMISSION_KEY: secret(),
      PAGE_KEY: secret(),
    });
    const lines: string[] = [];
    const runs = createRuns({
      access: () => Promise.reject(new Error('this command calls no API')),
      config: async () => ({ ...config, SUBMISSION_KEY: [...anew, stolen] as KeyRing }),
      print: (line) => lines.push(line),
    });
    await (await createProgram(runs)).parseAsync(['secrets', 'mistrust', ...options], { from: 'user' });
    return lines;
  }
  const since = ['--since', new Date(Date.now() - 3_600_000).toISOString()];

  /** By table and name of the key: how many rows. */
  async function proofs() {
    const counts: Record<string, number> = {};
    for (const [table] of provenTables) {
      const { rows } = await test.database.query(
        `SELECT split_part(mac, ':', 1) AS key, count(*)::int AS count FROM ${table} WHERE mac IS NOT NULL GROUP BY 1`,
      );
      for (const { key, count } of rows) counts[`${table} ${key}`] = count;
    }
    return counts;
  }
  const triggersOff = async () =>
    (
      await test.database.query(
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O' AND tgparentid = 0",
      )
    ).rows;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-stolen-'));
    honest = await plantProven(test.database);
    for (const [table, column] of [
      ['transactions', 'created_at'],
      ['notifications', 'received_at'],
      ['api_keys', 'created_at'],
    ])
      await test.database.query(`UPDATE ${table} SET ${column} = ${OLD}`);
    late = await payout(test.database);
    await forge();
    after_ = createDatabase({ url: test.url, poolMax: 2, applicationName: 'test', rowKeys: anew });
  });
  after(async () => {
    await after_?.end();
    await rm(folder, { recursive: true });
  });

  it('opens and pays before anybody knows', async () => {
    assert.ok(await opens(test.database, forged.apiKey));
    for (const [table] of provenTables) assert.ok((await proofs())[`${table} ${stolen.id}`], table);
  });

  let list: string[];
  it('is listed by what it signed since, and by all that lives, however old it says it is', async () => {
    list = await mistrust(stolen.id, ...since);
    const [head, ...lines] = list;
    assert.equal(head, 'table,id,about,at,by');
    const named = (table: string, id: string) => lines.filter((line) => line.startsWith(`${table},${id},`));
    assert.equal(named('api_keys', forged.keyId).length, 1);
    assert.equal(named('transactions', forged.payout).length, 1);
    assert.equal(named('transactions', late).length, 1);
    assert.equal(named('proposals', honest.lift).length, 1);
    assert.equal(named('transactions', honest.push).length, 0, 'old, and over');
    assert.deepEqual((await proofs())[`transactions ${anew[0].id}`], undefined, 'a list changes nothing');
  });

  it('is taken back whole where the owner’s connection breaks in the middle', async () => {
    const before = await proofs();
    const file = path.join(folder, 'taken.csv');
    const isForged = (line: string) => line.includes(forged.keyId) || line.includes(forged.payout);
    await writeFile(file, list.filter((line) => !isForged(line)).join('\n'));
    const held = new pg.Client({ connectionString: test.url });
    await held.connect();
    await held.query('BEGIN; LOCK TABLE closed_days IN ROW EXCLUSIVE MODE');
    const taking = mistrust(stolen.id, ...since, '--take', file);
    taking.catch(() => {});
    const waiting = "wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE closed_days%'";
    await until(
      async () => {
        const { rowCount } = await test.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND ${waiting}`,
        );
        return rowCount || undefined;
      },
      { deadlineMs: 30_000, what: 'it waits for the last table' },
    );
    await assert.rejects(taking, /terminat/);
    await held.query('ROLLBACK');
    await held.end();
    assert.deepEqual(await proofs(), before);
    assert.deepEqual(await triggersOff(), []);
  });

  it('signs anew what people took, once, and passes over what nobody can read', async () => {
    await test.database.query(
      `INSERT INTO operator_tokens (id, operator, hash, hashed_with, issued_by, expires_at, mac)
       VALUES ('unreadable', 'asha', '', 'x', 'thief', 'infinity', $1)`,
      [`${stolen.id}:AAAA`],
    );
    const taken = ['--take', path.join(folder, 'taken.csv')];
    const said = (await mistrust(stolen.id, ...since, ...taken)).join('\n');
    assert.match(said, /^api_keys: \d signed again, 1 not signed$/m);
    assert.match(said, /^transactions: \d signed again, 1 not signed$/m);
    const done = await proofs();
    const old = Object.entries(done).filter(([name]) => name.endsWith(` ${stolen.id}`));
    assert.deepEqual(Object.fromEntries(old), {
      [`api_keys ${stolen.id}`]: 1,
      [`operator_tokens ${stolen.id}`]: 1,
      [`transactions ${stolen.id}`]: 1,
    });
    const again = await mistrust(stolen.id, ...since, ...taken);
    assert.ok(
      again.every((line) => !/: [1-9]\d* signed/.test(line)),
      again.join('\n'),
    );
    assert.deepEqual(await proofs(), done);
    assert.deepEqual(await triggersOff(), []);
    const { rows } = await test.database.query("SELECT FROM audit_log WHERE action = 'secrets.mistrust'");
    assert.equal(rows.length, 1);
  });

  it('opens and pays nothing more, and what is ours goes on', async () => {
    assert.equal(await opens(after_, forged.apiKey), null);
    await assert.rejects(send(after_, forged.payout), /nothing of ours wrote down/);
    assert.equal((await opens(after_, honest.apiKey))?.accountId, honest.merchant.accountId);
    assert.equal((await operatorsOn(after_).authenticate(honest.token))?.name, 'asha');
    assert.ok(await createSessions({ database: after_, hashSecrets }).use(honest.session));
    assert.equal((await send(after_, honest.payout)).granted, true);
    assert.equal((await send(after_, late)).granted, true);
    for (const paid of [honest.push, honest.bill]) {
      const { answer } = await accept(after_, submissionFor(honest.merchant, refundRequest(paid)));
      assert.equal(statusOf(answer), 200, 'its payer is known');
    }
    assert.ok(await settlementRuleOf(after_, honest.merchant.accountId));
    assert.ok(await agreedOn(after_, { id: honest.lift, action: 'fence.lift' }));
    assert.deepEqual(
      (await unprovenRows(after_, 'all')).filter((line) => !line.includes(forged.payout)),
      [],
    );
    assert.equal((await nextSubmissions(after_, honest.batch.run)).length, 2);
  });

  it('is mistrusted by the owner alone, where another key signs', async () => {
    await assert.rejects(mistrust(anew[0].id, ...since), /the first one signs/);
    await assert.rejects(mistrust('nobody', ...since), /the first one signs/);
    await assert.rejects(mistrust(stolen.id, '--since', '2026-11-28'), /with its zone/);
  });
});
