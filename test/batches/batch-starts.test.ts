// tests: many connections
import assert from 'node:assert/strict';
import { freeze } from '../../src/accounts/freeze.ts';
import { countBatch } from '../../src/batches/batch-progress.ts';
import { nextSubmissions } from '../../src/batches/batch-slices.ts';
import { startBatch } from '../../src/batches/batch-start.ts';
import { restoreBatch } from '../../src/batches/restore-batch.ts';
import { type BatchRun, type BatchStart, messageOf } from '../../src/domain/batch.ts';
import type { LimitName } from '../../src/domain/limits.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { accept } from '../support/accept.ts';
import { batchesIn, draftOf, reasonOf } from '../support/batches.ts';
import { beforeStatements } from '../support/before-statements.ts';
import { asRole, useTestDatabase } from '../support/database.ts';
import { limitTo } from '../support/limits.ts';
import { untilLockAwaited } from '../support/lock-wait.ts';
import { createMerchant, type Merchant, mobilePayoutRequest, submissionFor } from '../support/merchant.ts';
import { flat, setOwnFees } from '../support/own-fees.ts';
import type { Database, Queryable } from '../support/queryable.ts';
import { signKey } from '../support/signed-rows.ts';

const TO = '255754123456';

describe('the start of a batch', function () {
  this.timeout(30_000);
  const test = useTestDatabase({ each: true, poolMax: 6 });
  afterEach(async () => assert.deepEqual(await checkInvariants(test.database), []));
  const worker = () => asRole(test.database, 'worker');
  const { find, finished } = batchesIn(test);

  async function begin(rows = [{ msisdn: TO }]): Promise<{ merchant: Merchant; run: BatchRun }> {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    await test.sql`INSERT INTO api_keys (id, account_id, scopes, callback_url)
      VALUES ('approver', ${merchant.accountId}, '{payouts:approve}', 'http://127.0.0.1:9/')`;
    await signKey(test.database, 'approver');
    const { run } = await draftOf(test.database, merchant, rows);
    return { merchant, run: { ...run, startedBy: 'approver' } };
  }
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const reservedOf = async ({ accountId }: Merchant) =>
    (await balanceOf(test.database, accountId, 'TZS')).reserved;
  const limit = (column: LimitName, value: number | null) => (db: Queryable, merchant: Merchant) =>
    limitTo(db, merchant, { [column]: value });
  const key =
    (whose: 'maker' | 'approver', change: string) =>
    async (db: Queryable, { apiKeyId }: Merchant) => {
      const id = whose === 'maker' ? apiKeyId : 'approver';
      await db.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [id]);
      await signKey(db, id);
    };
  const frozen = (db: Queryable, { accountId }: Merchant, apiKeyId: string | null = null) =>
    freeze(db, { accountId, apiKeyId, actor: 'asha', reason: 'theft' });
  const frozenMaker = (db: Queryable, merchant: Merchant) => frozen(db, merchant, merchant.apiKeyId);
  const frozenApprover = (db: Queryable, merchant: Merchant) => frozen(db, merchant, 'approver');

  const { revoked, expired } = {
    revoked: 'revoked_at = now()',
    expired: "expires_at = now() - interval '1 second'",
  };
  type Change = (db: Queryable, merchant: Merchant) => Promise<unknown>;
  const ofKeys: [string, Change, RegExp][] = [
    ['the key that made it was revoked', key('maker', revoked), /which made it, was revoked/],
    ['the key that made it is frozen', frozenMaker, /which made it, is frozen/],
    ['the key that made it has expired', key('maker', expired), /which made it, has expired/],
    [
      'the key that starts it was revoked',
      key('approver', revoked),
      /approver, which was to start it, was revoked/,
    ],
    ['the key that starts it is frozen', frozenApprover, /approver, which was to start it, is frozen/],
    [
      'the key that starts it has expired',
      key('approver', expired),
      /approver, which was to start it, has expired/,
    ],
    [
      'the key that starts it may not',
      key('approver', "scopes = '{payouts:write}'"),
      /may start no batches any more/,
    ],
    ['its account is frozen', frozen, /account is frozen/],
    [
      'its fees are higher',
      (_, { accountId }) => setOwnFees(test.database, accountId, { rows: { mobile: flat(7_777) } }),
      /its fees are 7,777\.00 TZS by now, and were [^.]+\.00 TZS when it was looked at/,
    ],
  ];
  const ofItems: [string, Change, RegExp][] = [
    ['a limit of one payout is lower', limit('payout_max', 500_00), /amount is above 500\.00 TZS/],
    ['a limit of the day is lower', limit('payout_daily_max', 500_00), /a day/],
    ['its recipient is too new', limit('new_recipient_cooloff_s', 3_600), /new recipient/],
    [
      'its recipient was paid the same',
      (_, merchant) => accept(test.database, submissionFor(merchant, mobilePayoutRequest(10_000, TO))),
      /was paid the same amount/,
    ],
    [
      'the balance is less',
      async (_, merchant) => {
        const { run } = await draftOf(test.database, merchant, Array(4).fill({ amount: 248_000 }), {
          allowTwins: true,
        });
        await startBatch(test.database, run);
      },
      /are missing/,
    ],
  ];

  for (const [what, change, why] of [...ofKeys, ...ofItems]) {
    it(`says what is wrong where a draft is started and ${what}, and holds nothing`, async () => {
      const { merchant, run } = await begin();
      await change(test.database, merchant);
      const before = await reservedOf(merchant);
      for (const _ of ['once', 'run twice']) {
        const started = await startBatch(worker(), run);
        assert.equal(started.kind, 'refused');
        const words = wordsOf(started);
        assert.match(words, why);
        assert.equal(/start it again if you agree$/.test(words), /its fees are/.test(words));
        assert.equal((await find(run)).status, 'draft');
      }
      assert.equal(await reservedOf(merchant), before);
    });

    it(`ends a scheduled batch where ${what} when its time comes, and tells its merchant`, async () => {
      const { merchant, run } = await begin();
      assert.equal((await startBatch(worker(), { ...run, startAt: inAnHour() })).kind, 'scheduled');
      await change(test.database, merchant);
      const before = await reservedOf(merchant);
      for (const _ of ['once', 'run twice'])
        assert.deepEqual(await startBatch(worker(), run, true), { kind: 'running', run: null });
      assert.match(reasonOf(await find(run)), why);
      await countBatch(worker(), run);
      assert.equal((await countBatch(worker(), run)).isOver, true);
      const told = await finished(run);
      assert.equal(told.length, 1);
      assert.match(told[0]?.body.status_reason, why);
      assert.equal(await reservedOf(merchant), before);
    });
  }

  for (const [what, change] of ofKeys)
    it(`schedules no draft where ${what}`, async () => {
      const { merchant, run } = await begin();
      await change(test.database, merchant);
      assert.equal((await startBatch(worker(), { ...run, startAt: inAnHour() })).kind, 'refused');
      assert.equal((await find(run)).status, 'draft');
    });

  it('shows the higher fees after it was refused for them, and takes them from who looked again', async () => {
    const { merchant, run } = await begin();
    await setOwnFees(test.database, merchant.accountId, { rows: { mobile: flat(7_777) } });
    assert.equal((await startBatch(worker(), run)).kind, 'refused');
    const { fees } = await find(run);
    assert.equal(fees, 7_777_00);
    assert.equal((await startBatch(worker(), run)).kind, 'refused', 'sent again unseen it is refused again');
    assert.equal((await startBatch(worker(), { ...run, fees })).kind, 'running');
    assert.equal(await reservedOf(merchant), 10_000_00 + 7_777_00);
  });

  for (const when of ['at once', 'at its time'])
    it(`takes lower fees as they are, ${when}: hold, payout and what is left of both`, async () => {
      const { merchant, run } = await begin([{ msisdn: TO }, { msisdn: '255754123457' }]);
      if (when === 'at its time') await startBatch(worker(), { ...run, startAt: inAnHour() });
      const version = await setOwnFees(test.database, merchant.accountId, { rows: { mobile: flat(1) } });
      const started = await startBatch(worker(), run, when === 'at its time');
      assert.ok(started.kind === 'running' && started.run);
      assert.deepEqual([started.run.fees, started.run.start?.own?.version], [200, version]);
      assert.equal((await find(run)).held, 20_000_00 + 200);
      const [first] = await nextSubmissions(worker(), started.run);
      assert.ok(first);
      await accept(worker(), first);
      const { rows } = await test.database.query('SELECT fee, fee_version FROM transactions');
      assert.equal(rows[0].fee, 100);
      assert.ok(rows[0].fee_version.endsWith(version));
      await batchesIn(test).move(run, 'running', 'cancelled');
      await countBatch(worker(), run);
      assert.equal((await find(run)).held, 0);
      assert.equal(await reservedOf(merchant), 10_000_00 + 100);
    });

  it('lets a recipient become known by a refused start: his cool-off runs out', async () => {
    const { merchant, run } = await begin();
    await limit('new_recipient_cooloff_s', 3_600)(test.database, merchant);
    assert.equal((await startBatch(worker(), run)).kind, 'refused');
    await test.database.query("UPDATE payout_recipients SET known_since = known_since - interval '1 hour'");
    assert.equal((await startBatch(worker(), run)).kind, 'running');
  });

  it('is whole or nothing wherever its process dies, and goes on when it is run again', async () => {
    const { merchant, run } = await begin();
    await setOwnFees(test.database, merchant.accountId, { rows: { mobile: flat(1) } });
    let died = 0;
    for (; ; died += 1) {
      const started = await startBatch(dyingAt(worker(), died + 1), run).catch((error: Error) => error);
      if (!(started instanceof Error)) break;
      assert.match(started.message, /died/);
      const { status, held } = await find(run);
      assert.deepEqual([status, held, await reservedOf(merchant)], ['draft', 0, 0]);
      assert.deepEqual(await checkInvariants(test.database), []);
    }
    assert.ok(died > 10, `it died at each of its ${died} statements`);
    const first = await startBatch(worker(), run);
    assert.deepEqual(await startBatch(worker(), run), first, 'run again it says the same');
    assert.equal(await reservedOf(merchant), 10_000_00 + 100);
  });

  describe('and a revocation at the same moment', () => {
    const changes: [string, Change][] = [
      ['revoked', key('approver', revoked)],
      ['frozen', frozenApprover],
      ['frozen with its account', frozen],
    ];
    for (const [what, change] of changes) {
      it(`waits for it where the key is ${what} first, and is refused`, async () => {
        const { merchant, run } = await begin();
        const started = await inTransaction(test.database, async (db) => {
          await change(db, merchant);
          const starting = startBatch(worker(), run);
          await untilLockAwaited(test.database);
          return { starting };
        });
        assert.equal((await started.starting).kind, 'refused');
      });

      it(`holds it up where the key is ${what} after its keys were read`, async () => {
        const { merchant, run } = await begin();
        // Another payout of the day holds the row that a start counts on, after it has looked at its keys.
        await accept(worker(), submissionFor(merchant, mobilePayoutRequest(1_000, '255754000001')));
        const both = await inTransaction(test.database, async (db) => {
          await db.query('SELECT FROM payout_days FOR UPDATE');
          const starting = startBatch(worker(), run);
          await untilLockAwaited(test.database);
          const changing = inTransaction(test.database, (other) => change(other, merchant));
          await untilLockAwaited(test.database, 2);
          return { starting, changing };
        });
        assert.equal((await both.starting).kind, 'running');
        await both.changing;
        assert.equal((await startBatch(worker(), run)).kind, 'running', 'it was started before');
      });
    }
  });

  it('counts on its day for its limits, also where a restore brings it back on another', async () => {
    const { merchant, run } = await begin();
    await limit('payout_daily_max', 15_000_00)(test.database, merchant);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const held = { ...run, start: { at: yesterday, own: null } };
    assert.equal(await restoreBatch(test.database, held, { isDry: false }), 'restored');
    assert.equal((await find(run)).startedAt?.slice(0, 10), yesterday.slice(0, 10));
    const { answer } = await accept(worker(), submissionFor(merchant, mobilePayoutRequest(10_000, TO)));
    assert.equal(JSON.parse(answer.body).success, true, 'nothing was paid today');
    // What goes back goes back to that day.
    await batchesIn(test).move(run, 'paused', 'cancelled');
    await countBatch(worker(), run);
    const rows = await test.sql`SELECT value FROM payout_days WHERE api_key_id IS NULL ORDER BY day`;
    assert.deepEqual(rows, [{ value: 0 }, { value: 10_000_00 }]);
  });

  for (const when of ['at once', 'at its time'])
    it(`is not taken for what the copy has of it, a draft with errors, where it started ${when}`, async () => {
      const { merchant } = await begin();
      await limit('payout_max', 500_00)(test.database, merchant);
      const { batch, run } = await draftOf(test.database, merchant, [{ msisdn: TO }]);
      assert.equal(batch.errors.length, 1);
      await limit('payout_max', null)(test.database, merchant);
      const other = { ...run, apiKeyId: 'approver' };
      const start = { at: new Date().toISOString(), own: null };
      const lost = when === 'at once' ? { ...other, start } : other;
      for (const became of ['restored', 'there'])
        assert.equal(await restoreBatch(test.database, lost, { isDry: false }), became);
      const { status, errors, apiKeyId } = await find(run);
      assert.deepEqual(
        [status, errors, apiKeyId],
        [when === 'at once' ? 'paused' : 'cancelled', [], 'approver'],
      );
      // Its merchant sends it once more.
      const { batch: found } = await draftOf(test.database, merchant, [{ msisdn: TO }], run);
      assert.equal(found.status, status);
      await batchesIn(test).move(run, 'paused', 'cancelled');
      await countBatch(worker(), run);
      assert.equal(await reservedOf(merchant), 0);
    });

  it('is brought back with the fees that were held, where the copy has those of its check', async () => {
    const { merchant, run } = await begin();
    const own = {
      version: 'prop_lost',
      effectiveFrom: '2026-01-01T00:00:00.000000Z',
      rows: { mobile: flat(3) },
    };
    const held = {
      ...run,
      fees: 300 as typeof run.fees,
      feeVersion: `${run.feeVersion}+prop_lost`,
      start: { at: new Date().toISOString(), own },
    };
    for (const became of ['restored', 'there'])
      assert.equal(await restoreBatch(test.database, held, { isDry: false }), became);
    assert.equal(await reservedOf(merchant), 10_000_00 + 300);
    await batchesIn(test).move(run, 'paused', 'running');
    const [item] = await nextSubmissions(worker(), held);
    assert.ok(item);
    await accept(worker(), item);
    assert.equal((await find(run)).held, 0);
  });
});

function wordsOf(started: BatchStart): string {
  assert.ok(started.kind === 'refused');
  return reasonOf({ statusReason: messageOf(started.refusal.message) });
}

/** The process dies at its nth statement: nothing after it reaches Postgres, and the connection is gone. */
function dyingAt(database: Database, nth: number): Database {
  let asked = 0;
  return beforeStatements(database, async (_on, text) => {
    asked += text === 'ROLLBACK' ? 0 : 1;
    if (text !== 'ROLLBACK' && asked >= nth) throw new Error('died');
  });
}
