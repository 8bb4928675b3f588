// tests: slow
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Succeeded } from '../../src/domain/channel.ts';
import { minor } from '../../src/domain/money.ts';
import { checkInvariants } from '../../src/reconciliation/invariants.ts';
import { noteEnquiry } from '../../src/transactions/channel/enquiries.ts';
import { closeSendsAsNotFound, recordSend, recordSendOutcome } from '../../src/transactions/channel/sends.ts';
import { endReported, tryToEnd } from '../../src/transactions/ending/end.ts';
import { accept } from '../support/accept.ts';
import { useTestDatabase } from '../support/database.ts';
import { plantDecision } from '../support/decision.ts';
import { notify } from '../support/handed-over.ts';
import {
  bankPayoutRequest,
  createMerchant,
  mobilePayoutRequest,
  pushRequest,
  submissionFor,
} from '../support/merchant.ts';

const ROUNDS = 24;
const STEPS = 14;

describe('payments and payouts under everything at once', () => {
  const test = useTestDatabase({ poolMax: 12 });

  it('book every movement of the channel once, whoever reports it, however often and in whatever order', async () => {
    const merchant = await createMerchant(test.database, { balance: 100_000_000 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = [pushRequest(5_000), mobilePayoutRequest(5_000), bankPayoutRequest(5_000)][round % 3];
      assert.ok(request);
      const submission = submissionFor(merchant, request);
      const id = submission.transactionId;
      await Promise.all([accept(test.database, submission), accept(test.database, submission)]);
      const reported = new Map<string, number>();
      const success = (): Succeeded => {
        const receipt = `${id}:${randomInt(3)}`;
        // One movement has one amount, whoever reports it.
        const amount = reported.get(receipt) ?? (randomInt(3) === 0 ? 4_900_00 : 5_000_00);
        reported.set(receipt, amount);
        return {
          kind: 'succeeded',
          amount: minor(amount),
          currency: 'TZS',
          channelReference: receipt,
          fullName: null,
        };
      };
      const failed = { kind: 'failed', code: 'network_error', channelReference: null } as const;
      const at = new Date().toISOString();
      const steps = [
        () => recordSend(test.database, { transactionId: id, number: 1 + randomInt(3) }),
        () => recordSendOutcome(test.database, { transactionId: id, number: 1, outcome: 'not_sent' }),
        () => closeSendsAsNotFound(test.database, { transactionId: id, upTo: 2 }),
        () => noteEnquiry(test.database, { transactionId: id, said: 'not_found', at, nextAt: at }),
        () => tryToEnd(test.database, id, { kind: 'notifications' }),
        () => tryToEnd(test.database, id, { kind: 'cancel' }),
        () => tryToEnd(test.database, id, { kind: 'unsent' }),
        () => tryToEnd(test.database, id, { kind: 'never_arrived', afterDecision: true }),
        () => tryToEnd(test.database, id, { kind: 'answer', result: failed }),
        // There is one at most.
        () => plantDecision(test.database, id, 'failed').catch(() => {}),
        () => tryToEnd(test.database, id, { kind: 'unanswered' }),
        () => endReported(test.database, id, success()),
        () => endReported(test.database, id, success()),
        () => notify(test.database, id, success()),
        () => notify(test.database, id, success()),
        () => notify(test.database, id, failed),
        () => notify(test.database, id, { kind: 'pending' }),
      ];
      const order = Array.from({ length: STEPS }, () => steps[randomInt(steps.length)]);
      await Promise.all(order.map((step) => step?.()));
      await tryToEnd(test.database, id, { kind: 'notifications' });
      const { rows } = await test.database.query(
        `SELECT t.status, coalesce((SELECT sum(e.amount) FROM entries e JOIN transfers f ON f.id = e.transfer_id
           JOIN ledger_accounts a ON a.id = e.ledger_account_id
           WHERE f.transaction_id = t.id AND a.kind = 'clearing'), 0)::bigint AS cleared FROM transactions t WHERE t.id = $1`,
        [id],
      );
      const moved = [...reported.values()].reduce((sum, amount) => sum + amount, 0);
      const { cleared } = rows[0];
      assert.equal(Math.abs(cleared), moved, `round ${round}, ${rows[0].status}`);
    }
    assert.deepEqual(await checkInvariants(test.database), []);
  }).timeout(120_000);
});
