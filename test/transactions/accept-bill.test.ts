// tests: slow
import assert from 'node:assert/strict';
import { isDammValid } from '../../src/domain/control-number.ts';
import type { Submission } from '../../src/domain/operation.ts';
import { accept } from '../support/accept.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { controlNumberOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { billRequest, createMerchant, type Merchant, submissionFor } from '../support/merchant.ts';

describe('accepting bills and QR codes', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database);
  });

  const countOf = async (id: string) => {
    const rows =
      await test.sql`SELECT (SELECT count(*) FROM transactions WHERE id = ${id}) + (SELECT count(*) FROM bills WHERE transaction_id = ${id})
         + (SELECT count(*) FROM idempotency_keys WHERE transaction_id = ${id}) AS rows`;
    return Number(rows[0].rows);
  };

  itRaced(
    test,
    10,
    'draws control numbers of our prefix with a valid check digit, no two alike',
    async () => {
      const merchant = await createMerchant(test.database);
      const draw = async () => {
        const submission = submissionFor(merchant, billRequest());
        await accept(test.database, submission);
        return controlNumberOf(test.database, submission.transactionId);
      };
      const made: string[] = await atOnce(10, test.database, times(50, draw));
      assert.equal(new Set(made).size, 50);
      assert.ok(made.every((number) => /^77\d{10}$/.test(number) && isDammValid(number)));
    },
  );

  /** As the local activity does: what lost the race is run again. */
  const submit = (submission: Submission) => () =>
    accept(test.database, submission).catch(() => accept(test.database, submission));

  itRaced(
    test,
    10,
    'gives the same payment number, submitted many times at once, one bill and one answer',
    async () => {
      const merchant = await createMerchant(test.database);
      const request = billRequest(25_000, { paymentNumber: 'INV-7' });
      const submissions = Array.from({ length: 20 }, () => submissionFor(merchant, request));
      const answers = await atOnce(10, test.database, submissions.map(submit));
      assert.equal(new Set(answers.map(({ answer }) => answer.body)).size, 1);
      assert.equal(answers.filter(({ mine }) => mine).length, 1);
    },
  );

  it('gives a key that means one bill to no other: the second gets the first one’s answer, and is not made', async () => {
    const [first, second] = [1, 2].map(() =>
      submissionFor(merchant, billRequest(), { idempotencyKey: 'one key' }),
    );
    assert.ok(first && second);
    await accept(test.database, first);
    const { answer, mine } = await accept(test.database, second);
    assert.equal(mine, false);
    assert.equal(answer.transactionId, first.transactionId);
    assert.equal(await countOf(second.transactionId), 0);
  });

  itRaced(
    test,
    10,
    'makes neither a second bill nor an error of two bills that race for one key',
    async () => {
      const merchant = await createMerchant(test.database);
      const submissions = Array.from({ length: 10 }, () =>
        submissionFor(merchant, billRequest(), { idempotencyKey: 'raced key' }),
      );
      const answers = await atOnce(10, test.database, submissions.map(submit));
      assert.equal(answers.filter(({ mine }) => mine).length, 1);
      assert.equal(new Set(answers.map(({ answer }) => answer.transactionId)).size, 1);
      const counts: number[] = [];
      for (const { transactionId } of submissions) counts.push(await countOf(transactionId));
      assert.deepEqual(counts.sort(), [...Array(9).fill(0), 3]);
    },
  );
});
