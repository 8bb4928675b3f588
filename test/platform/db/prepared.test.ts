import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { scopes } from '../../../src/accounts/keys.ts';
import { beginAttempt, noteDelivered } from '../../../src/callbacks/log.ts';
import type { MoneyRequest } from '../../../src/domain/operation.ts';
import { isPrepared, prepared as prepareOurs } from '../../../src/platform/db/prepared.ts';
import { inTransaction } from '../../../src/platform/db/transaction.ts';
import { findStored } from '../../../src/transactions/acceptance/idempotency.ts';
import { recordSend, recordSendOutcome } from '../../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../../src/transactions/ending/end.ts';
import { findTransaction, getTransaction } from '../../../src/transactions/rows/store.ts';
import { accept } from '../../support/accept.ts';
import { beforeStatements } from '../../support/before-statements.ts';
import { asRole, useTestDatabase } from '../../support/database.ts';
import { notify } from '../../support/handed-over.ts';
import { ringOf } from '../../support/key-rings.ts';
import { createTestKeys } from '../../support/keys.ts';
import {
  bankPayoutRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../../support/merchant.ts';
import { succeeded } from '../../support/scripted-channel.ts';

/** Texts of this test are not described. */
const prepared = prepareOurs as unknown as (text: string) => string;

describe('prepared statements', () => {
  const test = useTestDatabase({ poolMax: 1 });
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database, { balance: 1_000_000 });
  });

  const preparedNow = async () =>
    (await test.sql`SELECT statement FROM pg_prepared_statements`).map(({ statement }) => statement);

  it('are those that are marked, on the pool and on the connections that it lends', async () => {
    const [alone, inside] = [prepared('SELECT $1::int AS alone'), prepared('SELECT $1::int AS inside')];
    assert.deepEqual((await test.database.query(alone, [1])).rows, [{ alone: 1 }]);
    assert.deepEqual((await test.database.query(alone, [2])).rows, [{ alone: 2 }]);
    await inTransaction(test.database, async (db) => {
      assert.deepEqual((await db.query(inside, [3])).rows, [{ inside: 3 }]);
    });
    await test.sql`SELECT ${1}::int AS unmarked`;
    const names = await preparedNow();
    assert.ok(names.includes(alone) && names.includes(inside));
    assert.ok(!names.some((text) => text.includes('unmarked')));
  });

  it('fail as others do', async () => {
    const text = prepared('SELECT 1 / $1::int');
    for (const query of [
      () => test.database.query(text, [0]),
      () => inTransaction(test.database, (db) => db.query(text, [0])),
    ])
      await assert.rejects(query, { code: '22012' });
    assert.equal((await test.database.query(text, [1])).rowCount, 1);
  });

  it('do not outlive a grant', async () => {
    const text = prepared('SELECT reason FROM fence WHERE progress >= $1');
    const api = asRole(test.database, 'api');
    await api.query(text, [0]);
    await test.sql`REVOKE SELECT ON fence FROM malipo_api`;
    await assert.rejects(api.query(text, [0]), { code: '42501' });
    await test.sql`GRANT SELECT ON fence TO malipo_api`;
    await api.query(text, [0]);
  });

  describe('while a migration changes what they return', () => {
    const text = prepared('SELECT * FROM changing WHERE a = $1');
    const columns = (row: object | undefined) => Object.keys(row ?? {}).length;
    before(() => test.database.query('CREATE TABLE changing AS SELECT 1 AS a; CREATE TABLE noted (a int)'));

    it('are run all the same, alone', async () => {
      for (let wanted = 1; wanted <= 3; wanted += 1) {
        assert.equal(columns((await test.database.query(text, [1])).rows[0]), wanted);
        await test.database.query(`ALTER TABLE changing ADD COLUMN b${wanted} int`);
      }
    });

    it('are run all the same, and the transaction around them is done once', async () => {
      // The first of them may find an older name outdated, and is run without one.
      for (let time = 0; time < 2; time += 1) await test.database.query(text, [1]);
      await test.sql`ALTER TABLE changing ADD COLUMN c int`;
      let runs = 0;
      const seen = await inTransaction(test.database, async (db) => {
        runs += 1;
        await db.query('INSERT INTO noted VALUES (1)');
        return (await db.query(text, [1])).rows[0];
      });
      assert.deepEqual([columns(seen), runs], [5, 2]);
      assert.equal((await test.database.query('SELECT FROM noted')).rowCount, 1);
    });

    it('are run all the same, however many of them are in one transaction', async () => {
      const texts = Array.from({ length: 8 }, (_, i) => prepared(`SELECT *, ${i} AS i FROM changing`));
      let runs = 0;
      const all = () =>
        inTransaction(test.database, async (db) => {
          runs += 1;
          for (const text of texts) await db.query(text);
        });
      await all();
      await test.sql`ALTER TABLE changing ADD COLUMN d int`;
      await all();
      assert.equal(runs, 3);
    });

    it('take payments', async () => {
      const take = () => accept(test.database, submissionFor(merchant, pushRequest()));
      assert.equal((await take()).mine, true);
      await test.sql`ALTER TABLE limits ADD COLUMN more int`;
      assert.equal((await take()).mine, true);
      await test.sql`ALTER TABLE limits DROP COLUMN more`;
      assert.equal((await take()).mine, true);
    });
  });

  it('of every payment read by an index, whatever their values are', async () => {
    const texts = new Set<string>();
    const watched = beforeStatements(test.database, async (_on, query) => {
      if (typeof query === 'string' && isPrepared(query)) texts.add(query);
    });
    const keys = createTestKeys({ database: watched, hashSecrets: ringOf() });
    const { accountId } = merchant;
    const { apiKey } = await keys.createKey({ accountId, scopes, actor: 'test' });
    const pay = async (request: MoneyRequest) => {
      const submission = submissionFor(merchant, request);
      const { transactionId, idempotencyKey: key } = submission;
      assert.ok(await keys.authenticate(apiKey, '127.0.0.1'));
      assert.equal(await findStored(watched, accountId, { key, paymentNumber: 'ORDER-7' }), null);
      assert.equal((await accept(watched, submission)).mine, true);
      assert.ok(await findStored(watched, accountId, { key, paymentNumber: null }));
      await recordSend(watched, { transactionId, number: 1 });
      await recordSendOutcome(watched, {
        transactionId,
        number: 1,
        outcome: 'accepted',
        channelReference: 'R',
      });
      await notify(watched, transactionId, succeeded(request.mode === 'ussd' ? 5_000 : 50_000, 'R'));
      const { events } = await tryToEnd(watched, transactionId, { kind: 'notifications' });
      assert.ok(await findTransaction(watched, { id: transactionId, accountId }));
      assert.ok(await getTransaction(watched, transactionId));
      for (const eventId of events) {
        const begun = await beginAttempt(watched, { eventId, round: 0 });
        assert.equal(begun.kind, 'begun');
        if (begun.kind === 'begun')
          await noteDelivered(watched, begun, { httpStatus: 200, error: null, durationMs: 1 });
      }
    };
    await pay(pushRequest());
    await pay(mobilePayoutRequest());
    await pay({ ...bankPayoutRequest(50_000) });
    assert.ok(texts.size > 30, `${texts.size}`);
    const folder = new URL('../../../src/platform/db/statements/', import.meta.url);
    const listed = readdirSync(folder)
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('');
    for (const text of texts) assert.ok(listed.includes(`\n  ${JSON.stringify(text)}: {`), text);
    await inTransaction(test.database, async (db) => {
      // What is read from end to end all the same has no index for it. The fence has one row.
      await db.query('SET LOCAL enable_seqscan = off');
      for (const text of texts) {
        const { rows } = await db.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        assert.doesNotMatch(plan, /Seq Scan on (?!fence\b)/, `${text}\n${plan}`);
      }
    });
  });
});
