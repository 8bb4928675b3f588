import assert from 'node:assert/strict';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { atOnce, itRaced, times } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { answered, handedOver } from '../support/handed-over.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { failure, succeeded } from '../support/scripted-channel.ts';

describe('settling a transaction', () => {
  const test = useTestDatabase();

  const failed = failure('customer_declined');

  itRaced(test, 12, 'settles once when many try at the same moment with different answers', async () => {
    const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000), {
      balance: 100_000,
    });
    const succeed = () => answered(test.database, id, succeeded(50_000, 'R'));
    const fail = () => answered(test.database, id, failed);
    const results = await atOnce(12, test.database, [...times(6, fail), ...times(6, succeed)]);
    assert.equal(new Set(results.map((result) => result.status)).size, 1);
    assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
    const events = await test.sql`SELECT FROM callback_events WHERE transaction_id = ${id}`;
    assert.equal(events.length, 1);
  });

  itRaced(
    test,
    2,
    'lets a cancel and a hand-over race 200 times and never grants both, nor always one of them',
    async () => {
      const merchant = await createMerchant(test.database, { balance: 300 * 51_000 });
      let cancels = 0;
      for (let round = 0; round < 200; round += 1) {
        const submission = submissionFor(merchant, mobilePayoutRequest());
        await accept(test.database, submission);
        const id = submission.transactionId;
        const cancel = async () =>
          (await tryToEnd(test.database, id, { kind: 'cancel' })).status === 'cancelled';
        const send = async () => (await recordSend(test.database, { transactionId: id, number: 1 })).granted;
        const done = await atOnce(2, test.database, round % 2 ? [cancel, send] : [send, cancel]);
        assert.equal(done.filter(Boolean).length, 1, `round ${round}`);
        if (done[round % 2 ? 0 : 1]) cancels += 1;
      }
      assert.ok(cancels > 0 && cancels < 200, `${cancels} were cancelled`);
    },
  ).timeout(60_000);

  it('refuses in the database itself to change a final state', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    await answered(test.database, id, failed);
    await assert.rejects(
      test.sql`UPDATE transactions SET status = 'completed', failure_code = NULL WHERE id = ${id}`,
      /cannot become completed/,
    );
  });
});
