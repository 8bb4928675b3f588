// tests: slow
import assert from 'node:assert/strict';
import { isDammValid } from '../../src/domain/control-number.ts';
import type { BilledRequest, Submission } from '../../src/domain/operation.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { getTransaction } from '../../src/transactions/rows/store.ts';
import { accept } from '../support/accept.ts';
import { atOnce, raced, times } from '../support/at-once.ts';
import { controlNumberOf, endTimeOf } from '../support/bill-customer.ts';
import { useTestDatabase } from '../support/database.ts';
import { ConnectionLost, failingDatabase } from '../support/failing-database.ts';
import { billRequest, createMerchant, type Merchant, qrRequest, submissionFor } from '../support/merchant.ts';

describe('accepting bills and QR codes', () => {
  const test = useTestDatabase();
  let merchant: Merchant;
  before(async () => {
    merchant = await createMerchant(test.database);
  });

  const countOf = async (id: string) => {
    const { rows } = await test.database.query(
      `SELECT (SELECT count(*) FROM transactions WHERE id = $1) + (SELECT count(*) FROM bills WHERE transaction_id = $1)
         + (SELECT count(*) FROM idempotency_keys WHERE transaction_id = $1) AS rows`,
      [id],
    );
    return Number(rows[0].rows);
  };

  for (const [what, requestOf] of Object.entries({ bill: billRequest, 'QR code': qrRequest })) {
    it(`of a ${what} survives a connection that breaks at any statement: run again, it is made once`, async () => {
      const whole = failingDatabase(test.database, { at: 0, answerLost: false });
      // A new merchant each time: its first number draws a block, which is a statement more.
      const submissionOfNewMerchant = async (): Promise<Submission> =>
        submissionFor<BilledRequest>(await createMerchant(test.database), requestOf());
      await accept(whole.database, await submissionOfNewMerchant());
      for (let at = 1; at <= whole.statements(); at += 1)
        for (const answerLost of [false, true]) {
          const submission = await submissionOfNewMerchant();
          const failing = failingDatabase(test.database, { at, answerLost });
          await assert.rejects(accept(failing.database, submission), ConnectionLost);
          const { answer, mine } = await accept(test.database, submission);
          assert.equal(mine, true);
          assert.equal(await countOf(submission.transactionId), 3);
          const number = await controlNumberOf(test.database, submission.transactionId);
          assert.ok(answer.body.includes(number), 'the answer names the number that was stored');
          assert.deepEqual((await accept(test.database, submission)).answer, answer);
        }
    }).timeout(30_000);

    it(`of a ${what} ends once when its time is over, whatever breaks meanwhile`, async () => {
      const ended = submissionFor<BilledRequest>(merchant, requestOf());
      await accept(test.database, ended);
      const whole = failingDatabase(test.database, { at: 0, answerLost: false });
      await endTimeOf(test.database, ended.transactionId);
      await tryToEnd(whole.database, ended.transactionId, { kind: 'expired' });
      for (let at = 1; at <= whole.statements(); at += 1) {
        const submission = submissionFor<BilledRequest>(merchant, requestOf());
        const id = submission.transactionId;
        await accept(test.database, submission);
        const failing = failingDatabase(test.database, { at, answerLost: true });
        await endTimeOf(test.database, id);
        await assert.rejects(tryToEnd(failing.database, id, { kind: 'expired' }), ConnectionLost);
        const settled = await tryToEnd(test.database, id, { kind: 'expired' });
        assert.equal(settled.status, 'failed');
        assert.equal(settled.events.length, 1);
        assert.equal((await getTransaction(test.database, id))?.failureCode, 'expired');
      }
    }).timeout(30_000);
  }

  it(
    'draws control numbers of our prefix with a valid check digit, no two alike',
    raced(test, 10, async () => {
      const merchant = await createMerchant(test.database);
      const draw = async () => {
        const submission = submissionFor(merchant, billRequest());
        await accept(test.database, submission);
        return controlNumberOf(test.database, submission.transactionId);
      };
      const made: string[] = await atOnce(10, test.database, times(50, draw));
      assert.equal(new Set(made).size, 50);
      assert.ok(made.every((number) => /^77\d{10}$/.test(number) && isDammValid(number)));
    }),
  );

  /** As the local activity does: what lost the race is run again. */
  const submit = (submission: Submission) => () =>
    accept(test.database, submission).catch(() => accept(test.database, submission));

  it(
    'gives the same payment number, submitted many times at once, one bill and one answer',
    raced(test, 10, async () => {
      const merchant = await createMerchant(test.database);
      const request = billRequest(25_000, { paymentNumber: 'INV-7' });
      const submissions = Array.from({ length: 20 }, () => submissionFor(merchant, request));
      const answers = await atOnce(10, test.database, submissions.map(submit));
      assert.equal(new Set(answers.map(({ answer }) => answer.body)).size, 1);
      assert.equal(answers.filter(({ mine }) => mine).length, 1);
    }),
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

  it(
    'makes neither a second bill nor an error of two bills that race for one key',
    raced(test, 10, async () => {
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
    }),
  );
});
