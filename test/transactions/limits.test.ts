import assert from 'node:assert/strict';
import { setLimits } from '../../src/accounts/limits.ts';
import type { Limits } from '../../src/domain/limits.ts';
import { minor } from '../../src/domain/money.ts';
import { type MoneyRequest, type Submission, statusOf } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { createPreview, previewableOf } from '../../src/transactions/acceptance/previews.ts';
import { end } from '../../src/transactions/ending/ending.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { type TestDatabase, useTestDatabase } from '../support/database.ts';
import {
  bankPayoutRequest,
  billRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';
import { sqlOf } from '../support/queryable.ts';

const SHILLING = 100;
const MIDNIGHT = /free again at \d{4}-\d\d-\d\dT21:00:00Z, midnight in Dar es Salaam/;

describe('limits of payouts', () => {
  const test = useTestDatabase();

  function limit(merchant: Merchant, limits: Partial<Limits>, { ofKey = false } = {}) {
    const change = {
      accountId: merchant.accountId,
      apiKeyId: ofKey ? merchant.apiKeyId : null,
      limits,
      actor: 'test',
    };
    return inTransaction(test.database, (db) => setLimits(db, change, { mayRaise: true }));
  }
  async function merchantWith(limits: Partial<Limits>): Promise<Merchant> {
    const merchant = await createMerchant(test.database, { balance: 50_000_000 });
    await limit(merchant, limits);
    return merchant;
  }
  async function send(
    merchant: Merchant,
    request: MoneyRequest,
    overrides: Partial<Submission> = {},
  ): Promise<{ id: string; status: number; code?: string; message: string; body: string }> {
    const submission = submissionFor(merchant, request, overrides);
    const { answer } = await accept(test.database, submission);
    const { code, message } = JSON.parse(answer.body);
    return { id: answer.transactionId, status: statusOf(answer), code, message, body: answer.body };
  }
  async function endAs(id: string, kind: 'failed' | 'cancelled' | 'succeeded') {
    await inTransaction(test.database, async (db) => {
      await db.query('SELECT 1 FROM transactions WHERE id = $1 FOR UPDATE', [id]);
      const transaction = await getTransaction(db, id);
      assert.ok(transaction);
      const common = { channelReference: null };
      if (kind === 'failed') await end(db, transaction, { kind, code: 'network_error', ...common });
      else if (kind === 'succeeded') await end(db, transaction, { kind, fullName: null, ...common });
      else await end(db, transaction, { kind });
    });
  }

  it('keeps the refusal under its key, without a transaction, a hold or a count', async () => {
    const merchant = await merchantWith({ payout_daily_max: 60_000 * SHILLING });
    await send(merchant, mobilePayoutRequest(50_000));
    const idempotencyKey = 'over';
    const refused = await send(merchant, mobilePayoutRequest(10_001), { idempotencyKey });
    assert.match(refused.message, /payout_daily_max\): 50,000\.00 TZS are used, and 10,001\.00 TZS/);
    assert.match(refused.message, MIDNIGHT);
    assert.equal(await getTransaction(test.database, refused.id), null);
    const { reserved } = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.equal(reserved, 51_000 * SHILLING);
    await limit(merchant, { payout_daily_max: null });
    const again = await send(merchant, mobilePayoutRequest(10_001), { idempotencyKey });
    assert.equal(again.body, refused.body, 'the first answer, byte for byte');
    await limit(merchant, { payout_daily_max: 60_000 * SHILLING });
    assert.equal((await send(merchant, mobilePayoutRequest(10_000))).status, 200, 'nothing was used up');
  });

  itRaced(
    test,
    20,
    'never exceeds a daily maximum: 200 payouts at once with room for exactly 100',
    async () => {
      const merchant = await merchantWith({ payout_daily_max: 100 * 50_000 * SHILLING });
      const payouts = Array.from(
        { length: 200 },
        (_, n) => () => send(merchant, mobilePayoutRequest(50_000, `2557540${10_000 + n}`)),
      );
      const sent = await atOnce(20, test.database, payouts);
      assert.equal(sent.filter(({ status }) => status === 200).length, 100);
      assert.equal(sent.filter(({ code }) => code === 'limit_exceeded').length, 100);
      const { reserved } = await balanceOf(test.database, merchant.accountId, 'TZS');
      assert.equal(reserved, 100 * 51_000 * SHILLING);
    },
  ).timeout(60_000);

  it('counts by recipient, wallets and bank accounts alike', async () => {
    const merchant = await merchantWith({ recipient_daily_max: 500_000 * SHILLING });
    assert.equal((await send(merchant, bankPayoutRequest(400_000))).status, 200);
    const refused = await send(merchant, bankPayoutRequest(100_001));
    assert.match(
      refused.message,
      /one recipient of this account may be 500,000\.00 TZS in all \(recipient_daily_max\)/,
    );
    assert.equal((await send(merchant, bankPayoutRequest(100_001, '0150999999999'))).status, 200);
    const otherBank = { ...bankPayoutRequest(400_000), bic: 'NMIBTZTZ' };
    assert.equal((await send(merchant, otherBank)).status, 200, 'the same number at another bank');
    assert.equal((await send(merchant, mobilePayoutRequest(300_000))).status, 200);
    assert.equal((await send(merchant, mobilePayoutRequest(200_001))).code, 'limit_exceeded');
  });

  it('gives back what a failed or cancelled payout used, and not what a paid one did', async () => {
    const merchant = await merchantWith({
      payout_daily_max: 50_000 * SHILLING,
      recipient_daily_max: 50_000 * SHILLING,
      payouts_per_day: 1,
    });
    for (const outcome of ['failed', 'cancelled', 'succeeded'] as const) {
      const { id, status } = await send(merchant, mobilePayoutRequest());
      assert.equal(status, 200, outcome);
      assert.equal((await send(merchant, mobilePayoutRequest(1_000))).code, 'limit_exceeded');
      await endAs(id, outcome);
    }
    assert.equal((await send(merchant, mobilePayoutRequest(1_000))).code, 'limit_exceeded');
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('gives back to the day on which it was accepted', async () => {
    const merchant = await merchantWith({ payout_daily_max: 50_000 * SHILLING });
    const yesterday = await send(merchant, mobilePayoutRequest());
    await makeOlder(test, merchant);
    assert.equal((await send(merchant, mobilePayoutRequest())).status, 200, 'a new day');
    await endAs(yesterday.id, 'failed');
    assert.equal((await send(merchant, mobilePayoutRequest(1_000))).code, 'limit_exceeded');
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('gives back nothing for a push that failed, of the same amount with the same number', async () => {
    const merchant = await merchantWith({ payout_daily_max: 50_000 * SHILLING });
    assert.equal((await send(merchant, mobilePayoutRequest())).status, 200);
    const push = await send(merchant, pushRequest(50_000));
    await endAs(push.id, 'failed');
    assert.equal((await send(merchant, mobilePayoutRequest(1_000))).code, 'limit_exceeded');
    assert.deepEqual(await checkInvariants(test.database), []);
  });

  it('holds a key to its own limits beside those of the account', async () => {
    const merchant = await merchantWith({ payout_daily_max: 70_000 * SHILLING });
    await limit(merchant, { payout_daily_max: 50_000 * SHILLING }, { ofKey: true });
    const other = { ...merchant, apiKeyId: `${merchant.apiKeyId}b` };
    await test.sql`INSERT INTO api_keys (id, account_id, scopes)
      VALUES (${other.apiKeyId}, ${other.accountId}, '{payouts:write}')`;
    assert.equal((await send(other, mobilePayoutRequest(10_000))).status, 200);
    assert.equal((await send(merchant, mobilePayoutRequest(50_000))).status, 200, 'all that is the key’s');
    assert.match(
      (await send(merchant, mobilePayoutRequest(1_000))).message,
      /of this API key may be 50,000\.00/,
    );
    assert.equal((await send(other, mobilePayoutRequest(10_000))).status, 200);
    assert.match(
      (await send(other, mobilePayoutRequest(1_000))).message,
      /of this account may be 70,000\.00/,
    );
  });

  it('lets a new recipient wait, from the first request for it', async () => {
    const merchant = await merchantWith({ new_recipient_cooloff_s: 3_600 });
    const refused = await send(merchant, mobilePayoutRequest());
    assert.equal(refused.code, 'limit_exceeded');
    const from = /It is possible from (\S+Z)\./.exec(refused.message)?.[1] ?? '';
    assert.ok(Math.abs(Date.parse(from) - Date.now() - 3_600_000) < 60_000, refused.message);
    assert.equal((await send(merchant, mobilePayoutRequest())).code, 'limit_exceeded');
    await test.sql`UPDATE payout_recipients SET known_since = known_since - interval '3601 seconds'
      WHERE account_id = ${merchant.accountId}`;
    assert.equal((await send(merchant, mobilePayoutRequest())).status, 200);
    assert.equal((await send(merchant, mobilePayoutRequest(50_000, '255754999999'))).code, 'limit_exceeded');
  });

  it('suspects a twin: the same amount to the same recipient under another key', async () => {
    const merchant = await merchantWith({ duplicate_window_s: 600 });
    const first = await send(merchant, mobilePayoutRequest());
    const twin = await send(merchant, mobilePayoutRequest());
    assert.equal(twin.status, 409);
    assert.equal(twin.code, 'duplicate_suspected');
    assert.match(twin.message, /duplicate_window_s is 600 s.*after \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    for (const other of [
      mobilePayoutRequest(50_001),
      mobilePayoutRequest(50_000, '255754123457'),
      pushRequest(50_000),
    ])
      assert.equal((await send(merchant, other)).status, 200, JSON.stringify(other));
    await endAs(first.id, 'failed');
    assert.equal((await send(merchant, mobilePayoutRequest())).status, 200, 'a failed one is tried again');
    await test.sql`UPDATE transactions SET created_at = created_at - interval '601 seconds'
      WHERE account_id = ${merchant.accountId}`;
    assert.equal((await send(merchant, mobilePayoutRequest())).status, 200, 'the window is over');
    assert.equal((await send(merchant, bankPayoutRequest())).status, 200);
    assert.equal((await send(merchant, bankPayoutRequest())).code, 'duplicate_suspected');
  });

  itRaced(
    test,
    20,
    'suspects the twin of a push, however many come at once, and asks the customer once',
    async () => {
      const merchant = await merchantWith({ duplicate_window_s: 60 });
      const push = () => send(merchant, pushRequest());
      const sent = await atOnce(20, test.database, times(20, push));
      assert.equal(sent.filter(({ status }) => status === 200).length, 1);
      assert.equal(sent.filter(({ code }) => code === 'duplicate_suspected').length, 19);
      const known = await test.database.query('SELECT FROM payout_recipients WHERE account_id = $1', [
        merchant.accountId,
      ]);
      assert.equal(known.rowCount, 0, 'who is asked to pay is not known as one who is paid');
    },
  );

  itRaced(test, 20, 'accepts one of many equal payouts at once', async () => {
    const merchant = await merchantWith({ duplicate_window_s: 60 });
    const payout = () => send(merchant, mobilePayoutRequest());
    const sent = await atOnce(20, test.database, times(20, payout));
    assert.equal(sent.filter(({ status }) => status === 200).length, 1);
    assert.equal(sent.filter(({ code }) => code === 'duplicate_suspected').length, 19);
  });

  it('counts no payout that the balance does not cover', async () => {
    const merchant = await createMerchant(test.database, { balance: 51_000 });
    await limit(merchant, { payouts_per_day: 1 });
    assert.equal((await send(merchant, mobilePayoutRequest(60_000))).code, 'insufficient_balance');
    assert.equal((await send(merchant, mobilePayoutRequest(50_000))).status, 200);
  });

  itRaced(test, 8, 'answers the same key again with the first answer, not as a twin', async () => {
    const merchant = await merchantWith({ duplicate_window_s: 60 });
    for (const request of [pushRequest(), mobilePayoutRequest()]) {
      const again = () => send(merchant, request, { idempotencyKey: `same-${request.mode}` });
      const answers = await atOnce(8, test.database, times(8, again));
      const bodies = new Set(answers.map(({ body }) => body));
      assert.equal(bodies.size, 1);
      assert.match([...bodies][0] ?? '', /"success":true/);
    }
  });

  it('gives a preview back that a refused payout had used', async () => {
    const merchant = await merchantWith({ payout_max: 1_000 * SHILLING });
    const preview = await createPreview(test.database, {
      accountId: merchant.accountId,
      ...previewableOf(mobilePayoutRequest()),
      fee: minor(77_700),
      feeVersion: '2025-01',
      fullName: null,
    });
    const request = { ...mobilePayoutRequest(), previewId: preview.id };
    assert.equal((await send(merchant, request)).code, 'limit_exceeded');
    await limit(merchant, { payout_max: null });
    assert.equal((await send(merchant, request)).status, 200);
  });

  it('leaves bills alone', async () => {
    const merchant = await merchantWith({ payout_max: 1, duplicate_window_s: 600 });
    for (let n = 0; n < 2; n += 1) assert.equal((await send(merchant, billRequest())).status, 200);
  });
});

/** As if everything so far had been accepted yesterday. */
async function makeOlder({ database }: TestDatabase, { accountId }: Merchant): Promise<void> {
  await sqlOf(
    database,
  )`UPDATE transactions SET created_at = created_at - interval '1 day' WHERE account_id = ${accountId}`;
  await database.query('UPDATE payout_days SET day = day - 1 WHERE account_id = $1', [accountId]);
  await database.query('UPDATE payout_recipients SET day = day - 1 WHERE account_id = $1', [accountId]);
}
