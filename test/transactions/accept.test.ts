import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { freeze, frozenSince, unfreeze } from '../../src/accounts/freeze.ts';
import { UntrustedSubmission } from '../../src/domain/errors.ts';
import { type Minor, minor } from '../../src/domain/money.ts';
import { networkById } from '../../src/domain/network.ts';
import { type Submission, statusOf } from '../../src/domain/operation.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { createPreview, previewableOf } from '../../src/transactions/acceptance/previews.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantProposal } from '../support/decision.ts';
import {
  bankPayoutRequest,
  createMerchant,
  type Merchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';

describe('accepting a submission', () => {
  const test = useTestDatabase();

  it('stores the transaction, its frozen fee and the very bytes of the answer together', async () => {
    const merchant = await createMerchant(test.database);
    const submission = submissionFor(merchant, pushRequest(), { metadata: '{"order_id":1.0}' });
    const accepted = await accept(test.database, submission);
    assert.equal(accepted.mine, true);
    assert.equal(accepted.answer.refused, null);
    assert.match(accepted.answer.body, /"metadata":\{"order_id":1\.0\}\}$/);
    const transaction = await getTransaction(test.database, submission.transactionId);
    assert.equal(transaction?.status, 'pending');
    assert.equal(transaction?.fee, 10_000);
    assert.match(transaction?.reference ?? '', /^PY[0-9A-HJKMNP-TV-Z]{16}$/);
  });

  it('run twice by its own workflow changes nothing and stays its own', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    const first = await accept(test.database, submission);
    const second = await accept(test.database, submission);
    assert.deepEqual(second, first);
    const balance = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual(balance, { current: 94_900_000, reserved: 5_100_000 });
  });

  it('answers another submission of the same key with the first answer and lets it go no further', async () => {
    const merchant = await createMerchant(test.database);
    const first = await accept(
      test.database,
      submissionFor(merchant, pushRequest(), { idempotencyKey: 'k' }),
    );
    const second = await accept(
      test.database,
      submissionFor(merchant, pushRequest(), { idempotencyKey: 'k' }),
    );
    assert.equal(second.mine, false);
    assert.deepEqual(second.answer, first.answer);
  });

  it('refuses what was sent before its account or its key was frozen, and leaves the key free', async () => {
    const proposalId = await plantProposal(test.database, 'accounts.unfreeze');
    for (const apiKeyId of [null, 'own']) {
      const merchant = await createMerchant(test.database, { balance: 10_000_000 });
      const { accountId } = merchant;
      const submission = submissionFor(merchant, mobilePayoutRequest());
      const subject = { accountId, apiKeyId: apiKeyId && submission.apiKeyId };
      const by = { ...subject, actor: 'test', reason: 'theft', proposalId };
      assert.deepEqual([await freeze(test.database, by), await freeze(test.database, by)], [true, false]);
      const refused = await accept(test.database, submission);
      assert.deepEqual([refused.mine, refused.answer.refused], [false, 'forbidden']);
      assert.match(refused.answer.body, apiKeyId ? /This API key is frozen/ : /This account is frozen/);
      assert.equal((await balanceOf(test.database, accountId, 'TZS')).reserved, 0);
      const frozenAt = (await frozenSince(test.database, subject)) ?? '';
      assert.equal(await unfreeze(test.database, { ...by, frozenAt }), true);
      assert.equal((await accept(test.database, submission)).mine, true);
      await freeze(test.database, by);
      assert.equal((await accept(test.database, submission)).mine, true, 'its own, run again');
    }
  });

  /** The API never signs such a submission: it is wrong by now, or a forgery. */
  async function assertUntrusted(submission: Submission, why: RegExp): Promise<void> {
    await assert.rejects(accept(test.database, submission), (error) => {
      assert.ok(error instanceof UntrustedSubmission);
      assert.match(error.message, why);
      return true;
    });
    assert.equal(await getTransaction(test.database, submission.transactionId), null);
  }

  it('takes nothing under a key that is not the account’s, or may not do this any more', async () => {
    const submission = async (change = 'label = label') => {
      const merchant = await createMerchant(test.database, { balance: 1_000_000 });
      await test.database.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [merchant.apiKeyId]);
      return submissionFor(merchant, mobilePayoutRequest());
    };
    const { apiKeyId } = await createMerchant(test.database);
    for (const id of ['nobody', apiKeyId])
      await assertUntrusted({ ...(await submission()), apiKeyId: id }, /may not do this any more/);
    for (const change of ['revoked_at = now()', 'expires_at = now()', "scopes = '{payments:write}'"])
      await assertUntrusted(await submission(change), /may not do this any more/);
    for (const change of ["expires_at = now() + interval '1 hour'", "scopes = '{payouts:write}'"])
      assert.equal((await accept(test.database, await submission(change))).mine, true, change);

    const payer = await createMerchant(test.database);
    const scopes = (names: string) =>
      test.sql`UPDATE api_keys SET scopes = ${names} WHERE id = ${payer.apiKeyId}`;
    await scopes('{payouts:write}');
    await assertUntrusted(submissionFor(payer, pushRequest()), /may not do this any more/);
    await scopes('{payments:write}');
    assert.equal((await accept(test.database, submissionFor(payer, pushRequest()))).mine, true);
  });

  it('takes no amount that nobody may ask for: the least and the most are taken, nothing beyond, no fractions', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const limits = networkById('m-pesa')?.payoutLimits;
    assert.ok(limits);
    const { minimum, maximum } = limits;
    const payout = (amount: number, channel = 'm-pesa') =>
      submissionFor(merchant, { ...mobilePayoutRequest(), amount: amount as Minor, channel });
    for (const amount of [minimum - 1, minimum + 0.5, maximum + 1])
      await assertUntrusted(payout(amount), /no mobile of this amount is ever accepted/);
    await assertUntrusted(payout(minimum, 'gone'), /no mobile of this amount is ever accepted/);
    for (const amount of [minimum, maximum])
      assert.equal((await accept(test.database, payout(amount))).mine, true, String(amount));
  });

  it('keeps a refusal for insufficient balance under the key, without a transaction or a hold', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    const refused = await accept(test.database, submission);
    assert.equal(refused.mine, false);
    assert.equal(statusOf(refused.answer), 409);
    assert.match(refused.answer.body, /insufficient_balance/);
    assert.equal(await getTransaction(test.database, submission.transactionId), null);
    assert.deepEqual(await balanceOf(test.database, merchant.accountId, 'TZS'), {
      current: 100_000,
      reserved: 0,
    });
    const again = await accept(test.database, {
      ...submission,
      submissionId: '00000000-0000-4000-8000-000000000000',
    });
    assert.deepEqual(again.answer, refused.answer);
  });

  /** The same request under one key, sent so often at the same moment. */
  async function submitted(merchant: Merchant, count: number) {
    const first = submissionFor(merchant, mobilePayoutRequest());
    const submit = () => accept(test.database, { ...first, submissionId: randomUUID() });
    const accepted = await atOnce(count, test.database, times(count, submit));
    const rows = await test.sql`SELECT coalesce(sum(value), 0)::bigint AS value, count(*) AS rows,
         (SELECT count(*) FROM idempotency_keys WHERE account_id = ${merchant.accountId}) AS answers,
         (SELECT count(*) FROM transactions WHERE account_id = ${merchant.accountId}) AS transactions
       FROM payout_days WHERE account_id = ${merchant.accountId} AND api_key_id IS NULL`;
    return { accepted, kept: rows[0] };
  }

  itRaced(
    test,
    2,
    'gives submissions of one key at once the one refusal that is kept, and counts none of them',
    async () => {
      const merchant = await createMerchant(test.database, { balance: 1_000 });
      const { accepted, kept } = await submitted(merchant, 2);
      assert.deepEqual(kept, { value: 0, rows: 0, answers: 1, transactions: 0 });
      for (const { answer, mine } of accepted) {
        assert.deepEqual([mine, JSON.parse(answer.body).code], [false, 'insufficient_balance']);
        assert.deepEqual(answer, accepted[0]?.answer);
      }
    },
  );

  itRaced(
    test,
    16,
    'gives many submissions of one key at once to exactly one of them, which is held and counted once',
    async () => {
      const merchant = await createMerchant(test.database, { balance: 1_000_000 });
      const { accepted, kept } = await submitted(merchant, 16);
      assert.equal(accepted.filter(({ mine }) => mine).length, 1);
      assert.equal(new Set(accepted.map(({ answer }) => answer.body)).size, 1);
      assert.deepEqual(kept, { value: 50_000_00, rows: 1, answers: 1, transactions: 1 });
      const { reserved } = await balanceOf(test.database, merchant.accountId, 'TZS');
      assert.equal(reserved, 51_000_00);
    },
  );

  it('takes no fault of its own for a lack of money: nothing is kept, and it is accepted when it runs again', async () => {
    const merchant = await createMerchant(test.database, { balance: 1_000_000 });
    const submission = submissionFor(merchant, mobilePayoutRequest());
    await test.database.query(
      `CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$;
       CREATE TRIGGER break BEFORE INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION break()`,
    );
    await assert.rejects(accept(test.database, submission), /broken/);
    await test.sql`DROP TRIGGER break ON transfers`;
    assert.equal((await accept(test.database, submission)).mine, true);
  });

  it('does not execute a submission that waited too long, and says so under its key', async () => {
    const merchant = await createMerchant(test.database);
    const receivedAt = new Date(Date.now() - 3 * 60_000).toISOString();
    const submission = submissionFor(merchant, pushRequest(), { receivedAt });
    const refused = await accept(test.database, submission);
    assert.match(refused.answer.body, /submission_expired/);
    assert.equal(await getTransaction(test.database, submission.transactionId), null);
    assert.deepEqual((await accept(test.database, submission)).answer, refused.answer);
  });

  itRaced(test, 20, 'never overdraws: 200 payouts at once with money for exactly 100', async () => {
    const merchant = await createMerchant(test.database, { balance: 100 * 51_000 });
    const submit = () => accept(test.database, submissionFor(merchant, mobilePayoutRequest()));
    const accepted = await atOnce(20, test.database, times(200, submit));
    assert.equal(accepted.filter((one) => one.answer.refused === null).length, 100);
    assert.equal(accepted.filter((one) => /insufficient_balance/.test(one.answer.body)).length, 100);
    const balance = await balanceOf(test.database, merchant.accountId, 'TZS');
    assert.deepEqual(balance, { current: 0, reserved: 510_000_000 });
  }).timeout(60_000);

  it('takes a preview once, and gives it back when the balance does not cover the payout', async () => {
    const merchant = await createMerchant(test.database, { balance: 60_000 });
    const preview = await createPreview(test.database, {
      accountId: merchant.accountId,
      ...previewableOf(mobilePayoutRequest(50_000)),
      fee: minor(77_700),
      feeVersion: '2025-01',
      fullName: 'ASHA JUMA',
    });
    const request = (amount: number) => ({ ...mobilePayoutRequest(amount), previewId: preview.id });
    await test.sql`UPDATE previews SET amount = 9000000`;
    const tooMuch = await accept(test.database, submissionFor(merchant, request(90_000)));
    assert.match(tooMuch.answer.body, /insufficient_balance/);
    await test.sql`UPDATE previews SET amount = 5000000`;
    const submission = submissionFor(merchant, request(50_000));
    assert.equal((await accept(test.database, submission)).mine, true);
    const transaction = await getTransaction(test.database, submission.transactionId);
    assert.equal(transaction?.fee, 77_700);
    assert.equal(transaction?.fullName, 'ASHA JUMA');
    const second = submissionFor(merchant, request(50_000));
    assert.match((await accept(test.database, second)).answer.body, /already used by another payout/);
    const free = await test.database.query('SELECT 1 FROM idempotency_keys WHERE transaction_id = $1', [
      second.transactionId,
    ]);
    assert.equal(free.rowCount, 0, 'this refusal leaves the key free');
  });

  for (const shown of [null, 'JUMA HAMISI'])
    it(`tells the bank the merchant’s own name where the preview showed ${shown ?? 'none'}`, async () => {
      const merchant = await createMerchant(test.database, { balance: 500_000 });
      const preview = await createPreview(test.database, {
        accountId: merchant.accountId,
        ...previewableOf(bankPayoutRequest()),
        fee: minor(236_000),
        feeVersion: '2025-01',
        fullName: shown,
      });
      const request = { ...bankPayoutRequest(), previewId: preview.id };
      const submission = submissionFor(merchant, request);
      assert.equal((await accept(test.database, submission)).mine, true);
      const transaction = await getTransaction(test.database, submission.transactionId);
      assert.equal(transaction?.fullName, 'Asha Juma');
    });
});
