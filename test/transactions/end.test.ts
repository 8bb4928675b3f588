import assert from 'node:assert/strict';
import type { Cause } from '../../src/domain/ending.ts';
import { balanceOf } from '../../src/ledger/accounts.ts';
import { recordSend } from '../../src/transactions/channel/sends.ts';
import { tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { atOnce, raced } from '../support/at-once.ts';
import { useTestDatabase } from '../support/database.ts';
import { handedOver } from '../support/handed-over.ts';
import { createMerchant, mobilePayoutRequest, pushRequest, submissionFor } from '../support/merchant.ts';
import { succeeded } from '../support/scripted-channel.ts';

describe('settling a transaction', () => {
  const test = useTestDatabase();

  const success: Cause = { kind: 'answer', result: succeeded(50_000, 'R') };
  const failure: Cause = {
    kind: 'answer',
    result: { kind: 'failed', code: 'customer_declined', channelReference: null },
  };

  it(
    'settles once when many try at the same moment with different answers',
    raced(test, 12, async () => {
      const { id, merchant } = await handedOver(test.database, mobilePayoutRequest(50_000), {
        balance: 100_000,
      });
      const tries = Array.from(
        { length: 12 },
        (_, i) => () => tryToEnd(test.database, id, i % 2 ? success : failure),
      );
      const results = await atOnce(12, test.database, tries);
      assert.equal(new Set(results.map((result) => result.status)).size, 1);
      assert.equal((await balanceOf(test.database, merchant.accountId, 'TZS')).reserved, 0);
      const events = await test.database.query('SELECT FROM callback_events WHERE transaction_id = $1', [id]);
      assert.equal(events.rowCount, 1);
    }),
  );

  it(
    'lets a cancel and a hand-over race 200 times and never grants both, nor always one of them',
    raced(test, 2, async () => {
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
    }),
  ).timeout(60_000);

  it('refuses in the database itself to change a final state', async () => {
    const { id } = await handedOver(test.database, pushRequest(), { balance: 0 });
    await tryToEnd(test.database, id, failure);
    await assert.rejects(
      test.database.query("UPDATE transactions SET status = 'completed', failure_code = NULL WHERE id = $1", [
        id,
      ]),
      /cannot become completed/,
    );
  });
});
