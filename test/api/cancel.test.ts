import assert from 'node:assert/strict';
import type { CancelAnswer } from '../../src/api/kit/flows.ts';
import { receiveBillPayment } from '../../src/transactions/ending/bills.ts';
import { paymentOf } from '../support/bill-customer.ts';
import { assertRefused } from './support/api.ts';
import { mobile } from './support/bodies.ts';
import { useTestApi } from './support/use-api.ts';

describe('cancelling', () => {
  const { api, test, restart } = useTestApi({
    each: true,
    flows: () => ({
      cancel: async (transactionId) => {
        asked.push(transactionId);
        return answer;
      },
    }),
  });
  let id: string;
  let answer: CancelAnswer;
  let asked: string[];

  const settle = (status: string) => test.sql`UPDATE transactions SET status = ${status},
      event = 'payout.failed', failure_code = CASE WHEN ${status} = 'failed' THEN 'expired' END
    WHERE id = ${id}`;

  beforeEach(async () => {
    asked = [];
    const headers = { 'idempotency-key': 'k' };
    id = (await api.call('POST', 'payouts/mobile', { headers, body: mobile })).body.transaction_id;
  });

  it('answers with the lookup once the workflow cancelled it, and again afterwards without asking', async () => {
    const cancel = async () => {
      await settle('cancelled');
      return { kind: 'answered', cancelled: true } as const;
    };
    await restart({ flows: { cancel } });
    await test.database.query('UPDATE transactions SET account_id = $1', [api.accountId]);
    for (const _ of [1, 2]) {
      const cancelled = await api.call('POST', `payouts/${id}/cancel`);
      assert.equal(cancelled.status, 200, cancelled.text);
      assert.equal(cancelled.body.status, 'cancelled');
      assert.equal(cancelled.body.payout.transaction_id, id);
    }
  });

  const outcomes: [CancelAnswer, number, string][] = [
    [{ kind: 'answered', cancelled: false }, 409, 'not_cancellable'],
    [{ kind: 'not_sent' }, 503, 'unavailable'],
    [{ kind: 'unclear' }, 503, 'outcome_unknown'],
    [{ kind: 'closed' }, 503, 'unavailable'],
  ];
  for (const [outcome, status, code] of outcomes) {
    it(`answers ${code} while it is pending and the workflow says ${JSON.stringify(outcome)}`, async () => {
      answer = outcome;
      assertRefused(await api.call('POST', `payouts/${id}/cancel`), status, code);
      assert.deepEqual(asked, [id]);
    });
  }

  it('says of a bill whose payment nobody could read that a person looks into it, not that its time will end', async () => {
    answer = { kind: 'answered', cancelled: false };
    const bill = { amount: 12_500, payment_number: 'INV-1', description: 'Membership' };
    const { body } = await api.call('POST', 'payments/billpay', { body: bill });
    const payment = paymentOf(body.bill.reference, 0, { amount: null, amountAsSent: '1e5' });
    await receiveBillPayment(test.database, { ...payment, refusalReturnsMoney: false });
    const refused = await api.call('POST', `payments/${body.transaction_id}/cancel`);
    assertRefused(refused, 409, 'not_cancellable');
    assert.match(refused.body.message, /amount could not be read, and a person is looking into that/);
  });

  it('puts one whose workflow is gone first in line for the sweep', async () => {
    answer = { kind: 'closed' };
    await test.database.query('UPDATE transactions SET due_at = now()');
    await api.call('POST', `payouts/${id}/cancel`);
    const { rows } = await test.database.query('SELECT due_at FROM transactions WHERE id = $1', [id]);
    assert.match(rows[0].due_at, /^1970/);
  });

  it('refuses a final one without asking, and a payout at the address of payments', async () => {
    await settle('failed');
    const refused = await api.call('POST', `payouts/${id}/cancel`);
    assertRefused(refused, 409, 'not_cancellable');
    assert.equal(refused.body.message, 'The payout is already failed');
    assert.equal((await api.call('POST', `payments/${id}/cancel`)).status, 404);
    assert.deepEqual(asked, []);
  });
});
